//! Gates: conditions that must hold before an action. A new rule is a gate.

pub mod engine;
pub mod policy;
pub mod ran;
pub mod ruling;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How much a gate insists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Denies while it is not met.
    Must,
    /// Warns while it is not met.
    Should,
    /// Notes that it is not met.
    May,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
        })
    }
}

/// What a gate can stand before.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Before {
    /// A file is changed by a tool made for that.
    Edit,
    /// `git commit`.
    Commit,
    /// `git push`.
    Push,
    /// The agent ends its turn.
    Stop,
    /// A tool is called, whatever it does.
    Tool(String),
}

/// A text does not name an action.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an action; actions are edit, commit, push, stop and tool:NAME")]
pub struct BeforeError(String);

impl fmt::Display for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edit => f.write_str("edit"),
            Self::Commit => f.write_str("commit"),
            Self::Push => f.write_str("push"),
            Self::Stop => f.write_str("stop"),
            Self::Tool(name) => write!(f, "tool:{name}"),
        }
    }
}

impl FromStr for Before {
    type Err = BeforeError;

    fn from_str(text: &str) -> Result<Self, BeforeError> {
        match text {
            "edit" => Ok(Self::Edit),
            "commit" => Ok(Self::Commit),
            "push" => Ok(Self::Push),
            "stop" => Ok(Self::Stop),
            _ => match text.strip_prefix("tool:") {
                Some(name) if !name.is_empty() => Ok(Self::Tool(name.to_owned())),
                _ => Err(BeforeError(text.to_owned())),
            },
        }
    }
}

impl TryFrom<String> for Before {
    type Error = BeforeError;
    fn try_from(text: String) -> Result<Self, BeforeError> {
        text.parse()
    }
}

impl From<Before> for String {
    fn from(before: Before) -> Self {
        before.to_string()
    }
}

/// What satisfies a gate. A new kind of proof is a variant here and a file beside this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// A command ran and succeeded.
    Ran(ran::Ran),
}

/// Where a gate was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file, relative to the project.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A condition that must hold before an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Its name.
    pub id: String,
    /// How much it insists.
    pub level: Level,
    /// What it stands before.
    pub before: Vec<Before>,
    /// What satisfies it.
    pub proof: Proof,
    /// What the agent is told while it is not met.
    pub message: String,
    /// Where it comes from.
    pub source: Source,
}

/// How far a finding is from what the gate wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It holds.
    Met,
    /// Nothing that would prove it has happened.
    Missing,
    /// It was tried and did not succeed.
    Failed,
    /// It held for something older.
    Stale,
    /// It could not be found out.
    Unknown,
}

/// What a proof was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How far it is from what the gate wants.
    pub status: Status,
    /// Why, in words.
    pub why: String,
    /// The exact step that would satisfy it.
    pub next: String,
}
