//! Whether a harness calls Waypost in this project, and the command that it calls really denies.

use waypost_core::next_step::Mend;

use super::{Finding, Patient, probe};

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for settings in &patient.settings {
        findings.extend(settings.errors.iter().map(|error| Finding::error("hooks", error)));
        let harness = settings.local.harness;
        let asked = settings.registrations.iter();
        findings.extend(asked.map(|one| probe::probe(harness, &patient.project, one)));
    }
    if findings.is_empty() {
        let missing = "no harness calls Waypost in this project";
        findings.push(Finding::bad("hooks", missing, Mend::SetUp));
    }
    findings
}
