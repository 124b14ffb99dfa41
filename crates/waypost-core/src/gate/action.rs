//! What an agent is about to do.

use serde::{Deserialize, Serialize};

use super::Before;
use crate::id::ConversationId;

/// What an agent is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Everything that it is: a Write is an edit and the tool Write.
    pub kinds: Vec<Before>,
    /// Who does it.
    pub conversation: ConversationId,
    /// The subagent that does it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The files that it changes, relative to the project, as far as they can be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

impl Action {
    /// An action that concerns no file.
    pub fn new(kinds: Vec<Before>, conversation: ConversationId) -> Self {
        Self { kinds, conversation, subagent: None, paths: Vec::new() }
    }

    /// The end of a turn.
    pub fn stop(conversation: ConversationId) -> Self {
        Self::new(vec![Before::Stop], conversation)
    }

    /// Whether it is the end of a turn.
    pub fn is_stop(&self) -> bool {
        self.kinds.contains(&Before::Stop)
    }
}
