//! Whether a harness calls Waypost in this project, and the command that it calls really denies.

use super::{Finding, Patient, probe};

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let settings = &patient.settings;
    let unread = settings.errors.iter().map(|error| Finding::error("hooks", error));
    let mut findings: Vec<Finding> = unread.collect();
    let asked = settings.registrations.iter();
    findings.extend(asked.map(|registration| probe::probe(&patient.project, registration)));
    if findings.is_empty() {
        let missing = "no harness calls Waypost in this project";
        findings.push(Finding::bad("hooks", missing, "waypost init"));
    }
    findings
}
