//! Whether the project has requirements of another framework, what they are worth here, and whether that framework's own
//! hooks run beside Waypost's.

use super::{Finding, Patient};
use crate::config;
use crate::foreign::requirements::{Imported, Places};

const CHECK: &str = "requirements";

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    // What is wrong with the configuration is told where that is looked at.
    let config = config::read(&patient.project.config_file()).ok().flatten().unwrap_or_default();
    let mut findings = Vec::new();
    for places in Places::of_each(patient.host, &patient.project.root) {
        let Some(imported) = Imported::read(&places) else {
            findings.extend(alone(&places));
            continue;
        };
        if config.requirements {
            findings.extend(in_force(patient, &places, &imported));
            findings.extend(beside(patient, &places));
        } else {
            findings.push(opted_out(&places));
        }
    }
    findings
}

fn opted_out(places: &Places) -> Finding {
    let detail = format!("{} is there and not in force: waypost.toml says so", places.name());
    Finding::warning(
        CHECK,
        detail,
        "take `requirements = false` out of waypost.toml to have it enforced",
    )
}

/// The checkout's own file without that of the project.
fn alone(places: &Places) -> Option<Finding> {
    let name = places.without_project()?;
    let detail = format!("{name} is there and not in force: there is no {}", places.name());
    let fix = format!("write {}; an empty one is enough", places.name());
    Some(Finding::warning(CHECK, detail, fix))
}

fn in_force(patient: &Patient<'_>, places: &Places, imported: &Imported) -> Vec<Finding> {
    let mend = "mend that line; until then nobody is held by it";
    let problems = imported.problems.iter();
    let mut findings: Vec<Finding> =
        problems.map(|problem| Finding::bad(CHECK, problem.to_string(), mend)).collect();
    let look = "see whether that is what you mean";
    let notes = imported.notes.iter();
    findings.extend(notes.map(|note| Finding::warning(CHECK, note.to_string(), look)));
    if patient.host.imported_off {
        let off = format!("a variable of the environment switches {} off", places.name());
        findings.push(Finding::warning(CHECK, off, "unset it where they should hold"));
    }
    findings.push(Finding::good(CHECK, imported.summary(places)));
    findings
}

/// Where the framework's own hooks are called, too.
fn beside(patient: &Patient<'_>, places: &Places) -> Vec<Finding> {
    let files = patient.settings.iter().flat_map(|all| &all.files);
    let files = files.filter(|file| !file.said.frameworks.is_empty());
    let told = files.map(|file| {
        let detail = format!(
            "{} has {} run beside Waypost: both enforce {}, and each only counts what it saw",
            file.path.display(),
            file.said.frameworks.join(", "),
            places.name()
        );
        let fix = "switch one of them off: take those out of the settings, or set `requirements = false` in waypost.toml";
        Finding::warning(CHECK, detail, fix)
    });
    told.collect()
}
