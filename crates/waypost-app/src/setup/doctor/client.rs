//! Starts the installed client once, to see whether it really calls the hook in this project.
//!
//! No model is asked: the client starts, calls its hooks for that, and ends. The hook only notes that it was
//! called; nothing is recorded of it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use waypost_core::key::hex;
use waypost_core::next_step::{Mend, NextStep, amid};
use waypost_store::files;

use super::call::call;
use super::settings::All;
use super::{Finding, Patient};
use crate::error::AppError;
use crate::harness::{Facts, StartOnly};
use crate::machine::host::{SIGHTING, SIGHTINGS};

const CHECK: &str = "client";
const LIMIT: Duration = Duration::from_secs(20);
/// What a hook notes is no longer.
const MAX_NOTE: u64 = 256;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    // Where some are registered, the others are nobody's business.
    let used = |all: &&All<'_>| !all.registrations.is_empty();
    let is_used = patient.settings.iter().any(|all| used(&all));
    let asked = patient.settings.iter().filter(|all| !is_used || used(all));
    let harnesses = asked.map(|all| all.local.facts());
    let starting = harnesses.filter_map(|facts| Some((facts, facts.switches.start_only.as_ref()?)));
    starting.map(|(facts, start)| of_client(patient, facts, start)).collect()
}

fn of_client(patient: &Patient<'_>, facts: &Facts, start: &StartOnly) -> Finding {
    let found = facts.programs.iter().find_map(|name| patient.host.program(name));
    let Some(program) = found else {
        let detail = format!("{} is not on PATH, so it was not started", facts.title);
        return Finding::warning(CHECK, detail, "run this where the client is installed");
    };
    match seen(patient, facts, start, &program) {
        Ok(true) => {
            let detail =
                format!("{} was started once and called Waypost's hook", program.display());
            Finding::good(CHECK, detail)
        }
        Ok(false) => {
            let detail = format!(
                "{} was started once and did not call Waypost's hook: a plugin, a setting or a variable silences it, \
                 or it is not registered here",
                program.display()
            );
            let usual = || {
                let plugins = "mend what else is told here; where nothing is, start the client without its plugins and run ";
                amid(plugins, Mend::SetUp, " again")
            };
            let fix = facts.reach.trust.map_or_else(usual, NextStep::from);
            Finding::bad(CHECK, detail, fix)
        }
        Err(error) => {
            let detail = format!("{} could not be started: {}", program.display(), error.message);
            Finding::bad(CHECK, detail, "start the client by hand and see what it says")
        }
    }
}

/// Whether the hook was called.
fn seen(
    patient: &Patient<'_>,
    facts: &Facts,
    start: &StartOnly,
    program: &Path,
) -> Result<bool, AppError> {
    let name = hex(&patient.host.random::<16>()?);
    let sighting = Sighting { file: patient.host.state_dir.join(SIGHTINGS).join(&name) };
    files::create_own(&sighting.file, b"")?;
    let mut command = Command::new(program);
    command.args(start.args).current_dir(&patient.project.root);
    // A client that another one started would not be one of its own.
    for variable in facts.markers.iter().chain(facts.conversations) {
        command.env_remove(variable);
    }
    command.envs(start.env.iter().copied()).env(SIGHTING, &name);
    // How it ends does not matter where the hook was called.
    let ended = call(&mut command, b"", LIMIT);
    let note = files::read(&sighting.file, MAX_NOTE)?.unwrap_or_default();
    if note.is_empty() {
        ended.map_err(AppError::refused)?;
    }
    Ok(!note.is_empty())
}

/// The file in which the hook notes that it was called. It goes with this.
struct Sighting {
    file: PathBuf,
}

impl Drop for Sighting {
    fn drop(&mut self) {
        // One that stays is empty, and nobody asks for it again.
        let _ = files::remove(&self.file);
    }
}
