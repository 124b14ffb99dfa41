//! Sessions as mirrors show them: texts for people and agents, in the Markdown that tools for memories and notes keep,
//! each with a signed block at its end from which the sessions in it come back.
//!
//! The text above a block is a picture: nothing is ever read from it. What somebody else wrote there is told as theirs.

pub mod block;
pub mod notes;
pub mod serena;
mod words;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::SessionRestored;
use crate::id::SessionId;
use crate::session::SessionState;

/// What a mirror holds of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// The session.
    pub session: SessionId,
    /// The last record that the mirror knows of.
    pub seq: u64,
    /// That one's hash.
    pub head: String,
    /// The session's state after it.
    pub state: SessionState,
    /// What a brief tells of its past, where that is not too long.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub story: Value,
    /// What the top of its manifest says.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub basics: Value,
}

impl Held {
    /// The event with which the session goes on, where the last record that is known to be gone is `up_to`, with the
    /// hash `head`.
    pub fn restored(&self, from: &str, (up_to, head): (u64, &str)) -> SessionRestored {
        SessionRestored {
            from: from.to_owned(),
            mirrored: self.seq,
            up_to,
            head: head.to_owned(),
            state: serde_json::to_value(&self.state).unwrap_or_default(),
            story: self.story.clone(),
            basics: self.basics.clone(),
        }
    }
}
