//! The mode of a session: what its agents may do while they look, plan or work.

use waypost_core::command::Command;
use waypost_core::gate::modes;
use waypost_core::id::SessionId;

use crate::error::AppError;
use crate::view::human::{self, Human};
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

/// Changes it. Only a human can switch the gates off.
pub fn set(view: &View<'_>, session: Option<&str>, mode: &str) -> Result<SessionId, AppError> {
    if mode == modes::DISABLED {
        match human::standing(view.host, &view.registry()) {
            Human::Human => {}
            Human::Agent(why) => {
                return Err(AppError::refused(format!("mode disabled is for people, and {why}"))
                    .hint("ask the user to set it in a terminal of their own"));
            }
            Human::NoTerminal => {
                return Err(AppError::refused("mode disabled needs a terminal")
                    .hint("run it by hand in a terminal"));
            }
        }
    }
    let Session { id, .. } = view.session(session)?;
    view.execute(&id, &view.actor(), Command::SetMode { mode: mode.to_owned() })?;
    Ok(id)
}
