//! The agents that are attached to a session now: what each does, since when, and what holds it.

use serde::Serialize;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::time::Timestamp;

use super::{WatchState, rows};
use crate::error::AppError;
use crate::view::View;

/// An agent that is attached to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentNow {
    /// The harness.
    pub harness: String,
    /// The conversation.
    pub conversation: ConversationId,
    /// What there is to see first of it.
    pub state: WatchState,
    /// That in words.
    pub text: String,
    /// When it joined the session.
    pub since: Option<Timestamp>,
    /// The record with which its turn began, while it is in one.
    pub turn: Option<u64>,
    /// Its subagents that are at work.
    pub subagents: Vec<SubagentNow>,
    /// The gates that held its last action.
    pub held: Vec<String>,
    /// Whether files changed in a turn of which no hook saw any tool call.
    pub unenforced: bool,
    /// The client's own command that goes back to it.
    pub reopen: Option<String>,
}

/// A subagent that is at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubagentNow {
    /// The harness' name for it.
    pub name: String,
    /// What sort of agent it is.
    pub agent_type: Option<String>,
    /// The record with which it began.
    pub since: u64,
}

/// The agents of a session whose processes run, as far as that is known.
pub fn agents(view: &View<'_>, session: &SessionId) -> Result<Vec<AgentNow>, AppError> {
    let state = view.glance(session)?;
    let attached = state.conversations.iter().filter(|(_, known)| known.attached);
    let found = attached.filter_map(|(id, known)| {
        let mut sights = rows::at_work(view, session, &state, id, known);
        sights.sort_by_key(|sight| sight.state);
        let first = sights.into_iter().next()?;
        let subagent = |(name, one): (&String, &waypost_core::session::Subagent)| SubagentNow {
            name: name.clone(),
            agent_type: Some(one.agent_type.clone()).filter(|kind| !kind.is_empty()),
            since: one.since,
        };
        Some(AgentNow {
            harness: known.harness.clone(),
            conversation: id.clone(),
            state: first.state,
            text: first.text,
            since: known.attached_at,
            turn: known.turn_open.then_some(known.turn_at),
            subagents: known.subagents.iter().map(subagent).collect(),
            held: known.held.iter().map(|held| held.gate.clone()).collect(),
            unenforced: known.unenforced,
            reopen: view.reopening(&known.harness, id),
        })
    });
    Ok(found.collect())
}
