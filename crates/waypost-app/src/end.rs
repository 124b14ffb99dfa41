//! Ending a session.

use waypost_core::command::Command;
use waypost_core::event::SessionEnded;
use waypost_core::id::SessionId;

use crate::error::AppError;
use crate::publish;
use crate::workspace::Workspace;

/// Ends a session. Returns it, and what somebody should be told about its stream.
pub fn end(
    workspace: &Workspace<'_>,
    session: Option<&str>,
    ended: SessionEnded,
) -> Result<(SessionId, Vec<String>), AppError> {
    let session = workspace.session(session)?;
    let executed = workspace.execute(&session.id, &workspace.actor(), Command::End(ended))?;
    let mut warnings = executed.warnings;
    warnings.extend(publish::after(workspace, &session.id));
    Ok((session.id, warnings))
}
