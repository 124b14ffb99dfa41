//! Whether a harness calls Waypost in this project, and the command that it calls really denies.

use waypost_core::next_step::{Mend, amid};
use waypost_core::text::one_line;

use super::{Finding, Patient, brought, probe};
use crate::setup::init::HarnessRegistration;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for settings in &patient.settings {
        findings.extend(settings.errors.iter().map(|error| Finding::error("hooks", error)));
        let harness = settings.local.harness;
        let asked = settings.registrations.iter();
        findings.extend(asked.map(|one| {
            if brought::is_foreign_hook(patient, one) {
                return came_along(patient, one);
            }
            probe::probe(harness, &patient.project, one)
        }));
        let plugin = settings.plugin.iter().flat_map(|plugin| &plugin.hooks);
        findings.extend(plugin.map(|one| probe::probe(harness, &patient.project, one)));
    }
    if findings.is_empty() {
        let missing = "no harness calls Waypost in this project";
        findings.push(Finding::bad("hooks", missing, Mend::SetUp));
    }
    findings
}

fn came_along(patient: &Patient<'_>, found: &HarnessRegistration) -> Finding {
    let place = patient.project.relative(&found.file);
    let detail = format!(
        "{place}: `{}` came with the repository, so it was not run",
        one_line(&found.command)
    );
    let fix =
        amid("see what it does before a client calls it; ", Mend::SetUp, " registers this Waypost");
    Finding::warning("hooks", detail, fix)
}
