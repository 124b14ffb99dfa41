//! Agents that work for each other, as far as decisions need to know: who is at work, what is open. Texts stay in the
//! records; [`crate::agents`] tells all of them.

use serde::{Deserialize, Serialize};

use crate::event::{
    AgentCompleted, DecisionRecorded, DecisionType, HandoffCreated, HistoryCompacted,
    InvocationStatus,
};
use crate::id::ConversationId;
use crate::ledger::PendingHandoff;
use crate::record::Record;
use crate::time::Timestamp;

/// Above so many invocations the state keeps only the last [`KEPT`].
pub const COMPACTED_ABOVE: usize = 10;
/// How many invocations stay in the state then.
pub const KEPT: usize = 3;
/// How many agents that are still at work are remembered beyond that. One that is forgotten can no longer be
/// completed, and stays at work in the history.
const MAX_OPEN: usize = 64;
/// How many open decisions are remembered, the latest; the count tells of the others.
const MAX_DECISIONS: usize = 32;
/// How many handoffs may wait to be accepted. One more is refused: none is ever displaced.
pub const MAX_HANDOFFS: usize = 16;
/// How many points a handoff's checklist may have.
pub const MAX_POINTS: usize = 16;

/// Agents that work for each other.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Orchestration {
    /// The latest invocations, and older ones that are still open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invocations: Vec<Invocation>,
    /// How many invocations there were.
    pub invoked: u64,
    /// How many of them are only in the records.
    pub archived: u64,
    /// The latest decisions that nobody approved or rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<OpenDecision>,
    /// How many decisions there were.
    pub decided: u64,
    /// How many verdicts there were.
    pub judged: u64,
    /// The handoffs that nobody accepted yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handoffs: Vec<PendingHandoff>,
    /// When the first of all this happened.
    pub started_at: Option<Timestamp>,
    /// When an agent last began or ended.
    pub changed_at: Option<Timestamp>,
}

/// An agent's work, as far as it can still be completed or is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invocation {
    /// Its record.
    pub seq: u64,
    /// The agent.
    pub agent: String,
    /// How far it has come.
    pub status: InvocationStatus,
    /// The subagent that a harness called it, where hooks see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The conversation that started that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// Whether it is only here because it is still open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

/// A decision that nobody approved or rejected yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenDecision {
    /// Its record.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// What sort of decision.
    pub decision_type: DecisionType,
}

/// What a verdict is called, by its record.
pub fn verdict_id(seq: u64) -> String {
    format!("verdict-{seq}")
}

impl Orchestration {
    /// Whether nothing of it was ever used.
    pub fn is_unused(&self) -> bool {
        *self == Self::default()
    }

    /// The agent that is at work: the one that began last.
    pub fn active(&self) -> Option<&str> {
        self.open().next_back().map(|known| known.agent.as_str())
    }

