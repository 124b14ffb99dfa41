//! What happened in a session, in words and as data.

mod words;

use serde::Serialize;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Record;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::view::View;

pub use words::summary;

/// One thing that happened.
#[derive(Debug, Serialize)]
pub struct HistoryEntry {
    /// Its place in the stream.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// Who.
    pub actor: waypost_core::actor::Actor,
    /// What, as it was recorded.
    pub event: serde_json::Value,
    /// What, in words.
    pub summary: String,
}

/// Everything that happened in a session.
pub fn of(
    view: &View<'_>,
    session: Option<&str>,
) -> Result<(SessionId, Vec<HistoryEntry>), AppError> {
    let session = view.session(session)?;
    let records = view.log.records(&StreamId::Session(session.id.clone()))?;
    Ok((session.id, records.into_iter().map(entry).collect()))
}

fn entry(record: Record) -> HistoryEntry {
    HistoryEntry {
        seq: record.seq,
        time: record.time,
        summary: summary(&record.event),
        event: record.event.to_value().unwrap_or_default(),
        actor: record.actor,
    }
}
