//! Who said something, as records tell it.

use serde::{Deserialize, Serialize};

/// Who said something at a command line, as far as that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Somebody at a terminal of this machine. A program that makes a terminal of its own looks the same.
    Local,
    /// Nobody sat at a terminal: a script, or an agent that hides.
    Unattended,
    /// An agent.
    Agent,
}

impl Speaker {
    /// A few words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Unattended => "without a terminal",
            Self::Agent => "by an agent",
        }
    }
}
