//! What events say beside their type, where that is more than a field or two.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::evidence::baseline::Failing;
use crate::evidence::{Evidence, Mark, Provenance, Run, TestCount};
use crate::id::ConversationId;
use crate::time::Timestamp;
use crate::track::Definition;

use super::past::{ImportSource, Past};

/// How a session began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStarted {
    /// What it is for, where it was named from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// The workflow it follows.
    pub workflow: String,
    /// The branch it began on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit it began at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The linked work tree's name; none is the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEnded {
    /// Whether it reached what it was for.
    pub outcome: SessionOutcome,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What the next session should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_notes: Option<String>,
}

/// Whether a session reached what it was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionOutcome {
    /// It did.
    Completed,
    /// It did not.
    Failed,
}

/// Gates that a human lets rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PausedGates {
    /// Which; none named: all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<String>,
    /// Until when; else until somebody says otherwise, or the last conversation of the session is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// A commit that belongs to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitAdded {
    /// The commit's full hash.
    pub sha: String,
    /// What it is about.
    pub message: String,
    /// The build checkpoint that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u64>,
    /// Its files with content that a gate before commits was not seen to be met for; the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unproven: Vec<String>,
    /// Whether it was found, and no gate was asked before it was made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unruled: bool,
}

impl CommitAdded {
    /// A commit that nothing else is said of.
    pub fn new(sha: impl Into<String>, message: impl Into<String>) -> Self {
        let (sha, message) = (sha.into(), message.into());
        Self { sha, message, checkpoint: None, unproven: Vec::new(), unruled: false }
    }
}

/// A conversation that joins a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationAttached {
    /// The harness' own session id.
    pub conversation: ConversationId,
    /// The harness.
    pub harness: String,
    /// `startup`, `resume`, `clear`, `compact`, `fork`, or `late` where no start was seen,
    /// `moved` where its session before had ended.
    pub source: String,
    /// Whether the hook's caller was checked to be the harness.
    pub checked: bool,
    /// The trace that its client was working in, as the client's environment names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

impl ConversationAttached {
    /// The source of a conversation that began the session itself.
    pub const BEGAN_IT: &str = "session_start";

    /// Whether it goes on where it was, after its process ended.
    pub fn goes_on(&self) -> bool {
        matches!(self.source.as_str(), "startup" | "resume" | "compact" | "late")
    }
}

/// The gates as they were compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyCompiled {
    /// The policy's hash.
    pub policy: String,
    /// How the gates changed against the policy before.
    pub changes: Vec<String>,
    /// Whether a human was there to be told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub present: bool,
}

/// The policy that held cannot be read any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyLost {
    /// The hash of the one that held.
    pub expected: String,
    /// The hash of the one that was made in its place.
    pub made: String,
}

impl PolicyLost {
    /// For people.
    pub fn told(&self) -> &'static str {
        if self.expected == self.made {
            "the gates could not be read any more and were made again, the same as they were"
        } else {
            "the gates could not be read any more; others were made in their place from what was there"
        }
    }
}

/// Something that counts beyond its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shared {
    /// The branch that it counts on; empty: everywhere, for good.
    pub branch: String,
    /// What it is.
    pub what: SharedFact,
}

/// What counts beyond its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharedFact {
    /// A command ran.
    Run(Run),
    /// Something else was seen or said.
    Evidence(Evidence),
    /// Somebody says that a gate is satisfied.
    Mark(Mark),
    /// What satisfied a gate counts no more.
    Cleared(String),
    /// So many tests were executed by a run that proves something.
    Proven(TestCount),
    /// These tests fail on some content.
    Failing(Failing),
}

/// A missed must.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// Which conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The gate that was not met.
    pub gate: String,
    /// What it required.
    pub requirement: String,
    /// `must`, `should` or `may`.
    pub severity: String,
    /// Why it came to this.
    pub reason: String,
    /// The phase of the protocol in which it was missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Whether it was passed all the same, because somebody insisted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

/// A try to complete a phase of the workflow, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseChecked {
    /// Which phase.
    pub phase: String,
    /// Whether everything that must hold did.
    pub passed: bool,
    /// What whoever tried gave as evidence.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub evidence: Map<String, Value>,
    /// How well that is known.
    pub provenance: Provenance,
    /// What must hold and does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// What should hold and does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What would put it right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<String>,
}

/// A session that another program kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionImported {
    /// Which program's format.
    pub format: String,
    /// The linked work tree it goes on in; none is the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Its state as a manifest: as that program wrote it, keys that Waypost does not know included, or what a manifest
    /// would say of it.
    pub manifest: Value,
    /// Where it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ImportSource>,
    /// What is known of it beyond the manifest.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub past: Box<Past>,
    /// The workflow that it followed, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Box<Definition>>,
    /// Its files as they were, by their names, where the manifest is not the original: JSON as it is, else the text.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub original: Map<String, Value>,
    /// The files that were copied beside it, with the SHA-256 of what was written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// What had to be put right, or is told otherwise here than there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

#[expect(clippy::borrowed_box, reason = "serde calls it with a reference to the field")]
fn is_empty(past: &Box<Past>) -> bool {
    past.is_empty()
}

impl SessionImported {
    /// What a manifest alone tells.
    pub fn of_manifest(format: impl Into<String>, manifest: Value) -> Self {
        Self {
            format: format.into(),
            worktree: None,
            manifest,
            from: None,
            past: Box::default(),
            definition: None,
            original: Map::new(),
            files: BTreeMap::new(),
            remarks: Vec::new(),
        }
    }
}

/// What a mirror held of a session whose records are gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRestored {
    /// The mirror.
    pub from: String,
    /// The last record that the mirror knew of.
    pub mirrored: u64,
    /// The last record that is gone; this record's number follows it.
    pub up_to: u64,
    /// That one's hash.
    pub head: String,
    /// The session's state after `mirrored`.
    pub state: Value,
    /// What a brief tells of its past.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub story: Value,
    /// What the top of its manifest says.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub basics: Value,
}

/// What was cut off a stream's end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TailCut {
    /// How many bytes did not make a record.
    pub bytes: u64,
    /// Where they are kept, if any were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// The last record known to have been acknowledged, if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// Whether the head was missing, so that what was acknowledged cannot be told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub head_missing: bool,
    /// Whether a part of the head was destroyed that may have told of one more record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// How many records were taken from elsewhere, because they were missing or damaged here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restored: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
