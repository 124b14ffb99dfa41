//! What events say of what conversations used.

use serde::{Deserialize, Serialize};

use crate::cost::Tokens;
use crate::id::ConversationId;

/// What a conversation used since it was last counted, by its transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageCounted {
    /// Which conversation.
    pub conversation: ConversationId,
    /// What it used of each model.
    pub used: Vec<UsedModel>,
    /// All that subagents at work since then used so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<UsedByAgent>,
}

/// What was used of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedModel {
    /// The model, as the client calls it.
    pub model: String,
    /// The phase that the session was in when it was counted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// The checkpoint that was worked on then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u64>,
    /// The tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// What they cost by the prices of that time, in thousand-millionths of a US dollar; none where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nano_usd: Option<u64>,
}

/// What a subagent used so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedByAgent {
    /// The harness' name for it.
    pub subagent: String,
    /// Tokens that went in, those from a cache included, and came out.
    pub tokens: u64,
}
