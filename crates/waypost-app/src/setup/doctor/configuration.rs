//! Whether `waypost.toml` is understood, and its gates leave a way out of each other.

use waypost_core::gate::graph;
use waypost_core::next_step::{Mend, amid};

use super::{Finding, Patient};
use crate::config::{self, Problem};
use crate::tracks::catalogue;
use crate::view::protocol;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let config = match config::read(&patient.project.config_file()) {
        Ok(Some(config)) => config,
        Ok(None) => {
            return vec![Finding::warning(
                "configuration",
                "this checkout has no waypost.toml; the last gates stay in force",
                amid("check out a commit that has it, or run ", Mend::SetUp, ""),
            )];
        }
        Err(error) => return vec![Finding::error("configuration", &error)],
    };
    let workflow = catalogue::configured(&patient.project.root, &config);
    let problems = config.problems.iter().chain(&workflow);
    let mut findings: Vec<Finding> = problems
        .map(|problem| Finding::bad("configuration", problem.to_string(), "mend that line"))
        .collect();
    match protocol::compile(&patient.project.root, &config) {
        Ok(compiled) => {
            let changes = compiled.iter().flat_map(|compiled| &compiled.problems);
            let bad =
                |problem: &Problem| Finding::bad("protocol", problem.to_string(), "mend that line");
            findings.extend(changes.map(bad));
            let file = compiled.iter().filter_map(|compiled| compiled.file.as_ref());
            let told = file.flat_map(|file| &file.problems);
            findings.extend(told.map(|problem| {
                Finding::warning("protocol", problem.to_string(), "mend that line")
            }));
        }
        Err(error) => findings.push(Finding::error("protocol", &error)),
    }
    for circle in graph::circles(&config.policy.gates) {
        let path = circle.join(" → ");
        findings.push(Finding::warning(
            "gates",
            format!("what would satisfy these gates is held by the next: {path}"),
            "let one of them stand before something else, or ask for something else",
        ));
    }
    if findings.is_empty() {
        let gates = config.policy.gates.len();
        let plural = if gates == 1 { "" } else { "s" };
        findings.push(Finding::good("configuration", format!("{gates} gate{plural}")));
    }
    findings
}
