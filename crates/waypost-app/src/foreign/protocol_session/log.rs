//! What any of these files tells of a session.

use waypost_core::event::{Past, PastNote, PastPhase, PastStep, PastViolation};
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

use super::FORMAT;
use crate::foreign::named_session::NamedSession;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, ForeignFile, Outline, Status};
use crate::foreign::session_log::{ItemLevel, ItemState, LogItem};

/// How much of a text is kept in a note, in characters; the original has all of it.
pub(super) const MAX_TEXT: usize = 4_000;
/// No more notes than this are taken.
pub(super) const MAX_NOTES: usize = 500;
/// Words that stand where nothing was written.
const PLACEHOLDERS: &[&str] =
    &["tbd", "todo", "n/a", "na", "none", "unknown", "-", "[migrated from markdown]", "pending"];

/// What a file tells of a session.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) name: String,
    pub(super) objective: Option<String>,
    pub(super) status: Option<Status>,
    pub(super) branch: Option<String>,
    pub(super) starting_commit: Option<String>,
    pub(super) commits: Vec<String>,
    pub(super) started: Option<Timestamp>,
    pub(super) updated: Option<Timestamp>,
    pub(super) checklist: Vec<PastStep>,
    pub(super) open: usize,
    pub(super) has_end: bool,
    pub(super) notes: Vec<PastNote>,
    pub(super) next_notes: Option<String>,
    pub(super) violations: Vec<PastViolation>,
    pub(super) phase: Option<String>,
    pub(super) phases: Vec<PastPhase>,
    pub(super) remarks: Vec<String>,
}

impl Log {
    /// Takes a checklist.
    pub(super) fn check(&mut self, items: &[LogItem]) {
        self.open += items.iter().filter(|item| item.open().is_some()).count();
        self.checklist.extend(steps(items));
    }

    /// Writes something down.
    pub(super) fn note(&mut self, kind: &str, text: &str, time: Option<Timestamp>) {
        if self.notes.len() < MAX_NOTES && says_something(text) {
            let text = shortened(text.trim(), MAX_TEXT);
            self.notes.push(PastNote { kind: kind.to_owned(), text, by: None, time });
        }
    }

    /// A commit, where the text is one.
    pub(super) fn commit(&mut self, text: &str) {
        let sha = text.trim().trim_matches('`');
        if is_commit(sha) && !self.commits.iter().any(|known| known == sha) {
            self.commits.push(sha.to_owned());
        }
    }

    /// The session.
    pub(super) fn brought(mut self, file: &ForeignFile<'_>, times: &Times<'_>) -> Brought {
        let day = NamedSession::in_name(&self.name).map(|named| named.day);
        let day = day.and_then(|day| times.read(&day));
        let created_at = self.started.or(day);
        // A day is all that most logs know: what happened, happened by its end.
        let updated_at = self.updated.or(created_at);
        let finished = self.has_end && self.open == 0 && !self.checklist.is_empty();
        let status =
            self.status.unwrap_or(if finished { Status::Complete } else { Status::Active });
        if status != Status::Complete && self.open > 0 {
            let musts =
                if self.open == 1 { "1 must is" } else { &format!("{} musts are", self.open) };
            self.remarks.push(format!("{musts} open in its checklists"));
        }
        // Days are days wherever somebody is.
        let at_a_time =
            |time: Option<Timestamp>| time.is_some_and(|time| time.as_millis() % 3_600_000 != 0);
        if times.took_naive() && (at_a_time(self.started) || at_a_time(self.updated)) {
            let told = "times without a time zone are taken as local times of this machine";
            self.remarks.push(told.to_owned());
        }
        let topic = self.objective.filter(|text| says_something(text));
        let first = |text: String| one_line(text.trim().split("\n\n").next().unwrap_or_default());
        let topic = topic.map_or_else(|| self.name.clone(), first);
        let outline = Outline {
            session_id: self.name.clone(),
            topic: shortened(&topic, 500),
            status,
            created_at,
            updated_at,
            branch: self.branch.filter(|branch| says_something(branch)),
            commits: self.commits.iter().map(|sha| (sha.clone(), String::new(), None)).collect(),
            ..Outline::default()
        };
        let past = Past {
            workflow: Some("none".to_owned()),
            phase: self.phase,
            phases: self.phases,
            ended_at: updated_at.filter(|_| status == Status::Complete),
            starting_commit: self.starting_commit.filter(|sha| is_commit(sha)),
            notes: self.notes,
            checklist: self.checklist,
            violations: self.violations,
            next_notes: self.next_notes.filter(|text| says_something(text)),
            ..Past::default()
        };
        Brought {
            name: self.name,
            format: FORMAT,
            manifest: outline.manifest(),
            past,
            definition: None,
            original: file.original(),
            remarks: self.remarks,
        }
    }
}

/// The items of a checklist as steps.
pub(in crate::foreign) fn steps(items: &[LogItem]) -> Vec<PastStep> {
    items.iter().map(step).collect()
}

fn step(item: &LogItem) -> PastStep {
    let level = match item.level {
        ItemLevel::Must => "MUST",
        ItemLevel::MustNot => "MUST NOT",
        ItemLevel::Should => "SHOULD",
        ItemLevel::May => "MAY",
    };
    PastStep {
        level: level.to_owned(),
        step: item.step.clone(),
        done: match item.state {
            ItemState::Done => Some(true),
            ItemState::NotDone(_) | ItemState::Unsaid => Some(false),
            ItemState::NotApplicable => None,
        },
        evidence: item.evidence.clone(),
    }
}

/// What a word for the end of a session means.
pub(super) fn status(word: &str) -> Option<Status> {
    let word = word.to_ascii_lowercase();
    let has = |needle: &str| word.contains(needle);
    if has("incomplete") || has("in_progress") || has("in progress") || has("active") {
        Some(Status::Active)
    } else if has("complete") || has("done") || has("success") || word.contains('✅') {
        Some(Status::Complete)
    } else if has("fail") || has("abandon") || has("abort") {
        Some(Status::Failed)
    } else if has("paused") || has("blocked") || has("on hold") {
        Some(Status::Paused)
    } else {
        None
    }
}

/// Whether a text is more than what stands where nothing was written.
pub(super) fn says_something(text: &str) -> bool {
    let text = text.trim().trim_matches(['`', '*', '_']).trim();
    !text.is_empty() && !PLACEHOLDERS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_commit(sha: &str) -> bool {
    (7..=64).contains(&sha.len()) && sha.chars().all(|c| c.is_ascii_hexdigit())
}
