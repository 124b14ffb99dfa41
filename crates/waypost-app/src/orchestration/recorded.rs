//! What is recorded of agents, and all of it that a session's records tell.

use waypost_core::agents::Agents;
use waypost_core::command::{Command, OrchestrationCommand};
use waypost_core::event::Known;
use waypost_core::id::{SessionId, StreamId};

use crate::error::AppError;
use crate::view::{Session, View};

/// What came of recording something.
#[derive(Debug)]
pub struct Recorded {
    /// The session.
    pub session: SessionId,
    /// The record.
    pub seq: u64,
    /// What happened.
    pub events: Vec<Known>,
    /// What somebody should be told about the stream.
    pub warnings: Vec<String>,
}

/// Lets a command about agents meet the session.
pub(super) fn record(
    view: &View<'_>,
    session: &SessionId,
    command: OrchestrationCommand,
) -> Result<Recorded, AppError> {
    record_by(view, session, &view.actor(), command)
}

/// The same for somebody else than who calls.
pub(super) fn record_by(
    view: &View<'_>,
    session: &SessionId,
    actor: &waypost_core::actor::Actor,
    command: OrchestrationCommand,
) -> Result<Recorded, AppError> {
    let executed = view.execute(session, actor, Command::Orchestrate(Box::new(command)))?;
    // Several events are one write: the first of them is what was asked for.
    let more = u64::try_from(executed.events.len()).unwrap_or(0).saturating_sub(1);
    let seq = view.glance(session)?.version.saturating_sub(more);
    let (events, warnings) = (executed.events, executed.warnings);
    Ok(Recorded { session: session.clone(), seq, events, warnings })
}

/// Everything that a session's records tell of its agents.
pub fn all(view: &View<'_>, session: Option<&str>) -> Result<(Session, Agents), AppError> {
    let session = view.session(session)?;
    let mut agents = Agents::default();
    view.log.each(&StreamId::Session(session.id.clone()), |record| agents.add(&record))?;
    Ok((session, agents))
}
