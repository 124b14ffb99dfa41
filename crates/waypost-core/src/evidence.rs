//! Evidence: what was seen to happen, and how well it is known.

use std::fmt;

use serde::{Deserialize, Serialize};

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
}

/// A run together with when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// The record's sequence number.
    pub seq: u64,
    /// The record's time.
    pub time: Timestamp,
    /// What ran.
    pub run: Run,
}
