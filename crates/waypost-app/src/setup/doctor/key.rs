//! Whether there is a key to sign with, and nobody else can read it.

use waypost_core::next_step::{Mend, amid};

use super::{Finding, Patient};

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let mut findings = vec![match &patient.view {
        Ok(view) => {
            let key = view.log.ring().current();
            Finding::good("key", format!("key {} signs", key.id()))
        }
        Err(error) => Finding::error("key", error),
    }];
    if patient.host.secret.is_some() {
        findings.push(Finding::warning(
            "secret",
            "the signing secret is in this environment, where agents started from it can read it",
            amid("prefer the key file that ", Mend::SetUp, " makes: unset WAYPOST_SESSION_SECRET"),
        ));
    }
    findings
}
