//! A session's state: the fold of its events, as far as decisions need it.
//!
//! The state is bounded: it holds what commands and gates ask for, never the whole history. What
//! people want to read (notes, rulings, everything that happened) is read from the events.

pub(crate) mod basics;
mod build;
mod conversation;
mod fold;
mod imported;
mod judges;
mod orchestration;
mod restored;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::event::Focus;
use crate::id::ConversationId;
use crate::ledger::Ledger;
use crate::loss::Loss;
use crate::record::Record;
use crate::time::Timestamp;
use crate::track::Track;
use crate::usage::{Place, Usage};

pub use crate::ledger::{PendingHandoff, handoff_id};
pub use basics::{Basics, words};
pub use build::{Build, MAX_CHECKPOINTS};
pub use orchestration::{
    COMPACTED_ABOVE, Invocation, KEPT, MAX_HANDOFFS, MAX_POINTS, OpenDecision, Orchestration,
    verdict_id,
};

pub use conversation::{
    Conversation, Elsewhere, HeldGate, LastStop, StopBlock, StopState, StopsHeld, Subagent,
};
pub use judges::{Judge, Judges};

/// After how many milliseconds without anything happening an active session counts as abandoned.
pub const ABANDONED_AFTER: i64 = 24 * 60 * 60 * 1000;

/// Where a session is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// It has not begun.
    #[default]
    Unstarted,
    /// Work goes on.
    Active,
    /// Work rests.
    Paused,
    /// It reached what it was for.
    Completed,
    /// It did not reach what it was for.
    Failed,
    /// Active, but nobody has come by for a day. No event says so: it is what
    /// [`SessionState::lifecycle_at`] makes of the time.
    Abandoned,
    /// A human put it away.
    Archived,
}

impl Lifecycle {
    /// Whether work is over, until somebody resumes it.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Archived)
    }
}

impl fmt::Display for Lifecycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unstarted => "unstarted",
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
            Self::Archived => "archived",
        })
    }
}

/// Why work rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Why.
    pub reason: String,
    /// What whoever goes on should know.
    pub context: Option<String>,
    /// Since when.
    pub since: Timestamp,
}

/// Why a session was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    /// Why.
    pub reason: String,
    /// Since when.
    pub since: Timestamp,
    /// Where it was in its life.
    pub before: Lifecycle,
}

/// A commit that a stop has still to ask about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCommit {
    /// Its hash.
    pub sha: String,
    /// Whether no gate was asked before it was made.
    pub unruled: bool,
    /// The conversation in whose turn it came to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ConversationId>,
}

/// The fold of a session's events.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionState {
    /// The last record's sequence number.
    pub version: u64,
    /// Which acknowledged records are gone, until a human accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// What it is for, once somebody named it.
    pub objective: Option<String>,
    /// The workflow it follows.
    pub workflow: String,
    /// Its branch: the one it began on, until somebody says otherwise.
    pub branch: Option<String>,
    /// Its linked work tree; none is the main one.
    pub worktree: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// The conversations that work in it or did lately.
    pub conversations: BTreeMap<ConversationId, Conversation>,
    /// What counts as proof.
    pub ledger: Ledger,
    /// The mode, where somebody set one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The gates that a human lets rest, and until when; the empty name is all of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub paused_gates: BTreeMap<String, Option<Timestamp>>,
    /// The commit it began at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Agents that work for each other.
    #[serde(default, skip_serializing_if = "Orchestration::is_unused")]
    pub orchestration: Orchestration,
    /// The record of the last edit that was recorded.
    pub last_edit: u64,
    /// How many musts were missed.
    pub violations: u64,
    /// The latest pause. It stays after resuming: whoever goes on wants to know.
    #[serde(default)]
    pub pause: Option<Pause>,
    /// How often work was taken up again.
    #[serde(default)]
    pub resumed: u64,
    /// When it ended, while it is over.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// The latest commits' hashes.
    #[serde(default)]
    pub commits: Vec<String>,
    /// Those of them that a stop has still to ask about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_commits: Vec<OpenCommit>,
    /// Where its workflow is, if it follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<Box<Track>>,
    /// Why it was put away, while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<Archive>,
    /// The branch that it goes back to when it is done, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
    /// How far building has come.
    #[serde(default, skip_serializing_if = "Build::is_unused")]
    pub build: Build,
    /// What it works on just now.
    #[serde(default, skip_serializing_if = "Focus::is_empty")]
    pub focus: Focus,
    /// What its conversations used, as far as it was counted.
    #[serde(default, skip_serializing_if = "Usage::is_unused")]
    pub usage: Usage,
    /// Where it comes from, if another program kept it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}

