//! One active session at a time, where the project wants that: whoever begins or resumes one pauses the others. The
//! new one first: whoever is killed in between leaves one too many, which the next one pauses.

use waypost_core::actor::Actor;
use waypost_core::command::Command;
use waypost_core::id::SessionId;
use waypost_core::session::Lifecycle;
use waypost_store::Work;
use waypost_store::upkeep::Lock;

use crate::error::{AppError, Kind};
use crate::view::{SessionEntry, View};

/// The sessions that were paused.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// Which.
    pub(super) paused: Vec<SessionId>,
    /// What somebody should be told.
    pub(super) warnings: Vec<String>,
}

/// Keeps everybody else from beginning or resuming a session until it is dropped: of two at once, one would pause
/// the other and be paused by it. None where several may be active.
pub(super) fn turn<'a>(view: &'a View<'_>) -> Result<Option<Box<dyn Lock + 'a>>, AppError> {
    if !view.configuration().single_active {
        return Ok(None);
    }
    let lock = view.log.lock(Work::SingleActive)?;
    // What was seen before is not what whoever went first has left.
    view.look_anew();
    Ok(Some(lock))
}

/// Pauses every other active session of the project, in whatever work tree. Those without name and workflow were only
/// opened for a conversation, and are left to it.
pub(super) fn pause_others(view: &View<'_>, session: &SessionId) -> Result<Others, AppError> {
    let mut others = Others::default();
    if !view.configuration().single_active {
        return Ok(others);
    }
    // The caller decided on this session's version, not on those of others.
    view.expect_nothing();
    let reason = format!("session {session} is active now, and only one at a time is to be");
    for other in in_the_way(view, session)? {
        let command = Command::Pause { reason: reason.clone(), context: None };
        match view.execute(&other, &Actor::Waypost, command) {
            Ok(executed) => {
                others.warnings.push(format!(
                    "session {other} is paused: only one session of this project is active at a time"
                ));
                others.warnings.extend(executed.warnings);
                others.paused.push(other);
            }
            // It rests already, or is over.
            Err(error) if error.kind == Kind::Refused => {}
            // The session was begun all the same.
            Err(error) => others.warnings.push(format!("session {other} is not paused: {error}")),
        }
    }
    Ok(others)
}

/// The other sessions that somebody works in.
fn in_the_way(view: &View<'_>, session: &SessionId) -> Result<Vec<SessionId>, AppError> {
    let index = view.index()?;
    let entries = if index.more_open {
        view.sessions()?
    } else {
        index.open.iter().cloned().chain(view.open_elsewhere()).collect()
    };
    let is_in_the_way = |entry: &SessionEntry| {
        entry.id != *session
            && (entry.is_named() || entry.phase.is_some())
            && entry.is_open()
            && entry.damage.is_none()
            && view.lifecycle_of(entry) == Lifecycle::Active
    };
    Ok(entries.into_iter().filter(is_in_the_way).map(|entry| entry.id).collect())
}
