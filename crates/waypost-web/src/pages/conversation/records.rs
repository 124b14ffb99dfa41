//! What the records of a conversation's sessions tell of a time, found without reading them all: their numbers grow with
//! the time, so that the first one of a time is found by halving.

use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::index::{Ask, Rows};
use waypost_core::tables::{Cell, ConversationRow, LogRow, SessionRow};
use waypost_core::time::Timestamp;

/// So many are shown beside a part of a transcript, of each session.
const MOST: u32 = 400;
/// What is told by the calls themselves, or to nobody but gates.
const QUIET: &[&str] = &[
    "debt_handed_on",
    "edit_observed",
    "edits_found",
    "evidence_recorded",
    "gates_passed",
    "policy_pinned",
    "shared",
    "subagent_called",
    "turn_started",
    "usage_counted",
    "worktree_entered",
];

/// A session that the conversation was in.
#[derive(Debug)]
pub(super) struct In {
    pub(super) row: SessionRow,
    pub(super) conversation: ConversationRow,
}

/// A record, or a tool call that a hook saw.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Record {
    pub(super) project: String,
    pub(super) session: String,
    /// Its place among the session's records, or among the calls.
    pub(super) seq: u64,
    pub(super) time: Timestamp,
    pub(super) actor: String,
    /// The event, or the tool.
    pub(super) kind: String,
    pub(super) what: Option<String>,
    /// Whether it is a tool call.
    pub(super) is_call: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<i64>,
}

impl Record {
    fn of(row: LogRow, session: &SessionRow) -> Self {
        Self {
            project: session.project.clone(),
            session: session.id.clone(),
            seq: row.number,
            time: row.time,
            actor: row.actor,
            kind: row.kind,
            what: row.what,
            is_call: row.activity,
            status: row.status,
        }
    }

    /// Whether gates said something to an action.
    pub(super) fn is_ruling(&self) -> bool {
        !self.is_call && self.kind == "ruling_made"
    }
}

impl In {
    /// How records call the conversation.
    pub(super) fn label(&self) -> String {
        let id: String = self.conversation.id.chars().take(8).collect();
        format!("{} {id}", self.conversation.harness)
    }

    /// What the records tell between two times of the conversation, or of a subagent of it.
    pub(super) fn between(
        &self,
        rows: &Rows,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        subagent: Option<&str>,
    ) -> Result<Vec<Record>, AppError> {
        // What the session knew before it came is told by the session's own page.
        let begun = self.conversation.attached_at;
        let first = self.first_at(rows, from.map_or(begun, |from| from.max(begun)))?;
        // What happened in the session once it had left is told there, too.
        let left = self.conversation.detached_at;
        let left = left.map(|left| Timestamp::saturating_from_millis(left.as_millis() + 1));
        let to = [to, left].into_iter().flatten().min();
        let end = to.map_or(Ok(self.row.version + 1), |to| self.first_at(rows, to))?;
        let first = first.max(end.saturating_sub(u64::from(MOST)));
        let found = self.numbered(rows, false, (first, end), None)?;
        Ok(found.into_iter().filter(|record| self.is_shown(record, subagent)).collect())
    }

    /// The last records and calls, so many in all, behind so many that were told already.
    pub(super) fn last(&self, rows: &Rows, past: u32, most: u32) -> Result<Vec<Record>, AppError> {
        let mut all = self.numbered(rows, false, (0, u64::MAX), Some(past + most))?;
        all.extend(self.numbered(rows, true, (0, u64::MAX), Some(past + most))?);
        all.sort_by_key(|record| std::cmp::Reverse((record.time, record.seq)));
        let label = self.label();
        let is_of = |record: &Record| {
            record.is_call && record.actor.starts_with(&label) || self.is_shown(record, None)
        };
        Ok(all.into_iter().filter(is_of).skip(past as usize).take(most as usize).collect())
    }

    fn is_shown(&self, record: &Record, subagent: Option<&str>) -> bool {
        let is_quiet = QUIET.contains(&record.kind.as_str());
        let is_whose = match subagent {
            Some(subagent) => record.actor == format!("{}/{subagent}", self.label()),
            None => record.actor == self.label() || record.actor == "human",
        };
        is_whose && !is_quiet
    }

    /// The number of the first record that is not older.
    fn first_at(&self, rows: &Rows, time: Timestamp) -> Result<u64, AppError> {
        let (mut low, mut high) = (1, self.row.version + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            let is_older = match self.numbered(rows, false, (middle, middle + 1), None)?.first() {
                Some(record) => record.time < time,
                // What the index does not have yet is newer than anything.
                None => false,
            };
            if is_older { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// Those with these numbers; the last so many, where it says how many.
    fn numbered(
        &self,
        rows: &Rows,
        calls: bool,
        (from, to): (u64, u64),
        last: Option<u32>,
    ) -> Result<Vec<Record>, AppError> {
        let number = |number: u64| Cell::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let with =
            [("session", Cell::Int(self.row.session)), ("activity", Cell::Int(i64::from(calls)))];
        let (from, to) = (number(from), number(to));
        let asked = Ask {
            with: &with,
            within: Some(("number", &from, &to)),
            by: Some(("number", last.is_some())),
            most: Some(last.unwrap_or(MOST)),
            ..Ask::default()
        };
        let found = rows.of::<LogRow>(asked)?;
        Ok(found.into_iter().map(|row| Record::of(row, &self.row)).collect())
    }
}
