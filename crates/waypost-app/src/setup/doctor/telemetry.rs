//! Whether what happens gets to the collector that the project's file names.

use waypost_core::next_step::Mend;
use waypost_core::text::spoken::count;

use super::{Finding, Patient};
use crate::telemetry::{self, State, Status};

const CHECK: &str = "telemetry";

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let Ok(view) = &patient.view else { return Vec::new() };
    // A file that cannot be read is told where the configuration is looked at.
    let Ok(status) = telemetry::status(view) else { return Vec::new() };
    let otlp = status.otlp.clone().unwrap_or_default();
    match status.state {
        State::Off => Vec::new(),
        State::Untrusted => vec![Finding::warning(
            CHECK,
            format!(
                "nothing is sent to {otlp}: no human on this machine trusts the waypost.toml that names it"
            ),
            Mend::TrustConfig,
        )],
        State::On => vec![sending(&status, &otlp)],
    }
}

fn sending(status: &Status, otlp: &str) -> Finding {
    let waiting: u64 = status.parts.iter().map(|part| part.waiting).max().unwrap_or_default();
    let waiting = count(waiting, "record");
    if let Some(error) = status.parts.iter().find_map(|part| part.error.as_ref()) {
        let told = format!("{error}; {waiting} to be sent");
        return Finding::warning(
            CHECK,
            told,
            "see that the collector runs; nothing is lost until then",
        );
    }
    let refused = status.parts.iter().find(|part| part.refused > 0);
    if let Some(part) = refused {
        let why = part.refusal.as_deref().unwrap_or_default();
        let told =
            format!("the collector refused {} of {} for good: {why}", part.refused, part.signals);
        return Finding::warning(CHECK, told, "see what the collector expects");
    }
    Finding::good(CHECK, format!("{otlp}; {waiting} to be sent"))
}
