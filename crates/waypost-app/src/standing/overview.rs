//! Where a work tree stands in which no session is current, and none is the only one that is active: what could be taken up, what was left, what will
//! be enforced, and how to begin.

use serde::Serialize;
use waypost_core::brief::{OtherSession, Previous};
use waypost_core::gate::{Before, Level};
use waypost_core::id::SessionId;
use waypost_core::next_step::{NextStep, to};
use waypost_core::session::Lifecycle;
use waypost_core::track::builtin;

use crate::error::AppError;
use crate::standing::lapses::Lapses;
use crate::standing::{also, brief};
use crate::view::View;

/// Where a work tree stands in which nobody chose a session.
#[derive(Debug, Serialize)]
pub struct Overview {
    /// No session.
    pub session_id: Option<SessionId>,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The sessions that could be taken up, those where something happened last first.
    pub sessions: Vec<OtherSession>,
    /// How many sessions nobody works in and nobody named.
    pub unnamed: usize,
    /// What the session that ended last left.
    pub previous: Option<Previous>,
    /// What agents will be held to.
    pub gates: Vec<Enforced>,
    /// The protocol that sessions follow.
    pub protocol: Option<String>,
    /// The next step.
    pub next: String,
    /// What somebody should be told about the gates themselves.
    pub remarks: Vec<String>,
    /// When nothing was enforced.
    #[serde(skip_serializing_if = "Lapses::is_empty")]
    pub lapses: Lapses,
}

/// A gate that will be enforced.
#[derive(Debug, Serialize)]
pub struct Enforced {
    /// The gate.
    pub gate: String,
    /// How much it insists.
    pub level: Level,
    /// What it stands before.
    pub before: Vec<Before>,
    /// What it says.
    pub message: String,
}

/// Where the work tree stands.
pub fn of(view: &View<'_>) -> Result<Overview, AppError> {
    let sessions = also::to_take_up(view, None, &view.asker(), view.voice());
    let index = view.index()?;
    let ended = index.over.iter().filter(|entry| entry.is_named() && entry.ended_at.is_some());
    let in_force = view.policy_for_caller()?;
    let own = in_force
        .policy
        .gates
        .iter()
        .filter(|gate| !builtin::is_of_protocol(&in_force.policy, &gate.source));
    let gates = own.map(|gate| Enforced {
        gate: gate.id.clone(),
        level: gate.level,
        before: gate.before.clone(),
        message: gate.message.clone(),
    });
    let resting = sessions.iter().find(|other| {
        other.worktree.is_none()
            && matches!(other.lifecycle, Lifecycle::Paused | Lifecycle::Abandoned)
    });
    let begin = to("begin a session", NextStep::Begin);
    let next = match resting {
        Some(rests) => {
            let resume = NextStep::Resume(rests.session_id.clone());
            NextStep::Any(vec![to("resume it", resume), begin])
        }
        None => begin,
    };
    let unread = view.sources().protocol_error.as_ref().map(|error| error.message.clone());
    Ok(Overview {
        session_id: None,
        branch: view.branch(),
        unnamed: index.open.iter().filter(|entry| entry.is_idle()).count(),
        previous: brief::latest_left(view, ended),
        gates: gates.collect(),
        next: next.words(view.voice()),
        protocol: in_force.policy.protocol.clone(),
        remarks: in_force.waiting.iter().cloned().chain(unread).collect(),
        lapses: Lapses::of(view, None),
        sessions,
    })
}
