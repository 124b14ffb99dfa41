//! The brief: where a session stands, in few words, for whoever goes on with it.
//!
//! A pure function of what is known: the same records at the same time give the same bytes. It never
//! has more tokens than its budget; what is least useful is left out first. Text that people and
//! agents wrote is quoted: it is data, and nothing in it can pass for Waypost's own words.

mod agents;
mod also;
mod fit;
mod text;

use serde::Serialize;

use crate::alongside::OtherConversation;
use crate::course::{Course, Passage, PhaseResult};
use crate::id::SessionId;
use crate::session::{Lifecycle, Pause};
use crate::standing::{CurrentTask, FailedPhase, Progress, ShownGate};
use crate::story::{Concern, Said};
use crate::time::Timestamp;

pub use agents::WaitingHandoff;
pub use also::OtherSession;
pub use fit::{BUDGET, tokens};

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Brief {
    /// The session.
    pub session_id: SessionId,
    /// The last record.
    pub version: u64,
    /// When this was told.
    pub time: Timestamp,
    /// By how many seconds the clocks of this machine are ahead of UTC.
    pub utc_offset: i32,
    /// In one word: `active`, `paused`, `completed`, `failed`, `abandoned`, `archived`,
    /// `checkpoint_failed` or `possibly_stalled`.
    pub status: String,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// What it is for, once somebody named it.
    pub objective: Option<String>,
    /// Its first prompt, while nobody has named it; kept on this machine only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// The folder of its specification and plan, below the project's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Why it rests or rested last, until something happened after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
    /// Where its workflow is, if it follows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// The phases that are done with, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<DonePhase>,
    /// The phase whose completion failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<FailedPhase>,
    /// How far building has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<InBuild>,
    /// What is to be done now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<CurrentTask>,
    /// What it works on, as somebody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// The mode, where it denies something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Where the conversation is in the protocol that the project follows, if it follows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<InProtocol>,
    /// The gates that are not met, the strictest first.
    pub open: Vec<ShownGate>,
    /// The gates that are met, and by what.
    pub met: Vec<MetGate>,
    /// The commands that ran last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What keeps the work from going on, as somebody said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Said>,
    /// What the specification is after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Said>,
    /// What the specification leaves open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Said>,
    /// What was decided, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Said>,
    /// What those who worked on it before left for whoever goes on, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handoffs: Vec<Said>,
    /// What was handed over and waits to be accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending_handoffs: Vec<WaitingHandoff>,
    /// The ids of those that wait as well, where there is no room to say more of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_handoffs: Vec<String>,
    /// What agents that judged the work still want done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_verdicts: Vec<Concern>,
    /// What agents said when they were done, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Said>,
    /// What the session before this one left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Previous>,
    /// The files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The latest commits, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// The other conversations that work in it, or changed something in the same work tree lately.
    pub others: Vec<OtherConversation>,
    /// The other sessions that could be taken up, those where something happened last first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<OtherSession>,
    /// What else somebody should be told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// How long it took so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// The exact next step.
    pub next: String,
    /// How much was left out to keep to the budget.
    pub left_out: usize,
    /// Whether there is room for no more than the names of things.
    #[serde(skip)]
    pub terse: bool,
}

/// A phase that is done with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DonePhase {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub phase: String,
    /// What became of it.
    pub checkpoint: PhaseResult,
    /// For how many milliseconds it was worked on.
    pub active_ms: i64,
    /// Why it was left out, or what it should have had.
    pub remark: Option<String>,
}

/// How far building has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InBuild {
    /// How many checkpoints there are.
    pub total: u64,
    /// How many are completed.
    pub completed: u64,
    /// The one that work is at.
    pub current: Option<u64>,
    /// What the plan calls it.
    pub title: Option<String>,
    /// What the plan wants to be checked before it is completed.
    pub verify: Vec<String>,
}

/// Where a conversation is in a protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InProtocol {
    /// The protocol.
    pub name: String,
    /// The phase; none before the conversation began to follow it.
    pub phase: Option<String>,
    /// The gates that hold it.
    pub blocked_by: Vec<String>,
}

/// A gate that is met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetGate {
    /// The gate.
    pub gate: String,
    /// By what.
    pub why: String,
}

/// What an earlier session left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Previous {
    /// The session.
    pub session_id: SessionId,
    /// What came of it.
    pub summary: Option<String>,
    /// What it left for the next.
    pub notes: Option<String>,
}

/// How long a session took so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Timing {
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// For how many milliseconds it was worked on.
    pub active_ms: i64,
    /// For how many milliseconds it rested.
    pub paused_ms: i64,
    /// For how many milliseconds the current phase was worked on.
    pub in_phase_ms: Option<i64>,
    /// The mean of the phases that were passed, in milliseconds.
    pub average_ms: Option<i64>,
    /// What the phases that are left will take at that rate, in milliseconds.
    pub remaining_ms: Option<i64>,
}

impl Brief {
    /// The same with where it stands in one word.
    #[must_use]
    pub fn in_a_word(mut self) -> Self {
        let complete = self.progress.as_ref().is_some_and(|progress| progress.complete);
        let stalled = self.progress.as_ref().is_some_and(|progress| progress.stalled);
        let word = match self.lifecycle {
            Lifecycle::Completed => "completed",
            Lifecycle::Failed => "failed",
            Lifecycle::Archived => "archived",
            Lifecycle::Paused => "paused",
            _ if complete => "completed",
            _ if self.failed.is_some() => "checkpoint_failed",
            Lifecycle::Abandoned => "abandoned",
            _ if stalled => "possibly_stalled",
            _ => "active",
        };
        word.clone_into(&mut self.status);
        self
    }
}

impl DonePhase {
    /// The phases that are done with, in order.
    pub fn all(course: &Course) -> Vec<Self> {
        let done = |passage: &Passage| Self {
            number: passage.number,
            phase: passage.phase.clone(),
            checkpoint: passage.checkpoint,
            active_ms: passage.active_ms,
            remark: passage.skipped.clone().or_else(|| passage.warnings.first().cloned()),
        };
        course.done().map(done).collect()
    }
}

impl Timing {
    /// How long a session took so far.
    pub fn of(
        course: &Course,
        started_at: Option<Timestamp>,
        updated_at: Option<Timestamp>,
    ) -> Self {
        let running = course.completed_at.is_none();
        Self {
            started_at,
            updated_at,
            active_ms: course.active_ms,
            paused_ms: course.paused_ms,
            in_phase_ms: course.current().filter(|_| running).map(|current| current.active_ms),
            average_ms: course.average(),
            remaining_ms: course.remaining().filter(|_| running),
        }
    }
}

#[cfg(test)]
mod tests;
