//! The proofs `all` and `any`: several of them together.

use super::{Finding, FindingStatus, Proof};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// All of them hold. What is missing is told in their order.
pub(super) fn all(proofs: &[Proof], input: &GateInput<'_>) -> Finding {
    let findings: Vec<Finding> = proofs.iter().map(|proof| proof.find_itself(input)).collect();
    let unmet: Vec<&Finding> =
        findings.iter().filter(|found| found.status != FindingStatus::Met).collect();
    match unmet.as_slice() {
        [] => Finding::met(told(&findings, "; ", |found| &found.why)),
        unmet => Finding {
            status: unmet.iter().map(|found| found.status).max().unwrap_or(FindingStatus::Missing),
            why: told(unmet.iter().copied(), "; ", |found| &found.why),
            next: all_of(unmet.iter().map(|found| found.next.clone()).collect()),
        },
    }
}

/// One of them holds.
pub(super) fn any(proofs: &[Proof], input: &GateInput<'_>) -> Finding {
    let findings: Vec<Finding> = proofs.iter().map(|proof| proof.find_itself(input)).collect();
    if let Some(met) = findings.iter().find(|found| found.status == FindingStatus::Met) {
        return met.clone();
    }
    Finding {
        // What cannot be found out could hold.
        status: findings.iter().map(|found| found.status).max().unwrap_or(FindingStatus::Missing),
        why: told(&findings, "; ", |found| &found.why),
        next: any_of(findings.iter().map(|found| found.next.clone()).collect()),
    }
}

/// What has to be done for all of them: no step is told twice.
pub(super) fn all_of(steps: Vec<NextStep>) -> NextStep {
    together(steps, NextStep::All)
}

/// What would do for one of them. A step that ends in asking the user says that already.
pub(super) fn any_of(mut steps: Vec<NextStep>) -> NextStep {
    let said = |step: &NextStep| match step {
        NextStep::Meet { gate, .. } => Some(gate.clone()),
        _ => None,
    };
    let said: Vec<String> = steps.iter().filter_map(said).collect();
    steps.retain(|step| !matches!(step, NextStep::Approve(gate) if said.contains(gate)));
    together(steps, NextStep::Any)
}

fn together(steps: Vec<NextStep>, several: fn(Vec<NextStep>) -> NextStep) -> NextStep {
    let mut told: Vec<NextStep> = Vec::new();
    for step in steps {
        if !told.contains(&step) {
            told.push(step);
        }
    }
    match <[NextStep; 1]>::try_from(told) {
        Ok([only]) => only,
        Err(told) => several(told),
    }
}

fn told<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    between: &str,
    what: impl Fn(&'a Finding) -> &'a String,
) -> String {
    findings.into_iter().map(what).cloned().collect::<Vec<_>>().join(between)
}
