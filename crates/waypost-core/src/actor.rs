//! Who caused an event.

use serde::{Deserialize, Serialize};

use crate::id::ConversationId;

/// Who caused an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Actor {
    /// An agent, through its harness.
    Agent {
        /// The harness, by the name that `waypost hook` is called with.
        harness: String,
        /// The harness' own session id.
        conversation: ConversationId,
        /// The subagent's id, where one acted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subagent: Option<String>,
    },
    /// Somebody at a command line that belongs to no known agent.
    Human,
    /// Waypost itself, mending or migrating.
    Waypost,
}

impl Actor {
    /// The conversation that acted, if one did.
    pub fn conversation(&self) -> Option<&ConversationId> {
        match self {
            Self::Agent { conversation, .. } => Some(conversation),
            Self::Human | Self::Waypost => None,
        }
    }

    /// The subagent that acted, if one did.
    pub fn subagent(&self) -> Option<&str> {
        match self {
            Self::Agent { subagent, .. } => subagent.as_deref(),
            Self::Human | Self::Waypost => None,
        }
    }

    /// A few words for people.
    pub fn label(&self) -> String {
        match self {
            Self::Agent { harness, conversation, subagent } => {
                let id: String = conversation.as_str().chars().take(8).collect();
                match subagent {
                    Some(subagent) => format!("{harness} {id}/{subagent}"),
                    None => format!("{harness} {id}"),
                }
            }
            Self::Human => "human".to_owned(),
            Self::Waypost => "waypost".to_owned(),
        }
    }
}
