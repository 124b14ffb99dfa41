//! The musts that were missed in a session.

use serde::Serialize;
use waypost_core::event::{Event, Known, Violation};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Record;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::view::View;

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
    /// How it came to hold after all, if it did.
    pub recovery: Option<String>,
}

/// All violations of a session, in order.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<(SessionId, Vec<Recorded>), AppError> {
    let session = view.session(session)?;
    let records = view.log.records(&StreamId::Session(session.id.clone()))?;
    let mut found = Vec::new();
    for record in &records {
        note(&mut found, record);
    }
    Ok((session.id, found))
}

/// Takes into account what a record tells of violations, if it does.
pub fn note(found: &mut Vec<Recorded>, record: &Record) {
    match &record.event {
        Event::Known(Known::ViolationRecorded(violation)) => {
            let (seq, time, violation) = (record.seq, record.time, violation.clone());
            found.push(Recorded { seq, time, violation, recovery: None });
        }
        Event::Known(Known::ViolationRecovered { conversation, gate, recovery }) => {
            let same = |known: &&mut Recorded| {
                known.violation.gate == *gate && known.violation.conversation == *conversation
            };
            for known in found.iter_mut().filter(same).filter(|known| known.recovery.is_none()) {
                known.recovery = Some(format!("{}: {recovery}", record.time));
            }
        }
        _ => {}
    }
}
