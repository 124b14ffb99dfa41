//! Letting gates rest for a while: only a human can, and it is recorded and told until it is over.

use waypost_core::command::{Command, GatesCommand};
use waypost_core::event::PausedGates;
use waypost_core::id::SessionId;
use waypost_core::time::Timestamp;

use crate::enforce::gates;
use crate::error::AppError;
use crate::view::human;
use crate::view::{Session, View};

/// What became of gates that somebody let rest, or stand there again.
#[derive(Debug)]
pub struct Pausing {
    /// The session.
    pub session: SessionId,
    /// The gates that rest now, and until when; the empty name is all of them.
    pub resting: Vec<(String, Option<Timestamp>)>,
}

/// Lets gates rest, or all of them where none is named, for so many milliseconds, or until the last conversation of the
/// session is over.
pub fn pause(
    view: &View<'_>,
    session: Option<&str>,
    names: &[String],
    ttl: Option<i64>,
) -> Result<Pausing, AppError> {
    human::at_terminal(view.host, &view.registry(), "pausing gates")?;
    known(view, session, names)?;
    let now = view.host.now().as_millis();
    let until = ttl.map(|ttl| Timestamp::saturating_from_millis(now.saturating_add(ttl)));
    let Session { id, .. } = view.session(session)?;
    let paused = PausedGates { gates: names.to_vec(), until };
    view.execute(&id, &view.actor(), Command::Gates(GatesCommand::Pause(paused)))?;
    resting(view, id)
}

/// Lets gates that rest, or all of them where none is named, stand there again.
pub fn unpause(
    view: &View<'_>,
    session: Option<&str>,
    names: &[String],
) -> Result<Pausing, AppError> {
    let Session { id, state } = view.session(session)?;
    if state.paused_gates.contains_key("") && !names.is_empty() {
        return Err(AppError::refused("all gates are paused, not some of them")
            .hint("name no gate, and all stand there again"));
    }
    if let Some(name) = names.iter().find(|name| !state.paused_gates.contains_key(*name)) {
        return Err(AppError::refused(format!("gate `{name}` is not paused")));
    }
    if state.paused_gates.is_empty() {
        return Err(AppError::refused("no gate is paused"));
    }
    view.execute(&id, &view.actor(), Command::Gates(GatesCommand::Unpause(names.to_vec())))?;
    resting(view, id)
}

fn known(view: &View<'_>, session: Option<&str>, names: &[String]) -> Result<(), AppError> {
    let policy = gates::known_to(view, session)?;
    names.iter().try_for_each(|name| gates::find(&policy, name).map(drop))
}

fn resting(view: &View<'_>, session: SessionId) -> Result<Pausing, AppError> {
    let state = view.load(&session)?;
    let resting = state.paused_gates.iter().map(|(name, until)| (name.clone(), *until)).collect();
    Ok(Pausing { session, resting })
}
