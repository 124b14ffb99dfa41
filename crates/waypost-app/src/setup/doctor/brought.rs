//! What a repository brought along is looked at and never run: its settings may name any command.
//!
//! A file that git does not keep is the user's own. Of one that git keeps, only Waypost itself is called.

use std::path::Path;

use super::Patient;
use crate::harness::SERVER;
use crate::machine::git::{self, Deadline};
use crate::setup::init::{self, HarnessRegistration};

/// Whether a command in a file may have come with the repository and is not Waypost itself.
pub(super) fn is_foreign(patient: &Patient<'_>, file: &Path, command: &str) -> bool {
    let is_own = command == SERVER || Path::new(command) == patient.host.exe;
    !is_own && may_be_kept(patient, file)
}

/// The same of a hook: a team's settings call a script, which has to say what Waypost wrote there.
pub(super) fn is_foreign_hook(patient: &Patient<'_>, found: &HarnessRegistration) -> bool {
    if !found.is_shared {
        return is_foreign(patient, &found.file, &found.command);
    }
    let script = init::shared_hook(&patient.project);
    !init::is_shared_hook_as_written(patient.host, &patient.project)
        && may_be_kept(patient, &script)
}

/// Whether git keeps a file, or may: without git, everything may have come from elsewhere.
fn may_be_kept(patient: &Patient<'_>, file: &Path) -> bool {
    let (Some(folder), Some(_)) = (file.parent(), &patient.project.git) else { return true };
    let args = ["ls-files".as_ref(), "--".as_ref(), file.as_os_str()];
    let listed = git::output(git::command(folder), args, Deadline::after(git::LIMIT));
    listed.map_or(true, |names| !names.is_empty())
}
