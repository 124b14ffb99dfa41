//! Which harnesses are on this machine. Only looks.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use waypost_store::look;

use super::registrations;
use crate::harness::Local;
use crate::machine::host::Host;
use crate::machine::project::Project;

/// Those whose program is on PATH, and those that call Waypost in this project already. Where there are none, the
/// first that is known.
pub(crate) fn found<'h>(host: &'h Host, project: &Project) -> Vec<&'h Local> {
    let calls = |local: &Local| {
        registrations(host, local.harness, project).is_ok_and(|found| !found.is_empty())
    };
    let is_there = |local: &&Local| is_installed(host, local) || calls(local);
    let found: Vec<&Local> = host.harnesses.iter().filter(is_there).collect();
    if found.is_empty() { host.harnesses.first().into_iter().collect() } else { found }
}

/// Whether one of its programs is on PATH.
pub(super) fn is_installed(host: &Host, local: &Local) -> bool {
    let folders = host.path.iter().flat_map(std::env::split_paths).collect::<Vec<_>>();
    let mut programs = local.facts().programs.iter();
    programs.any(|name| folders.iter().any(|folder| is_program(&folder.join(name))))
}

fn is_program(path: &Path) -> bool {
    look::at(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
