//! The sessions of a project, a line each.

use serde::Serialize;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::view::copy::{self, Copy, Kept};
use crate::view::{Session, SessionEntry, View};

/// One session among others.
#[derive(Debug, Serialize)]
pub struct ListedSession {
    /// The session.
    pub session_id: SessionId,
    /// What it is for.
    pub objective: Option<String>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// The phase of its workflow that it is in, if it follows one, or `complete`.
    pub phase: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// Its linked work tree; none is the main one.
    pub worktree: Option<String>,
    /// Whether that is this one.
    pub here: bool,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// The last record.
    pub version: u64,
    /// How many musts were missed.
    pub violations: u64,
    /// Whether new conversations in this work tree join it.
    pub current: bool,
    /// The command with which its client goes back to the conversation that was last in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reopen: Option<String>,
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
    /// Those of this branch.
    pub branch: Option<String>,
    /// Those of every work tree, also those that are over, and those that were put away.
    pub all: bool,
}

impl Filter {
    fn wants(&self, session: &ListedSession) -> bool {
        let in_life = match self.lifecycle {
            Some(wanted) => session.lifecycle == wanted,
            // What was put away is out of sight, until somebody asks for it.
            None => self.all || session.lifecycle != Lifecycle::Archived,
        };
        in_life && (self.branch.is_none() || session.branch == self.branch)
    }
}

/// Sessions, and whether there are more than these.
#[derive(Debug)]
pub struct Sessions {
    /// The sessions, the newest last.
    pub sessions: Vec<ListedSession>,
    /// Whether older ones were left out.
    pub more: bool,
}

/// The sessions that can be read and that are wanted, the newest last. Without a filter those of this
/// work tree where something happened last, and what is open in others.
pub fn list(view: &View<'_>, filter: &Filter) -> Result<Sessions, AppError> {
    let index = view.index()?;
    let more = match filter.lifecycle {
        Some(lifecycle) if lifecycle.is_over() => index.more_over,
        // What was imported and not resumed is kept with those that are over.
        Some(_) => {
            let imported = index.over.iter().any(|entry| entry.as_imported);
            index.more_open || (imported && index.more_over)
        }
        None => index.more_open || index.more_over,
    };
    let chosen = filter.all || (more && (filter.lifecycle.is_some() || filter.branch.is_some()));
    let live: Vec<ListedSession> = if chosen {
        let here = view.project.worktree();
        let all = view.sessions()?.into_iter();
        all.filter(|entry| filter.all || entry.worktree == here || !entry.lifecycle.is_over())
            .map(|entry| glimpsed(view, &entry))
            .collect()
    } else {
        let elsewhere = view.open_elsewhere();
        let all = index.open.iter().chain(&index.over).chain(&elsewhere);
        all.map(|entry| glimpsed(view, entry)).collect()
    };
    let live = live.into_iter();
    let mut sessions: Vec<ListedSession> =
        live.chain(folders(view)?).filter(|session| filter.wants(session)).collect();
    sessions.sort_by(|a, b| (a.started_at, &a.session_id).cmp(&(b.started_at, &b.session_id)));
    Ok(Sessions { sessions, more: more && !chosen })
}

fn glimpsed(view: &View<'_>, entry: &SessionEntry) -> ListedSession {
    ListedSession {
        session_id: entry.id.clone(),
        objective: entry.objective(view),
        lifecycle: view.lifecycle_of(entry),
        phase: entry.phase.clone(),
        branch: entry.branch.clone(),
        worktree: entry.worktree.clone(),
        here: entry.worktree == view.project.worktree(),
        started_at: entry.started_at,
        updated_at: entry.updated_at,
        version: entry.version,
        violations: entry.violations,
        current: view.is_current(&entry.id),
        reopen: entry.latest.as_ref().and_then(|(harness, id)| view.reopening(harness, id)),
        kept: match &entry.damage {
            None => Kept::Live,
            Some(_) if entry.newer => Kept::Newer,
            Some(_) => Kept::Damaged,
        },
        remark: entry
            .damage
            .as_ref()
            .map(|damage| format!("{damage}; {}", entry.way_out().words(view.voice()))),
    }
}

/// The sessions that are only folders in the work tree.
fn folders(view: &View<'_>) -> Result<Vec<ListedSession>, AppError> {
    let mut folders = Vec::new();
    for id in copy::ids(view) {
        if view.log.exists(&StreamId::Session(id.clone())) {
            continue;
        }
        if let Some(Copy { id, kept, remark, records, .. }) = copy::of(view, &id)? {
            let session = Session { id, state: SessionState::fold(&records).into() };
            folders.push(described(view, session, kept, remark));
        }
    }
    Ok(folders)
}

fn described(
    view: &View<'_>,
    Session { id, state }: Session,
    kept: Kept,
    remark: Option<String>,
) -> ListedSession {
    ListedSession {
        session_id: id,
        lifecycle: view.lifecycle(&state),
        phase: state.track.is_some().then(|| state.phase().to_owned()),
        objective: state.objective.clone(),
        branch: state.branch.clone(),
        worktree: state.worktree.clone(),
        // Its folder is.
        here: true,
        started_at: state.started_at,
        updated_at: state.updated_at,
        version: state.version,
        violations: state.violations,
        current: false,
        reopen: None,
        kept,
        remark,
    }
}
