//! The live probe: runs the installed hook command with something forbidden and sees it denied.

use std::process::Command;
use std::time::Duration;

use waypost_core::next_step::{Mend, amid};

use super::Finding;
use super::call::call;
use crate::harness::Harness;
use crate::machine::project::Project;
use crate::setup::init::HarnessRegistration;

const LIMIT: Duration = Duration::from_secs(10);

/// Asks the installed command whether an agent may write into Waypost's own files.
pub(super) fn probe(
    harness: &dyn Harness,
    project: &Project,
    registration: &HarnessRegistration,
) -> Finding {
    let place = project.relative(&registration.file);
    let is_missing = |event: &&&str| !registration.events.iter().any(|known| known == **event);
    let missing: Vec<&str> = harness.facts().events.iter().filter(is_missing).copied().collect();
    if !missing.is_empty() {
        let detail = format!("{place}: not registered for {}", missing.join(", "));
        return Finding::bad("hooks", detail, Mend::SetUp);
    }
    let command = match harness.facts().project_dir {
        Some(variable) => {
            let root = project.root.to_string_lossy();
            registration.command.replace(&format!("${{{variable}}}"), &root)
        }
        None => registration.command.clone(),
    };
    match ask(harness, project, &command, &registration.args) {
        Err(error) => Finding::bad(
            "hooks",
            format!("{place}: `{command}` does not work: {error}"),
            amid("run ", Mend::SetUp, " again, with the waypost that you want to keep"),
        ),
        Ok(answer) if harness.is_denial(&answer) => {
            Finding::good("hooks", format!("{place}: a forbidden write was denied"))
        }
        // The shared registration leaves the work to the local one.
        Ok(answer) if registration.is_shared && answer.is_empty() => {
            Finding::good("hooks", format!("{place}: yields to the local registration"))
        }
        Ok(_) => Finding::bad(
            "hooks",
            format!("{place}: `{command}` let a forbidden write pass"),
            amid("run ", Mend::SetUp, " again; if it stays, please report it"),
        ),
    }
}

fn ask(
    harness: &dyn Harness,
    project: &Project,
    command: &str,
    args: &[String],
) -> Result<String, String> {
    let event = harness.probe(&project.root, &project.store.join("project/events.jsonl"));
    let mut program = Command::new(command);
    let variable = harness.facts().project_dir.map(|name| (name, &project.root));
    program.args(args).current_dir(&project.root).envs(variable);
    let (status, answer) = call(&mut program, event.as_bytes(), LIMIT)?;
    if status.success() { Ok(answer) } else { Err(format!("it ended with {status}")) }
}
