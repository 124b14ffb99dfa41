//! Whether git can be asked about the work tree.

use std::time::Duration;

use super::{Finding, Patient};
use crate::machine::git;

pub(super) fn check(patient: &Patient<'_>) -> Vec<Finding> {
    let deadline = git::Deadline::after(Duration::from_secs(5));
    let version = git::output(git::command(&patient.project.root), ["--version"], deadline);
    vec![match version {
        Ok(version) => Finding::good("git", String::from_utf8_lossy(&version).trim()),
        Err(error) => Finding::bad(
            "git",
            format!("{error}; without git no gate can tell whether files changed"),
            "install git and make sure that it is on PATH",
        ),
    }]
}
