//! Taking a session up again that rests, was given up, or is over.

use waypost_core::command::Command;
use waypost_core::id::SessionId;
use waypost_core::session::{Lifecycle, Pause};

use crate::error::AppError;
use crate::workspace::{Session, Workspace, listed};

/// A session that was taken up again.
#[derive(Debug)]
pub struct Resumed {
    /// The session.
    pub session: SessionId,
    /// Why it rested, if it did.
    pub pause: Option<Pause>,
    /// The session of the calling conversation, if it is another: it stays there.
    pub elsewhere: Option<SessionId>,
    /// What somebody should be told about the stream.
    pub warning: Option<String>,
}

/// Resumes the session that is named, else that of the calling conversation, else the work tree's
/// only one that is paused or abandoned.
pub fn resume(workspace: &Workspace<'_>, named: Option<&str>) -> Result<Resumed, AppError> {
    let session = match named {
        Some(_) => workspace.session(named)?,
        None => resting(workspace)?,
    };
    let now = workspace.host.now();
    let executed = workspace.execute_with(&session.id, &workspace.actor(), |state| {
        Ok(Command::Resume { now, attended: workspace.is_attended(state) })
    })?;
    let own = workspace.calling_conversation().map(|registration| registration.session);
    Ok(Resumed {
        elsewhere: own.filter(|own| *own != session.id),
        pause: session.state.pause.filter(|_| session.state.lifecycle == Lifecycle::Paused),
        session: session.id,
        warning: executed.warning,
    })
}

fn resting(workspace: &Workspace<'_>) -> Result<Session, AppError> {
    if let Some(registration) = workspace.calling_conversation() {
        let state = workspace.load(&registration.session)?;
        if workspace.lifecycle(&state) != Lifecycle::Active {
            return Ok(Session { id: registration.session, state });
        }
    }
    let worktree = workspace.project.worktree();
    let mut resting = workspace.sessions()?;
    resting.retain(|session| {
        let lifecycle = workspace.lifecycle(&session.state);
        session.state.worktree == worktree
            && matches!(lifecycle, Lifecycle::Paused | Lifecycle::Abandoned)
    });
    match resting.len() {
        0 => Err(AppError::refused("no session of this work tree is paused or abandoned")
            .hint("one that is over is resumed by its id: `waypost list` shows them")),
        1 => Ok(resting.remove(0)),
        count => Err(AppError::refused(format!(
            "{count} sessions of this work tree are paused or abandoned: {}",
            listed(resting.iter().map(|session| &session.id))
        ))
        .hint("name one of them by its id, or by enough of its beginning")),
    }
}
