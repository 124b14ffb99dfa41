//! Whether the workflows that files of the project say can be followed.

use waypost_core::next_step::{Look, amid};

use super::{Finding, Patient};
use crate::tracks::catalogue;

/// No more than this is told of one workflow.
const MAX_TOLD: usize = 5;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let written = match catalogue::written(&patient.project.root) {
        Ok(written) => written,
        Err(error) => return vec![Finding::error("workflows", &error)],
    };
    let mut findings = Vec::new();
    for listed in &written {
        for problem in listed.problems.iter().take(MAX_TOLD) {
            let fix =
                amid("mend it; ", Look::WorkflowProblems(Some(listed.name.clone())), " tells when");
            findings.push(Finding::warning("workflows", problem.to_string(), fix));
        }
    }
    if findings.is_empty() && !written.is_empty() {
        let names: Vec<&str> = written.iter().map(|listed| listed.name.as_str()).collect();
        findings.push(Finding::good("workflows", names.join(", ")));
    }
    findings
}
