//! Writing something down in a session.

use waypost_core::command::{self, Command};
use waypost_core::id::SessionId;

use crate::error::AppError;
use crate::view::View;

/// Refuses what [`add`] would refuse, for those who do something else first.
pub fn check(text: &str) -> Result<(), AppError> {
    Ok(command::check("note", text, command::MAX_NOTE)?)
}

/// Adds a note, verbatim and once. Returns the session it went to.
pub fn add(
    view: &View<'_>,
    session: Option<&str>,
    kind: &str,
    text: &str,
) -> Result<(SessionId, Vec<String>), AppError> {
    let session = view.session_id(session)?;
    let command = Command::Note { kind: kind.to_owned(), text: text.to_owned() };
    let executed = view.execute(&session, &view.actor(), command)?;
    Ok((session, executed.warnings))
}
