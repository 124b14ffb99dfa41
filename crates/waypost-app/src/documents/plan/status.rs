//! The words that plans use for how far something has come.

use serde::{Serialize, Serializer};

/// How far something of a plan has come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PlanStatus {
    /// Nothing was done.
    #[default]
    Pending,
    /// It is under way.
    InProgress,
    /// It is done.
    Completed,
    /// It cannot go on.
    Blocked,
    /// It will not be done.
    Skipped,
    /// A word that is not known.
    Other(String),
}

impl PlanStatus {
    /// What a word means, in whatever spelling.
    pub fn named(word: &str) -> Self {
        let plain: String = word
            .trim()
            .chars()
            .map(|c| if matches!(c, '-' | ' ') { '_' } else { c.to_ascii_lowercase() })
            .collect();
        match plain.as_str() {
            "" | "pending" | "todo" | "to_do" | "not_started" | "open" | "planned" | "draft" => {
                Self::Pending
            }
            "in_progress" | "inprogress" | "active" | "started" | "under_way" | "wip"
            | "current" => Self::InProgress,
            "complete" | "completed" | "done" | "finished" | "passed" => Self::Completed,
            "blocked" | "failed" | "on_hold" | "waiting" | "paused" => Self::Blocked,
            "skipped" | "cancelled" | "canceled" | "deferred" | "dropped" => Self::Skipped,
            _ => Self::Other(word.to_owned()),
        }
    }

    /// Its own word.
    pub fn name(&self) -> &str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Skipped => "skipped",
            Self::Other(word) => word,
        }
    }

    /// Whether it is done.
    pub fn is_completed(&self) -> bool {
        *self == Self::Completed
    }
}

impl Serialize for PlanStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
