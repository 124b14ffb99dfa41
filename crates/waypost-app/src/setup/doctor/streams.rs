//! Whether every record is there, signed and in order.

use super::{Finding, Patient};
use crate::error::Kind;
use crate::share::verify::{self, Fault};
use waypost_core::text::spoken::count;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let Ok(view) = &patient.view else { return Vec::new() };
    let verified = match verify::verify(view, None) {
        Ok(verified) => verified,
        Err(error) => return vec![Finding::error("streams", &error)],
    };
    let faults: Vec<Finding> = verified
        .iter()
        .flat_map(|stream| &stream.faults)
        .map(|Fault { what, fix }| Finding {
            kind: Kind::Integrity,
            ..Finding::bad("streams", what, fix.clone())
        })
        .collect();
    if faults.is_empty() {
        let records: u64 = verified.iter().map(|stream| stream.records).sum();
        let (streams, all) = (verified.len(), "all signed and in order");
        let detail = format!("{}, {}, {all}", count(streams, "stream"), count(records, "record"));
        return vec![Finding::good("streams", detail)];
    }
    faults
}