/// Where a session comes from that another program kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The record that tells of it last.
    pub seq: u64,
    /// That program's format.
    pub format: String,
    /// What it is called there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// SHA-256 of what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl SessionState {
    /// The fold of `records`.
    pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut state = Self::default();
        for record in records {
            state.apply(record);
        }
        state
    }

    /// Whether nothing has happened since it was imported.
    pub fn is_as_imported(&self) -> bool {
        self.imported.as_ref().is_some_and(|imported| imported.seq == self.version)
    }

    /// Whether exactly this was imported last.
    pub fn has_imported(&self, sha256: &str) -> bool {
        let source = self.imported.as_ref().and_then(|imported| imported.source.as_deref());
        source == Some(sha256)
    }

    /// Where its work is.
    pub fn place(&self) -> Place {
        Place { phase: self.phase().to_owned(), checkpoint: self.build.current() }
    }

    /// The phase that work is in. Without a workflow of its own a session is all building.
    pub fn phase(&self) -> &str {
        match &self.track {
            Some(track) if track.is_running() => &track.phase,
            Some(_) => "complete",
            None if self.lifecycle.is_over() => "complete",
            None => "build",
        }
    }

    /// The work tree when a conversation began, where a gate compares with it.
    pub fn began_on(&self, conversation: &ConversationId) -> Option<&str> {
        self.conversations.get(conversation)?.began_on.as_deref()
    }

    /// Where the protocol of a conversation is, or the session's workflow where none is named.
    pub fn track(&self, conversation: Option<&ConversationId>) -> Option<&Track> {
        match conversation {
            Some(id) => self.conversations.get(id)?.track.as_deref(),
            None => self.track.as_deref(),
        }
    }

    /// The conversation that joined or left last: whose evidence counts where nobody acts himself.
    pub fn latest_conversation(&self) -> ConversationId {
        let latest = self.conversations.iter().max_by_key(|(_, known)| known.since);
        latest.map_or_else(ConversationId::nobody, |(id, _)| id.clone())
    }

    /// Whether an edit by `conversation`, or one of its subagents, changes anything for the gates: it is the first
    /// in its work tree since stops were settled, or the first after a run that counts as proof.
    pub fn edit_matters(
        &self,
        conversation: &ConversationId,
        subagent: Option<&str>,
        elsewhere: Option<&str>,
    ) -> bool {
        let Some(known) = self.conversations.get(conversation) else { return true };
        let is_at_work = |name: &&str| known.subagents.contains_key(*name);
        let by_subagent = subagent.filter(is_at_work);
        !known.has_edited(elsewhere)
            || by_subagent.is_some_and(|name| !known.has_edited_as(name, elsewhere))
            || self.ledger.ran_after(self.last_edit)
    }

    /// Whether nothing has to be asked any more about a commit that was recorded.
    pub fn is_settled(&self, commit: &str) -> bool {
        let is_known = self.commits.iter().any(|known| known == commit);
        is_known && !self.open_commits.iter().any(|open| open.sha == commit)
    }

    /// From when on it counts as silent, unless something happens.
    pub fn silent_at(&self) -> Option<Timestamp> {
        let at = self.updated_at?.as_millis().saturating_add(ABANDONED_AFTER);
        Some(Timestamp::saturating_from_millis(at))
    }

    /// Where it is in its life at `now`. `attended` says whether a conversation that is attached
    /// to it still runs.
    pub fn lifecycle_at(&self, now: Timestamp, attended: bool) -> Lifecycle {
        let silent = self.silent_at().is_some_and(|silent| now >= silent);
        match self.lifecycle {
            Lifecycle::Active if silent && !attended => Lifecycle::Abandoned,
            lifecycle => lifecycle,
        }
    }
}
