//! Evidence: what was seen to happen, and how well it is known.

pub mod baseline;

mod verdict;

use crate::text::spoken::count;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{ConversationId, SessionId};
use crate::runner::tally::Tests;
use crate::time::Timestamp;
use baseline::Compared;

pub use verdict::{Confidence, VerdictGiven, VerdictWord};

/// How well something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Waypost itself ran it or looked.
    Verified,
    /// A hook saw it, called by the harness.
    Observed,
    /// A human said so.
    Approved,
    /// It came through a hook whose caller could not be checked.
    Reported,
    /// An agent said so.
    Claimed,
}

impl Provenance {
    /// Whether a must-gate accepts it without being told to.
    pub fn counts(self) -> bool {
        matches!(self, Self::Verified | Self::Observed | Self::Approved)
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Verified => "verified",
            Self::Observed => "observed",
            Self::Approved => "approved",
            Self::Reported => "reported",
            Self::Claimed => "claimed",
        })
    }
}

/// The id of the work tree's content, or why it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tree {
    /// The content's id.
    Id(String),
    /// It could not be found out.
    Unknown(String),
}

impl Tree {
    /// The id, where it is known.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Id(id) => Some(id),
            Self::Unknown(_) => None,
        }
    }
}

/// A command that ran. Its arguments and output are not kept, only what gates need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The command's name, without arguments.
    pub command: String,
    /// SHA-256 of the whole command.
    pub sha256: String,
    /// The patterns of gates that it fits.
    pub patterns: Vec<String>,
    /// Its exit status.
    pub status: i32,
    /// The work tree before it ran.
    pub tree_before: Tree,
    /// The work tree after it ran.
    pub tree_after: Tree,
    /// How well this is known.
    pub provenance: Provenance,
    /// The linked work tree that it ran in; none is the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// How many milliseconds it took, where that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How many tests it executed; none where its output does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// How many the last run executed that proved something on this branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// The names of tests that failed, as far as its output tells; the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// How its failures compare with those that were there when the conversation began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Box<Compared>>,
    /// Tests that failed in an earlier run on the same content, and not in this one; the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
}

/// How many names of failed tests are kept of a run.
pub const MAX_FAILED: usize = 20;

impl Run {
    /// Whether its output says that no test was executed.
    pub fn is_empty(&self) -> bool {
        self.tests.is_some_and(|tests| tests.executed() == 0)
    }

    /// Whether it failed, or its output says so.
    pub fn has_failed(&self) -> bool {
        self.status != 0 || self.tests.is_some_and(|tests| tests.failed > 0)
    }

    /// Whether nothing failed in it but what failed already when the conversation began.
    pub fn fails_as_before(&self) -> bool {
        let compared = self.compared.as_ref().filter(|_| self.has_failed());
        compared.is_some_and(|compared| compared.objection(self).is_none())
    }

    /// What it says of its tests, for people.
    pub fn tests_told(&self) -> String {
        let Some(tests) = self.tests else { return "number of tests unknown".to_owned() };
        let counts = [(tests.failed, "failed"), (tests.skipped, "skipped")];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let told = counts.map(|(count, what)| format!(", {count} {what}"));
        format!("{} passed{}", tests.passed, told.collect::<String>())
    }

    /// Whether a gate that asks for one of them would take the other as well. What counts as proof is told apart
    /// from what does not.
    pub fn is_of_same(&self, other: &Self) -> bool {
        self.patterns == other.patterns && self.provenance.counts() == other.provenance.counts()
    }

    /// The content that it proves to be good: it passed, and left everything as it was.
    pub fn proven_content(&self) -> Option<&str> {
        let passed = !self.has_failed() || self.fails_as_before();
        let content = self.tree_after.id().filter(|_| self.tree_before == self.tree_after)?;
        (passed && !self.is_empty() && self.provenance.counts()).then_some(content)
    }

    /// How many tests it executed, where it shows that they pass.
    pub fn proven(&self) -> Option<u64> {
        let executed = self.tests.map(|tests| tests.executed());
        let passed = !self.has_failed() || self.fails_as_before();
        executed.filter(|count| *count > 0 && passed && self.provenance.counts())
    }

    /// Why it may have executed fewer tests than were executed before.
    pub fn why_fewer(&self) -> Option<String> {
        if let Some((now, before)) = self.fewer() {
            return Some(format!("the last run executed {}, {before} before", count(now, "test")));
        }
        let before = self.before.filter(|_| self.tests.is_none())?;
        Some(format!("the last run does not say how many tests it executed, {before} before"))
    }

    /// How many it executed and how many were executed before, where it is fewer.
    pub fn fewer(&self) -> Option<(u64, u64)> {
        let (now, before) = (self.tests?.executed(), self.before?);
        (now < before).then_some((now, before))
    }
}

/// A few names, and how many more there are.
pub fn listed(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// How many tests were executed when something was last proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCount {
    /// What ran, as gates name it.
    pub what: String,
    /// How many tests it executed.
    pub tests: u64,
}

/// A run together with when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// The record's sequence number.
    pub seq: u64,
    /// The record's time.
    pub time: Timestamp,
    /// The conversation that ran it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// What ran.
    pub run: Run,
}

