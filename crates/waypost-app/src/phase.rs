//! Going from one phase of a session's workflow to the next.

use waypost_core::command::{Advance, Command, Refusal};
use waypost_core::gate::Before;
use waypost_core::gate::engine::Action;
use waypost_core::gate::ruling::Outcome;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::track::Track;

use crate::error::AppError;
use crate::workspace::{Session, Workspace};
use crate::{gates, judge, publish, status};

/// What a workflow that is done is said to be in.
pub const COMPLETE: &str = "complete";

/// A phase that was entered.
#[derive(Debug)]
pub struct Entered {
    /// The session.
    pub session: SessionId,
    /// The phase that was left.
    pub from: String,
    /// The phase that was entered, or [`COMPLETE`].
    pub to: String,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Enters the phase after the one that the session is in; after the last one comes [`COMPLETE`].
pub fn transition(
    workspace: &Workspace<'_>,
    session: Option<&str>,
    to: &str,
) -> Result<Entered, AppError> {
    let session = workspace.session(session)?;
    let track = session.state.track.as_deref().filter(|track| track.is_running());
    let Some(track) = track else {
        return Err(AppError::of_session(&session.id, &Refusal::NoTrack("workflow"))
            .hint("`waypost start --objective \"…\" --workflow full` begins one with phases"));
    };
    let from = track.phase.clone();
    check_next(&session, track, to)?;
    let mut warnings = Vec::new();
    warnings.extend(ask_gates(
        workspace,
        &session,
        status::asker(workspace),
        Before::Phase(to.to_owned()),
    )?);
    let command = if to == COMPLETE {
        Command::CompleteTrack { conversation: None, summary: None, next_notes: None }
    } else {
        let to = to.to_owned();
        let (recovered, forced) = (Vec::new(), Vec::new());
        Command::Advance(Advance { conversation: None, to, recovered, forced })
    };
    let executed = workspace.execute(&session.id, &workspace.actor(), command)?;
    warnings.extend(executed.warnings);
    warnings.extend(publish::after(workspace, &session.id));
    Ok(Entered { session: session.id, from, to: to.to_owned(), warnings })
}

fn check_next(session: &Session, track: &Track, to: &str) -> Result<(), AppError> {
    let next = track.next().unwrap_or(COMPLETE);
    if to == next {
        return Ok(());
    }
    let (from, next) = (track.phase.clone(), Some(next.to_owned()));
    let refusal = Refusal::NotNext { from, to: to.to_owned(), next };
    Err(AppError::of_session(&session.id, &refusal))
}

/// Asks the project's own gates before an action: a refusal if they hold it, else what they warn of.
pub(crate) fn ask_gates(
    workspace: &Workspace<'_>,
    session: &Session,
    conversation: ConversationId,
    before: Before,
) -> Result<Option<String>, AppError> {
    let policy = gates::in_force(workspace)?;
    if !policy.gates.iter().any(|gate| gate.before.contains(&before)) {
        return Ok(None);
    }
    let hash = waypost_store::policies::keep(workspace.log.root(), &policy)?;
    let action = Action::new(vec![before], conversation);
    let Some(ruling) = judge::settle(workspace, session, (hash, policy), action)? else {
        return Ok(None);
    };
    let text = ruling.for_agent();
    if ruling.outcome == Outcome::Warn {
        return Ok(Some(text));
    }
    let steps: Vec<String> = ruling.unmet().map(|found| found.next.clone()).collect();
    Err(steps.into_iter().fold(AppError::refused(text), AppError::hint))
}
