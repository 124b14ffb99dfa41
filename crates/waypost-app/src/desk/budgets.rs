//! How near sessions are to what they may use: the gates of projects that ask for that, as they hold for each session.

use serde::Serialize;
use waypost_core::gate::proof::Proof;
use waypost_core::id::SessionId;
use waypost_core::session::SessionState;

use crate::error::AppError;
use crate::index::{self, ListedProject};
use crate::machine::host::Host;
use crate::view::{SessionEntry, View};

/// Four fifths: from here on a budget is near its end.
pub const NEAR: u64 = 80;

/// What an open session may use, and how much of that it used.
#[derive(Debug, Clone, Serialize)]
pub struct Budget {
    /// The project's id.
    pub project_id: String,
    /// What people call the project.
    pub project: String,
    /// The session.
    pub session: SessionId,
    /// What it is for.
    pub objective: Option<String>,
    /// The gate.
    pub gate: String,
    /// What the gate asks for.
    pub expression: String,
    /// How much of it is used, in hundredths: more than a hundred is more than there was.
    pub percent: u64,
    /// What was used, in US dollars; none where no price is known.
    pub usd: Option<f64>,
    /// How many tokens that is.
    pub tokens: u64,
}

/// The budgets of all open sessions, those first that are nearest to their end. What cannot be read is told elsewhere.
pub(super) fn budgets(host: &Host) -> Vec<Budget> {
    let (Ok(there), Ok(ring)) = (index::projects(host), host.keyring()) else { return Vec::new() };
    let mut found = Vec::new();
    for listed in there.projects {
        let view = View::with(host, listed.project.clone(), ring.clone());
        found.extend(of_project(&view, &listed).unwrap_or_default());
    }
    found.sort_by(|one, other| {
        (other.percent, &one.session, &one.gate).cmp(&(one.percent, &other.session, &other.gate))
    });
    found
}

fn of_project(view: &View<'_>, listed: &ListedProject) -> Result<Vec<Budget>, AppError> {
    let open = view.open_sessions(|_| true)?.into_iter().chain(view.open_elsewhere());
    let mut found = Vec::new();
    for entry in open.filter(|entry| entry.damage.is_none()) {
        let state = view.glance(&entry.id)?;
        if !state.usage.is_unused() {
            found.extend(of_session(view, listed, &entry, &state)?);
        }
    }
    Ok(found)
}

fn of_session(
    view: &View<'_>,
    listed: &ListedProject,
    entry: &SessionEntry,
    state: &SessionState,
) -> Result<Vec<Budget>, AppError> {
    let in_force = match &entry.latest {
        Some((_, conversation)) => view.policy_for(state, conversation)?,
        None => view.policy()?,
    };
    let mut found = Vec::new();
    for gate in &in_force.policy.gates {
        gate.proof.each(&mut |proof| {
            let Proof::Check(check) = proof else { return };
            found.extend(check.share(&state.usage).map(|percent| Budget {
                project_id: listed.id.clone(),
                project: listed.name.clone(),
                session: entry.id.clone(),
                objective: state.objective.clone(),
                gate: gate.id.clone(),
                expression: check.expression.clone(),
                percent,
                usd: state.usage.usd(),
                tokens: state.usage.tokens.all(),
            }));
        });
    }
    Ok(found)
}
