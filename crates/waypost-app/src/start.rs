//! Naming a session: beginning one, or adopting the one that a hook opened.

use waypost_core::command::Command;
use waypost_core::id::SessionId;

use crate::error::AppError;
use crate::publish;
use crate::workspace::Workspace;

/// What naming a session came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The session.
    pub session: SessionId,
    /// Whether it was there already, without a name.
    pub adopted: bool,
    /// Other active sessions of this work tree.
    pub others: Vec<SessionId>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Begins a session about `objective`, or names the unnamed one that is open. One that is over is
/// left alone.
pub fn start(workspace: &Workspace<'_>, objective: &str) -> Result<Started, AppError> {
    let actor = workspace.actor();
    let branch = workspace.project.branch();
    let active = workspace.active_sessions()?;
    let own = match workspace.calling_conversation() {
        // A conversation has one session, named once, until that is over.
        Some(registration) => {
            let over = workspace.load(&registration.session)?.lifecycle.is_over();
            (!over).then_some(registration.session)
        }
        None => match active.as_slice() {
            [only] if only.state.objective.is_none() && only.state.branch == branch => {
                Some(only.id.clone())
            }
            _ => None,
        },
    };
    let (session, adopted) = match own {
        Some(session) => {
            let name = Command::Name {
                objective: objective.to_owned(),
                conversation: actor.conversation().cloned(),
            };
            workspace.execute(&session, &actor, name)?;
            (session, true)
        }
        None => (workspace.start(&actor, Some(objective))?, false),
    };
    let others = active.into_iter().map(|other| other.id).filter(|id| *id != session).collect();
    let warnings = publish::after(workspace, &session);
    Ok(Started { session, adopted, others, warnings })
}
