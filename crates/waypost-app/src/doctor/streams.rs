//! Whether every record is there, signed and in order; and rebuilding what is only derived.

use waypost_core::id::StreamId;
use waypost_core::session::SessionState;
use waypost_store::FileLog;

use super::{Finding, Patient};
use crate::error::{AppError, Kind};
use crate::verify;
use crate::view::View;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let Ok(view) = &patient.view else { return Vec::new() };
    let verified = match verify::verify(view, None) {
        Ok(verified) => verified,
        Err(error) => return vec![Finding::error("streams", &error)],
    };
    let fix = "run `waypost verify --all`; what is derived is rebuilt by `waypost doctor --repair`";
    let faults: Vec<Finding> = verified
        .iter()
        .flat_map(|stream| &stream.faults)
        .map(|fault| Finding { kind: Kind::Integrity, ..Finding::bad("streams", fault, fix) })
        .collect();
    if faults.is_empty() {
        let records: u64 = verified.iter().map(|stream| stream.records).sum();
        let (streams, all) = (verified.len(), "all signed and in order");
        let plural = if streams == 1 { "" } else { "s" };
        let detail = format!("{streams} stream{plural}, {records} records, {all}");
        return vec![Finding::good("streams", detail)];
    }
    faults
}

/// Rebuilds what is derived and damaged. Returns what was rebuilt.
pub fn repair(view: &View<'_>) -> Result<Vec<String>, AppError> {
    let mut rebuilt = Vec::new();
    for id in view.log.sessions()? {
        let stream = StreamId::Session(id.clone());
        if damaged_snapshot(&view.log, &stream) {
            view.log.drop_snapshot::<SessionState>(&stream)?;
            view.load(&id)?;
            rebuilt.push(format!("the state of session {id}, from its records"));
        }
    }
    Ok(rebuilt)
}

fn damaged_snapshot(log: &FileLog, stream: &StreamId) -> bool {
    let damaged = log.load::<SessionState>(stream).is_err_and(|error| error.is_integrity());
    damaged && log.records(stream).is_ok()
}
