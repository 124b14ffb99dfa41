//! The sessions of a project, a line each.

use serde::Serialize;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::time::Timestamp;

use crate::copy::{self, Copy, Kept};
use crate::error::AppError;
use crate::workspace::{Session, Workspace};

/// One session among others.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// The session.
    pub session_id: SessionId,
    /// What it is for.
    pub objective: Option<String>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// The branch it began on.
    pub branch: Option<String>,
    /// The linked work tree it began in; none is the main one.
    pub worktree: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// The last record.
    pub version: u64,
    /// How many musts were missed.
    pub violations: u64,
    /// How it is kept here.
    pub kept: Kept,
    /// What there is to say about that.
    pub remark: Option<String>,
}

/// Which sessions are wanted.
#[derive(Debug, Default)]
pub struct Filter {
    /// Those that are here in their life.
    pub lifecycle: Option<Lifecycle>,
    /// Those that began on this branch.
    pub branch: Option<String>,
    /// Those of every work tree, not of this one alone.
    pub all: bool,
}

/// The sessions that can be read and that are wanted, the newest last.
pub fn list(workspace: &Workspace<'_>, filter: &Filter) -> Result<Vec<Listed>, AppError> {
    let here = workspace.project.worktree();
    let live = workspace
        .sessions()?
        .into_iter()
        .filter(|session| filter.all || session.state.worktree == here)
        .map(|session| described(workspace, session, Kept::Live, None));
    let mut sessions: Vec<Listed> = live
        .chain(folders(workspace)?)
        .filter(|session| filter.lifecycle.is_none_or(|wanted| session.lifecycle == wanted))
        .filter(|session| filter.branch.is_none() || session.branch == filter.branch)
        .collect();
    sessions.sort_by(|a, b| (a.started_at, &a.session_id).cmp(&(b.started_at, &b.session_id)));
    Ok(sessions)
}

/// The sessions that are only folders in the work tree.
fn folders(workspace: &Workspace<'_>) -> Result<Vec<Listed>, AppError> {
    let mut folders = Vec::new();
    for id in copy::ids(workspace) {
        if workspace.log.exists(&StreamId::Session(id.clone())) {
            continue;
        }
        if let Some(Copy { id, kept, remark, records, .. }) = copy::of(workspace, &id)? {
            let session = Session { id, state: SessionState::fold(&records) };
            folders.push(described(workspace, session, kept, remark));
        }
    }
    Ok(folders)
}

fn described(
    workspace: &Workspace<'_>,
    Session { id, state }: Session,
    kept: Kept,
    remark: Option<String>,
) -> Listed {
    Listed {
        session_id: id,
        lifecycle: workspace.lifecycle(&state),
        objective: state.objective,
        branch: state.branch,
        worktree: state.worktree,
        started_at: state.started_at,
        updated_at: state.updated_at,
        version: state.version,
        violations: state.violations,
        kept,
        remark,
    }
}