    /// The invocations that are not over, oldest first.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &Invocation> {
        self.invocations.iter().filter(|known| known.status == InvocationStatus::InProgress)
    }

    /// The latest open invocation of an agent. Hooks tell themselves when a subagent that they see is done.
    pub fn latest_open(&self, agent: &str) -> Option<&Invocation> {
        let is_it = |known: &&Invocation| known.agent == agent && known.subagent.is_none();
        self.open().rev().find(is_it)
    }

    /// What has to be archived if so many more invocations come.
    pub fn surplus(&self, more: &[u64]) -> Option<HistoryCompacted> {
        self.beyond(more, COMPACTED_ABOVE)
    }

    /// What can be archived at any time.
    pub fn archivable(&self) -> Option<HistoryCompacted> {
        self.beyond(&[], KEPT)
    }

    fn beyond(&self, more: &[u64], most: usize) -> Option<HistoryCompacted> {
        let known = self.invocations.iter().filter(|known| !known.archived).map(|known| known.seq);
        let all: Vec<u64> = known.chain(more.iter().copied()).collect();
        if all.len() <= most {
            return None;
        }
        let old = &all[..all.len() - KEPT];
        let count = u64::try_from(old.len()).unwrap_or(u64::MAX);
        Some(HistoryCompacted { from: *old.first()?, to: *old.last()?, count })
    }

    pub(super) fn invoke(&mut self, record: &Record, agent: &str) {
        self.begin(record, agent, None);
    }

    pub(super) fn invoke_subagent(
        &mut self,
        record: &Record,
        agent: &str,
        conversation: &ConversationId,
        subagent: &str,
    ) {
        self.begin(record, agent, Some((conversation, subagent)));
    }

    fn begin(&mut self, record: &Record, agent: &str, seen: Option<(&ConversationId, &str)>) {
        self.touch(record.time);
        self.invoked += 1;
        self.invocations.push(Invocation {
            seq: record.seq,
            agent: agent.to_owned(),
            status: InvocationStatus::InProgress,
            subagent: seen.map(|(_, subagent)| subagent.to_owned()),
            conversation: seen.map(|(conversation, _)| conversation.clone()),
            archived: false,
        });
    }

    pub(super) fn complete(&mut self, record: &Record, completed: &AgentCompleted) {
        self.finish(record.time, completed.status, |known| known.seq == completed.invocation);
    }

    pub(super) fn complete_subagent(
        &mut self,
        record: &Record,
        conversation: Option<&ConversationId>,
        subagent: &str,
        status: InvocationStatus,
    ) {
        self.finish(record.time, status, |known| {
            known.subagent.as_deref() == Some(subagent)
                && known.conversation.as_ref() == conversation
        });
    }

    /// A conversation is over, and so is whatever its subagents were doing: nobody tells of their end any more.
    pub(super) fn lose_subagents(&mut self, record: &Record, conversation: &ConversationId) {
        let is_lost = |known: &&mut Invocation| {
            known.status == InvocationStatus::InProgress
                && known.conversation.as_ref() == Some(conversation)
        };
        for known in self.invocations.iter_mut().filter(is_lost) {
            known.status = InvocationStatus::Failed;
            self.changed_at = Some(record.time);
        }
        self.forget_archived();
    }

    fn finish(
        &mut self,
        time: Timestamp,
        status: InvocationStatus,
        is: impl Fn(&Invocation) -> bool,
    ) {
        let open = |known: &&mut Invocation| known.status == InvocationStatus::InProgress;
        let Some(known) = self.invocations.iter_mut().rev().filter(open).find(|known| is(known))
        else {
            return;
        };
        known.status = status;
        self.changed_at = Some(time);
        self.forget_archived();
    }

    pub(super) fn compact(&mut self, compacted: &HistoryCompacted) {
        for known in &mut self.invocations {
            if !known.archived && known.seq <= compacted.to {
                known.archived = true;
                self.archived += 1;
            }
        }
        self.forget_archived();
    }

    /// Whatever is archived and over, and of the rest the oldest.
    fn forget_archived(&mut self) {
        self.invocations
            .retain(|known| !known.archived || known.status == InvocationStatus::InProgress);
        let archived = self.invocations.iter().filter(|known| known.archived).count();
        let mut surplus = archived.saturating_sub(MAX_OPEN);
        self.invocations.retain(|known| {
            let is_gone = known.archived && surplus > 0;
            surplus -= usize::from(is_gone);
            !is_gone
        });
    }

    pub(super) fn decide(&mut self, record: &Record, decision: &DecisionRecorded) {
        self.touch(record.time);
        self.decided += 1;
        if decision.approved_by.is_empty() && decision.rejected_by.is_empty() {
            let (id, decision_type) = (decision.id.clone(), decision.decision_type);
            self.decisions.push(OpenDecision { seq: record.seq, id, decision_type });
            let surplus = self.decisions.len().saturating_sub(MAX_DECISIONS);
            self.decisions.drain(..surplus);
        }
    }

    pub(super) fn review(&mut self, decision: &str) {
        self.decisions.retain(|known| known.id != decision);
    }

    pub(super) fn judge(&mut self, record: &Record) {
        self.touch(record.time);
        self.judged += 1;
    }

    pub(super) fn hand_over(&mut self, record: &Record, handoff: &HandoffCreated) {
        self.touch(record.time);
        self.handoffs.push(PendingHandoff {
            seq: record.seq,
            from_agent: handoff.from_agent.clone(),
            to_agent: handoff.to_agent.clone(),
            by: record.actor.conversation().cloned(),
            checklist: handoff.checklist.clone(),
        });
    }

    pub(super) fn accept(&mut self, handoff: u64) {
        self.handoffs.retain(|known| known.seq != handoff);
    }

    fn touch(&mut self, time: Timestamp) {
        self.started_at.get_or_insert(time);
        self.changed_at = Some(time);
    }
}
