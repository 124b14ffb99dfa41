//! What a session was before Waypost kept it, in words that are no other program's own: whatever a manifest has no
//! place for. Readers of foreign formats make it once, and the record keeps it beside the original.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Focus;
use crate::id::ConversationId;
use crate::time::Timestamp;
use crate::track::PhaseResult;

/// Where an imported session was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportSource {
    /// The file or folder, as it was named.
    pub path: String,
    /// SHA-256 of what was read, so that the same is not taken twice.
    pub sha256: String,
}

/// What a session was before Waypost kept it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Past {
    /// The workflow that it followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// What the workflow is about: a file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What whoever began it chose.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// The name of the phase that it is in, or was last in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// What is known of its phases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PastPhase>,
    /// Whether every phase is done with.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub complete: bool,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// How often it was resumed.
    #[serde(skip_serializing_if = "is_zero")]
    pub resumed: u64,
    /// When it was last resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_at: Option<Timestamp>,
    /// Why it rests, or rested last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<PastPause>,
    /// What last went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<PastError>,
    /// The commit that it began at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starting_commit: Option<String>,
    /// The mode that it was in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// What it worked on last.
    #[serde(skip_serializing_if = "Focus::is_empty")]
    pub focus: Focus,
    /// What people and agents wrote down, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<PastNote>,
    /// The steps of its checklists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<PastStep>,
    /// What was missed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<PastViolation>,
    /// Gates that were satisfied, by their names there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub satisfied: Vec<PastMark>,
    /// The agents' conversations that belonged to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<PastConversation>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What whoever comes next should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_notes: Option<String>,
}

/// A phase of an imported session's workflow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PastPhase {
    /// Its number there.
    pub number: u64,
    /// Its name: that of the definition that the import carries.
    pub name: String,
    /// What became of it.
    pub result: PhaseResult,
    /// When it was entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// Why it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// How often somebody tried to complete it.
    #[serde(skip_serializing_if = "is_zero")]
    pub attempts: u32,
    /// What was given as evidence.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub evidence: Map<String, Value>,
    /// The files that came of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// The commands that ran in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// Why an imported session rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastPause {
    /// Why.
    pub reason: String,
    /// What whoever goes on should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

/// What went wrong in an imported session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastError {
    /// What.
    pub text: String,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
}

/// Something that somebody wrote down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastNote {
    /// What sort of note, in the words that notes have here: `decision`, `question`, `blocker`, `handoff`, `goal`,
    /// or any other.
    pub kind: String,
    /// What.
    pub text: String,
    /// Who, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
}

/// A step of a checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastStep {
    /// `MUST`, `MUST NOT`, `SHOULD` or `MAY`.
    pub level: String,
    /// What it asks for.
    pub step: String,
    /// Which list it stands in, in the words there: `Session Start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// Whether it was done, or for a `MUST NOT` left alone; none where it says that it does not apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
    /// What is said to show it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

/// A must that was missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastViolation {
    /// What was required.
    pub requirement: String,
    /// How bad that is, in the words there.
    pub severity: String,
    /// The phase, as it is called there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// When, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// How it was put right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
}

/// A gate that was satisfied. Whoever wrote it down, here it is somebody's claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastMark {
    /// The gate's name.
    pub gate: String,
    /// For whom it holds; none where it holds for the whole session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// When it was satisfied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// Until when that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// How, in the words there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A conversation of an imported session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastConversation {
    /// Its name.
    pub conversation: ConversationId,
    /// What ran the agent, where that is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub harness: String,
}

impl Past {
    /// Whether nothing is known beyond what the manifest says.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}
