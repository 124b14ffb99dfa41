//! Handoffs that wait to be accepted, as far as gates and decisions need them; the records have their texts.

use serde::{Deserialize, Serialize};

use crate::id::ConversationId;

/// A handoff that nobody accepted yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingHandoff {
    /// Its record.
    pub seq: u64,
    /// Who hands over.
    pub from_agent: String,
    /// Who goes on.
    pub to_agent: String,
    /// The conversation that made it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ConversationId>,
    /// What has to be looked at first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<String>,
}

impl PendingHandoff {
    /// What it is called.
    pub fn id(&self) -> String {
        handoff_id(self.seq)
    }
}

/// What a handoff is called, by its record.
pub fn handoff_id(seq: u64) -> String {
    format!("handoff-{seq}")
}