/// What sort of thing was seen or said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// A file was read.
    Read,
    /// A tool was called.
    Called,
    /// A skill was used.
    Skill,
    /// Fields were filled in for a gate.
    Fields,
}

/// Something that was seen or said, other than a command that ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What sort of thing.
    pub sort: Sort,
    /// Which one: a file of the project, a tool, a skill, a gate.
    pub subject: String,
    /// SHA-256 of the file's content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The fields.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// How well this is known.
    pub provenance: Provenance,
}

/// Evidence together with when it was recorded, and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedEvidence {
    /// The record's sequence number.
    pub seq: u64,
    /// The record's time.
    pub time: Timestamp,
    /// The conversation, if one did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The subagent, if one did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// What it is.
    pub evidence: Evidence,
}

/// What satisfied gates for a conversation of another session, and carries over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CarriedOver {
    /// For which conversation it counts now.
    pub conversation: ConversationId,
    /// Whose it was.
    pub from: ConversationId,
    /// In which session.
    pub session: SessionId,
    /// What was seen or said, and when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<CarriedEvidence>,
    /// What was said of gates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// Evidence that carries over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CarriedEvidence {
    /// When it was recorded.
    pub time: Timestamp,
    /// What it is.
    pub evidence: Evidence,
}

/// Somebody says that a gate is satisfied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The gate.
    pub gate: String,
    /// `approved` where a human said so, else `claimed`.
    pub provenance: Provenance,
    /// For whom it holds, where the gate's scope is a conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// Until when it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The work tree that it holds for, where it holds for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What was said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The SHA-256 of the text by which a page told whoever approved it what would be approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// The signature of a human's own key, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// When it was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_at: Option<Timestamp>,
}

impl Mark {
    /// What its signature signs: what is said, of what, for whom, until when, of which content, when, and what was shown.
    pub fn message(&self, stream: &str) -> Vec<u8> {
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
        let conversation = self.conversation.as_ref().map_or("", ConversationId::as_str);
        let (until, signed_at) = (time(self.until), time(self.signed_at));
        let tree = self.tree.as_deref().unwrap_or_default();
        let mut parts =
            vec!["waypost-approval", stream, &self.gate, conversation, &until, tree, &signed_at];
        parts.extend(self.shown.as_deref());
        parts.join("\n").into_bytes()
    }
}

/// A mark together with when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedMark {
    /// The record's sequence number.
    pub seq: u64,
    /// The record's time.
    pub time: Timestamp,
    /// What was said.
    pub mark: Mark,
}

/// The words that say, alone, that nothing was done.
const NOTHING: &[&str] = &[
    "skip",
    "skipped",
    "n/a",
    "na",
    "none",
    "not applicable",
    "not available",
    "unavailable",
    "unreachable",
    "todo",
    "tbd",
    "pending",
    "later",
    "not run",
    "not done",
];

/// Whether a text is nothing but a word that says that nothing was done.
pub fn is_nothing(text: &str) -> bool {
    NOTHING.contains(&text.trim().to_lowercase().as_str())
}

/// Whether a text that an agent gives as evidence says itself that nothing was done.
pub fn says_nothing(text: &str) -> bool {
    const PARTS: &[&str] = &[
        "skipped",
        "n/a",
        "unreachable",
        "not applicable",
        "todo",
        "tbd",
        "0 tests",
        "0 passed",
        "0 files",
        "no tests",
        "no files",
        "zero tests",
        "zero files",
        "ran 0",
        "running 0 tests",
    ];
    let text = text.trim().to_lowercase();
    let number_before = |start: usize| {
        let word = text[..start].trim_end().rsplit([' ', ',', ';', ':', '(']).next();
        word.and_then(|word| word.parse::<u64>().ok())
    };
    let has_passed = text.match_indices("passed").any(|(at, _)| number_before(at) > Some(0));
    let words = |part: &&&str| {
        text.match_indices(**part).any(|(start, found)| {
            let before = text[..start].chars().next_back();
            let after = text[start + found.len()..].chars().next();
            let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            // Of a run in which something passed, some may be skipped.
            let is_count = **part == "skipped" && has_passed && number_before(start).is_some();
            // `10 tests` is not `0 tests`.
            !is_word(before) && !is_word(after) && !is_count
        })
    };
    text.is_empty() || NOTHING.contains(&text.as_str()) || PARTS.iter().find(words).is_some()
}

#[cfg(test)]
mod tests {
    use super::says_nothing;

    #[test]
    fn a_text_that_says_that_nothing_was_done_is_told() {
        for empty in [
            "",
            "  ",
            "N/A",
            "skipped: no server",
            "Serena unreachable",
            "TODO",
            "running 0 tests",
            "0 files linted",
            "5 skipped",
            "0 passed, 5 skipped",
            "12 passed, then skipped the rest",
        ] {
            assert!(says_nothing(empty), "{empty}");
        }
        for something in [
            "10 tests passed",
            "read HANDOFF.md",
            "100 files linted",
            "nastier",
            "14434 passed, 21 skipped",
            "12 passed (3 skipped)",
        ] {
            assert!(!says_nothing(something), "{something}");
        }
    }
}
