//! What a session works on just now.

use waypost_core::command::{Command, FocusChange};
use waypost_core::event::Focus;
use waypost_core::id::SessionId;

use crate::error::AppError;
use crate::view::View;

/// Changes what is given of the focus, and takes out what is empty. Another feature takes the task
/// out too. Returns the focus, and what somebody should be told about the stream.
pub fn set(
    view: &View<'_>,
    session: Option<&str>,
    change: FocusChange,
) -> Result<(SessionId, Focus, Vec<String>), AppError> {
    let session = view.session(session)?.id;
    let executed = view.execute(&session, &view.actor(), Command::SetFocus(change))?;
    let focus = view.load(&session)?.focus.clone();
    Ok((session, focus, executed.warnings))
}
