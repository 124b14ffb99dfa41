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
            next: one_or(unmet.iter().map(|found| found.next.clone()).collect(), NextStep::All),
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
        next: one_or(findings.iter().map(|found| found.next.clone()).collect(), NextStep::Any),
    }
}

/// The only step as it is, several together.
fn one_or(steps: Vec<NextStep>, together: fn(Vec<NextStep>) -> NextStep) -> NextStep {
    match <[NextStep; 1]>::try_from(steps) {
        Ok([only]) => only,
        Err(several) => together(several),
    }
}

fn told<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    between: &str,
    what: impl Fn(&'a Finding) -> &'a String,
) -> String {
    findings.into_iter().map(what).cloned().collect::<Vec<_>>().join(between)
}
