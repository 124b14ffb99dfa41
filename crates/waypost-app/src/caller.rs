//! On whose behalf a process acts.
//!
//! A command acts for whoever started it. A server acts for agents, also where a human started it in
//! a terminal of their own: what it is told is never taken for a human's word.

use waypost_core::id::ConversationId;
use waypost_core::text;

use crate::workspace::Workspace;

/// On whose behalf this process acts, and what of its surroundings tells of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Whoever started the process: its environment and the processes above it tell who that is.
    Starter,
    /// The agent whose client started the process and speaks through it: never a human.
    Agent,
    /// An agent that came over the network. What started the process says nothing of it.
    Remote,
}

impl Workspace<'_> {
    /// The harness and conversation of the agent that is calling. Clients without a harness share
    /// one conversation in each work tree.
    pub fn calling_agent(&self) -> Option<(String, ConversationId)> {
        if let Some(registration) = self.calling_conversation() {
            return Some((registration.harness, registration.conversation));
        }
        if self.host.caller == Caller::Starter {
            return None;
        }
        let shared = match self.project.worktree() {
            Some(worktree) => format!("mcp-{}", text::slug(&worktree)),
            None => "mcp".to_owned(),
        };
        Some(("mcp".to_owned(), shared.parse().ok()?))
    }
}
