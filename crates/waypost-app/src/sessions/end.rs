//! Ending a session.

use waypost_core::command::Command;
use waypost_core::event::{SessionEnded, SessionOutcome};
use waypost_core::gate::Before;
use waypost_core::id::SessionId;
use waypost_core::next_step::{Look, NextStep, does, to};

use crate::error::AppError;
use crate::rulings::ask;
use crate::view::human::{self, Human};
use crate::view::{Session, View};

/// Ends a session. Returns it, and what somebody should be told about its stream. One that failed
/// may always end; one that reached what it was for ends when its gates let it.
pub fn end(
    view: &View<'_>,
    session: Option<&str>,
    ended: SessionEnded,
) -> Result<(SessionId, Vec<String>), AppError> {
    let session = view.session(session)?;
    let mut warnings = Vec::new();
    if ended.outcome == SessionOutcome::Completed && !session.state.lifecycle.is_over() {
        warnings.extend(unfinished(view, &session)?);
        warnings.extend(ruled(view, &session)?);
    }
    let executed = view.execute(&session.id, &view.actor(), Command::End(ended))?;
    warnings.extend(executed.warnings);
    Ok((session.id, warnings))
}

/// A workflow that is not complete is completed phase by phase: an agent does not end it as done. What
/// a human should be told who does.
fn unfinished(view: &View<'_>, session: &Session) -> Result<Option<String>, AppError> {
    let Some(track) = session.state.track.as_deref().filter(|track| track.is_running()) else {
        return Ok(None);
    };
    let told =
        format!("the workflow {} is not complete: it is in phase {}", track.name, track.phase);
    match human::standing(view.host, &view.registry()) {
        Human::Agent(_) => Err(AppError::refused(told)
            .hint(does(Look::Phase(None), "tells what is to be done in it"))
            .hint(to("or end the session as failed", NextStep::EndFailed))),
        Human::Human | Human::NoTerminal => Ok(Some(told)),
    }
}

/// What the gates before the end say: an error if they hold it, else a warning if they warn.
fn ruled(view: &View<'_>, session: &Session) -> Result<Option<String>, AppError> {
    let asked = ask::the_gates(view, session, view.asker(), Before::End);
    asked.map_err(|refused| refused.hint(to("or end it as failed", NextStep::EndFailed)))
}
