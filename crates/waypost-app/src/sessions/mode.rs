//! The mode of a session: what its agents may do while they look, plan or work.

use waypost_core::command::{Command, ProjectCommand};
use waypost_core::gate::modes;
use waypost_core::id::SessionId;

use crate::error::AppError;
use crate::view::human;
use crate::view::{Session, View};

/// The mode that a session is in.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<(SessionId, String), AppError> {
    let Session { id, state } = view.session(session)?;
    let mode = match &state.mode {
        Some(mode) => mode.clone(),
        None => view.policy_for_caller()?.policy.mode.clone(),
    };
    Ok((id, mode))
}

/// Changes it. Only a human can switch the gates off; agents may do all else, or only tighten it where the
/// policy says so.
pub fn set(view: &View<'_>, session: Option<&str>, mode: &str) -> Result<SessionId, AppError> {
    let (id, before) = of(view, session)?;
    permitted(view, &before, mode)?;
    view.execute(&id, &view.actor(), Command::SetMode { mode: mode.to_owned() })?;
    changed(view, &id, &before, mode)?;
    Ok(id)
}

/// Refuses whoever may not change it so.
pub fn permitted(view: &View<'_>, before: &str, mode: &str) -> Result<(), AppError> {
    if mode == modes::DISABLED {
        human::at_terminal(view.host, &view.registry(), "mode disabled")?;
    }
    let looser = modes::looseness(mode) > modes::looseness(before);
    if looser && view.policy_for_caller()?.policy.modes_by_humans {
        let what = format!("changing the mode from {before} to {mode}");
        human::at_terminal(view.host, &view.registry(), &what)?;
    }
    Ok(())
}

/// Tells the project of gates that were switched off or on: that concerns everybody, however long the session lasts.
pub fn changed(view: &View<'_>, id: &SessionId, before: &str, mode: &str) -> Result<(), AppError> {
    if [mode, before].contains(&modes::DISABLED) {
        let (session, off) = (id.clone(), mode == modes::DISABLED);
        let said = human::speaker(view);
        let switched = ProjectCommand::SwitchGates { session, off, said };
        view.execute_for_project(&view.actor(), switched)?;
    }
    Ok(())
}
