//! The musts that were missed in a session.

use serde::Serialize;
use waypost_core::event::{Event, Known, Violation};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Record;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::workspace::Workspace;

/// A violation with its place in the stream.
#[derive(Debug, Serialize)]
pub struct Recorded {
    /// The record.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// What was missed.
    #[serde(flatten)]
    pub violation: Violation,
}

/// All violations of a session, in order.
pub fn of(
    workspace: &Workspace<'_>,
    session: Option<&str>,
) -> Result<(SessionId, Vec<Recorded>), AppError> {
    let session = workspace.session(session)?;
    let records = workspace.log.records(&StreamId::Session(session.id.clone()))?;
    Ok((session.id, records.iter().filter_map(violation).collect()))
}

/// The violation that a record tells of, if it does.
pub fn violation(record: &Record) -> Option<Recorded> {
    match &record.event {
        Event::Known(Known::ViolationRecorded(violation)) => {
            Some(Recorded { seq: record.seq, time: record.time, violation: violation.clone() })
        }
        _ => None,
    }
}
