//! Setting a session's status by the word that stands in `state.json`.

use waypost_core::event::{SessionEnded, SessionOutcome};
use waypost_core::id::SessionId;
use waypost_core::session::Lifecycle;
use waypost_core::text::{one_line, shortened};

use crate::error::AppError;
use crate::sessions::end;
use crate::sessions::pause;
use crate::sessions::resume;
use crate::view::View;

/// The words that a status can be set to.
pub const STATUSES: [&str; 4] = ["active", "paused", "complete", "failed"];

/// Why a session rests that was paused by its status.
const REASON: &str = "its status was set to paused";

/// A session whose status was set.
#[derive(Debug)]
pub struct StatusSet {
    /// The session.
    pub session: SessionId,
    /// Where it is in its life now.
    pub lifecycle: Lifecycle,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Resumes, pauses or ends a session: what stands before that elsewhere stands before it here.
pub fn set(view: &View<'_>, session: Option<&str>, status: &str) -> Result<StatusSet, AppError> {
    let ((session, warnings), lifecycle) = match status {
        "active" => (resumed(view, session)?, Lifecycle::Active),
        "paused" => (pause::pause(view, session, REASON, None)?, Lifecycle::Paused),
        "complete" => (ended(view, session, SessionOutcome::Completed)?, Lifecycle::Completed),
        "failed" => (ended(view, session, SessionOutcome::Failed)?, Lifecycle::Failed),
        other => {
            let other = shortened(&one_line(other), 40);
            return Err(AppError::refused(format!("`{other}` is not a status"))
                .hint(format!("choose one of {}", STATUSES.join(", "))));
        }
    };
    Ok(StatusSet { session, lifecycle, warnings })
}

fn resumed(view: &View<'_>, session: Option<&str>) -> Result<(SessionId, Vec<String>), AppError> {
    // The caller means its own session, and no other that happens to rest.
    let own = view.calling_conversation().map(|calling| calling.session.to_string());
    let resumed = resume::resume(view, session.or(own.as_deref()))?;
    Ok((resumed.session, resumed.warnings))
}

fn ended(
    view: &View<'_>,
    session: Option<&str>,
    outcome: SessionOutcome,
) -> Result<(SessionId, Vec<String>), AppError> {
    end::end(view, session, SessionEnded { outcome, summary: None, next_notes: None })
}
