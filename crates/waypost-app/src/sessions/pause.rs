//! Letting a session rest.

use waypost_core::command::Command;
use waypost_core::id::SessionId;

use crate::error::AppError;
use crate::view::View;

/// Pauses a session: no new conversation joins it until somebody resumes it. Returns the session,
/// and what somebody should be told about its stream.
pub fn pause(
    view: &View<'_>,
    session: Option<&str>,
    reason: &str,
    context: Option<&str>,
) -> Result<(SessionId, Vec<String>), AppError> {
    let session = view.session(session)?;
    let command = Command::Pause { reason: reason.to_owned(), context: context.map(str::to_owned) };
    let executed = view.execute(&session.id, &view.actor(), command)?;
    Ok((session.id, executed.warnings))
}
