//! Evidence: what was seen to happen, and how well it is known.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::ConversationId;
use crate::time::Timestamp;

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
    /// Whether its own output says that it tested nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
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
    /// What was said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The signature of a human's own key, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// When it was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_at: Option<Timestamp>,
}

impl Mark {
    /// What its signature signs: what is said, of what, for whom, until when, and when.
    pub fn message(&self, stream: &str) -> Vec<u8> {
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
        let conversation = self.conversation.as_ref().map_or("", ConversationId::as_str);
        let (until, signed_at) = (time(self.until), time(self.signed_at));
        let parts = ["waypost-approval", stream, &self.gate, conversation, &until, &signed_at];
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

/// How much of a command's output is looked at, in bytes.
const MAX_SUMMARY: usize = 64 * 1024;

/// Whether the output of a test command says that nothing was tested: it speaks of no test, and
/// nowhere of one.
pub fn tested_nothing(output: &str) -> bool {
    const NOTHING: &[&str] =
        &["no tests ran", "no tests found", "no tests were run", "collected 0 items", "0 total"];
    const COUNTED: &[&str] = &["test", "tests", "passed", "passing", "examples", "specs"];
    // Whoever runs tests sums up at the end.
    let start = output.len().saturating_sub(MAX_SUMMARY);
    let start = (start..output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(0);
    let output = output[start..].to_lowercase();
    let mut words = output.split(|c: char| c.is_whitespace() || ",:;()[]".contains(c)).peekable();
    let (mut none, mut some) = (NOTHING.iter().any(|sign| output.contains(sign)), false);
    while let Some(word) = words.next() {
        let Ok(count) = word.parse::<u64>() else { continue };
        if words.peek().is_some_and(|next| COUNTED.contains(next)) {
            none |= count == 0;
            some |= count > 0;
        }
    }
    none && !some
}

/// Whether a text that an agent gives as evidence says itself that nothing was done.
pub fn says_nothing(text: &str) -> bool {
    const EMPTY: &[&str] = &[
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
    let words = |part: &&&str| {
        text.match_indices(**part).any(|(start, found)| {
            let before = text[..start].chars().next_back();
            let after = text[start + found.len()..].chars().next();
            let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            // `10 tests` is not `0 tests`.
            !is_word(before) && !is_word(after)
        })
    };
    text.is_empty() || EMPTY.contains(&text.as_str()) || PARTS.iter().find(words).is_some()
}

#[cfg(test)]
mod tests {
    use super::{says_nothing, tested_nothing};

    #[test]
    fn output_that_speaks_of_no_test_at_all_tells_that_nothing_was_tested() {
        for nothing in [
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 12 filtered out",
            "collected 0 items\n\n==== no tests ran in 0.01s ====",
            "Ran 0 tests in 0.000s\n\nOK",
            "No tests found, exiting with code 0",
            "  0 passing (1ms)",
        ] {
            assert!(tested_nothing(nothing), "{nothing}");
        }
        for something in [
            "running 3 tests\n...\ntest result: ok. 3 passed; 0 failed\n\nrunning 0 tests",
            "Ran 12 tests in 0.1s\n\nOK",
            "1 test, 0 failures",
            "3 checks passed",
            "ok  \tpkg\t0.1s",
            "",
        ] {
            assert!(!tested_nothing(something), "{something}");
        }
    }

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
        ] {
            assert!(says_nothing(empty), "{empty}");
        }
        for something in ["10 tests passed", "read HANDOFF.md", "100 files linted", "nastier"] {
            assert!(!says_nothing(something), "{something}");
        }
    }
}
