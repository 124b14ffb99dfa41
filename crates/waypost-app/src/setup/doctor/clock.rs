//! Whether the machine's clock can be right.

use waypost_core::time::Timestamp;

use super::{Finding, Patient};

/// There was no Waypost before 2026: a clock that says so was never set.
const FIRST_YEAR: i64 = 1_767_225_600_000;
/// Clocks of two machines that share a folder differ a little.
const TOLERATED: i64 = 60_000;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let now = patient.host.now();
    let fix = "set it, for instance with `sudo timedatectl set-ntp true`";
    if now.as_millis() < FIRST_YEAR {
        let detail = format!("it says {now}; proofs that expire cannot be judged by it");
        return vec![Finding::bad("clock", detail, fix)];
    }
    match newest(patient).filter(|(_, last)| last.as_millis() > now.as_millis() + TOLERATED) {
        Some((session, last)) => {
            let detail = format!("it says {now}, but session {session} was changed at {last}");
            vec![Finding::warning("clock", detail, fix)]
        }
        None => vec![Finding::good("clock", now.to_string())],
    }
}

/// The session that was changed last, and when.
fn newest(patient: &Patient<'_>) -> Option<(String, Timestamp)> {
    let sessions = patient.view.as_ref().ok()?.sessions().ok()?;
    let changed = sessions
        .into_iter()
        .filter_map(|session| session.updated_at.map(|time| (session.id.to_string(), time)));
    changed.max_by_key(|(_, time)| *time)
}
