//! The committed script that everyone's settings call: `.waypost/hook`.

use std::path::PathBuf;

use crate::harness::{Facts, Local};
use crate::machine::host::Host;
use crate::machine::plain_files;
use crate::machine::project::Project;

/// What it says, but for what each harness is told where Waypost is not installed.
const SCRIPT: &str = include_str!("wrapper.sh");

/// The line that stands for that.
const HARNESSES: &str = "# HARNESSES\n";

/// What it says.
pub(super) fn script(harnesses: impl Iterator<Item = &'static Facts>) -> String {
    let told = |facts: &Facts| format!("{})\n{}    ;;\n", facts.name, facts.without_waypost);
    SCRIPT.replace(HARNESSES, &harnesses.map(told).collect::<String>())
}

/// What every version of it says, so that a file of somebody else's is told apart.
const MARK: &str = "made by `waypost init --shared`";

/// Whether a file is the script, perhaps changed or of another version.
pub(super) fn is_ours(content: &[u8]) -> bool {
    content.windows(MARK.len()).any(|window| window == MARK.as_bytes())
}

/// Where it lies.
pub(crate) fn shared_hook(project: &Project) -> PathBuf {
    project.root.join(".waypost/hook")
}

/// Whether it says exactly what this version writes.
pub(crate) fn is_shared_hook_as_written(host: &Host, project: &Project) -> bool {
    let written = script(host.harnesses.iter().map(Local::facts));
    plain_files::look(&shared_hook(project))
        .is_ok_and(|now| now.is_some_and(|now| now.bytes == written.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_knows_itself() {
        assert!(is_ours(script([].into_iter()).as_bytes()));
        assert!(!is_ours(b"#!/bin/sh\nexec true\n"));
    }
}
