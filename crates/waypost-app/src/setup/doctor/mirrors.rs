//! Whether sessions get to the mirrors that the project's file names.

use waypost_core::next_step::Mend;
use waypost_core::text::spoken::count;

use super::{Finding, Patient};
use crate::mirror::{self, Part, State};

const CHECK: &str = "mirrors";

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let Ok(view) = &patient.view else { return Vec::new() };
    // A file that cannot be read is told where the configuration is looked at.
    let Ok(status) = mirror::status(view) else { return Vec::new() };
    status.mirrors.iter().map(found).collect()
}

fn found(part: &Part) -> Finding {
    let name = part.mirror.name();
    if part.state == State::Untrusted {
        let told = format!(
            "nothing is sent to {name}: no human on this machine trusts the waypost.toml that names it"
        );
        return Finding::warning(CHECK, told, Mend::TrustConfig);
    }
    let waiting = count(part.waiting, "record");
    if let Some(error) = &part.error {
        let told = format!("{error}; {waiting} to be shown there");
        let fix = format!("see that {name} runs; nothing is lost until then");
        return Finding::warning(CHECK, told, fix);
    }
    if let Some(conflict) = &part.conflict {
        return Finding::warning(CHECK, conflict, "move it away there, and it is written again");
    }
    Finding::good(CHECK, format!("{name}; {waiting} to be shown"))
}
