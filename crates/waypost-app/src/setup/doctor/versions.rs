//! Whether agents, hooks and people all call the same Waypost.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use waypost_core::next_step::{Mend, NextStep};
use waypost_store::look;

use super::call::call;
use super::{Finding, Patient, brought};

const OWN: &str = env!("CARGO_PKG_VERSION");
const LIMIT: Duration = Duration::from_secs(5);

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let host = patient.host;
    let mut findings = vec![match host.own_name() {
        name if name == "waypost" => Finding::good("program", "waypost is on PATH"),
        path => Finding::warning(
            "program",
            format!("waypost is not on PATH; agents are told to call {path}"),
            format!("add its folder to PATH: export PATH=\"{}:$PATH\"", folder_of(&host.exe)),
        ),
    }];
    let mut known = vec![real(&host.exe)];
    let mut others = Vec::new();
    let hooks = patient.settings.iter().flat_map(|all| &all.registrations);
    let hooks = hooks.filter(|found| !found.is_shared && !brought::is_foreign_hook(patient, found));
    for registration in hooks {
        let place = format!("{} calls", registration.file.display());
        let program = Path::new(&registration.command);
        others.extend(other(&mut known, program, &place, Mend::SetUp.into()));
    }
    for program in host.programs() {
        let fix = format!("remove it, or let {} come first in PATH", folder_of(&host.exe));
        others.extend(other(&mut known, &program, "on PATH there is", fix.into()));
    }
    if others.is_empty() {
        others.push(Finding::good("versions", format!("{OWN} everywhere")));
    }
    findings.append(&mut others);
    findings
}

/// A finding about a program of another version. Each program is asked once; one that does not
/// answer is no Waypost, or is found by the probe.
fn other(known: &mut Vec<PathBuf>, program: &Path, place: &str, fix: NextStep) -> Option<Finding> {
    let path = real(program);
    if known.contains(&path) {
        return None;
    }
    known.push(path);
    let (_, said) = call(Command::new(program).arg("--version"), b"", LIMIT).ok()?;
    let version = said.trim().strip_prefix("waypost ")?;
    let detail = format!("{place} {}, which is {version}; this is {OWN}", program.display());
    (version != OWN).then(|| Finding::warning("versions", detail, fix))
}

fn real(program: &Path) -> PathBuf {
    look::real(program).unwrap_or_else(|_| program.to_owned())
}

fn folder_of(program: &Path) -> String {
    program.parent().unwrap_or(Path::new("/")).display().to_string()
}
