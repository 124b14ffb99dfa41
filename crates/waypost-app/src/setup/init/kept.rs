//! The program that hooks call. It has to be there for as long as a project is set up, and a client that does not
//! find it holds every call. So where it lies in a folder that its package manager clears away by itself, such as
//! npx' cache, a Python environment, or one of a version, the hooks call a copy in the user's own folder of data.
//! Every project that uses the copy is noted beside it, and the last one takes it away.

use std::fs;
use std::path::{Path, PathBuf};

use waypost_core::key::sha256_hex;
use waypost_store::{files, look};

use super::InitOutcome;
use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::plain_files::{self, failed};
use crate::machine::project::Project;

/// Nobody's path is longer.
const MAX_NOTE: u64 = 64 * 1024;
/// Of a program.
const MODE: u32 = 0o755;

/// The program that hooks are to call.
#[derive(Debug)]
pub(super) struct Program {
    /// Where it lies, or will.
    pub(super) path: PathBuf,
    /// What it is a copy of, if this program is not to be called where it lies.
    original: Option<PathBuf>,
    /// Whether that is the copy that several projects use.
    is_copy: bool,
}

impl Program {
    /// The one that is to be registered where this one is asked to.
    pub(super) fn of(host: &Host) -> Self {
        let own = host.cwd.join(&host.exe);
        let copy = copy_of(host);
        if is_cleared_away(&own) {
            return Self { path: copy, original: Some(own), is_copy: true };
        }
        Self { is_copy: own == copy, path: own, original: None }
    }

    /// Puts the copy where it is to be, by a rename: a hook that is just starting sees the one from before or this
    /// one, never half of one.
    pub(super) fn put(&self, outcome: &mut InitOutcome) -> Result<(), AppError> {
        let Some(original) = &self.original else { return Ok(()) };
        let path = &self.path;
        let new = look::bytes(original).map_err(failed("cannot read", original))?;
        let old = look::bytes(path).ok();
        if old.as_ref() == Some(&new) {
            outcome.change(path, "already there");
            return Ok(());
        }
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder).map_err(failed("cannot make the folder", folder))?;
        plain_files::write(path, &new, Some(MODE), MODE)?;
        let what = if old.is_some() { "brought up to date" } else { "copied there" };
        outcome.change(path, what);
        outcome.note(format!(
            "{} is in a folder that is cleared away with its package, so the hooks call the copy",
            original.display()
        ));
        Ok(())
    }

    /// Notes that a project uses the copy.
    pub(super) fn note_use(&self, host: &Host, project: &Project) -> Result<(), AppError> {
        if !self.is_copy {
            return Ok(());
        }
        let folder = uses(host);
        files::make_dir(&folder)?;
        files::replace(&folder.join(name_of(project)), root_of(project).as_bytes(), true)?;
        Ok(())
    }
}

/// Takes the copy away if no project uses it any more.
pub(super) fn leave(
    host: &Host,
    project: &Project,
    outcome: &mut InitOutcome,
) -> Result<(), AppError> {
    let folder = uses(host);
    if !look::is_folder(&folder) {
        return Ok(());
    }
    files::remove(&folder.join(name_of(project)))?;
    // Projects that were deleted cannot say that they need it no more.
    for noted in look::folder(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let root = files::read(&noted, MAX_NOTE)?.unwrap_or_default();
        if !look::is_folder(String::from_utf8_lossy(&root).as_ref()) {
            files::remove(&noted)?;
        }
    }
    if fs::remove_dir(&folder).is_err() {
        return Ok(());
    }
    let copy = copy_of(host);
    if look::is_file(&copy) {
        files::remove(&copy)?;
        outcome.change(&copy, "removed");
    }
    for folder in copy.ancestors().skip(1).take(2) {
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

fn copy_of(host: &Host) -> PathBuf {
    host.data_dir.join("bin").join("waypost")
}

fn uses(host: &Host) -> PathBuf {
    host.data_dir.join("used-by")
}

fn name_of(project: &Project) -> String {
    sha256_hex(&[root_of(project).as_bytes()])
}

fn root_of(project: &Project) -> String {
    project.root.display().to_string()
}

/// Whether a program lies where its package manager keeps one folder for each version, environment or run, and
/// clears it away.
fn is_cleared_away(program: &Path) -> bool {
    let is_of_version = |part: &std::ffi::OsStr| part == "node_modules" || part == "Cellar";
    let in_environment = program
        .ancestors()
        .nth(2)
        .is_some_and(|environment| look::is_file(environment.join("pyvenv.cfg")));
    in_environment || program.starts_with("/nix/store") || program.iter().any(is_of_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_package_managers_clear_away_is_told_from_what_stays() {
        let folder = tempfile::tempdir().unwrap();
        let environment = folder.path().join("venv");
        fs::create_dir(&environment).unwrap();
        assert!(!is_cleared_away(&environment.join("bin/waypost")));
        fs::write(environment.join("pyvenv.cfg"), "home = /usr/bin\n").unwrap();
        assert!(is_cleared_away(&environment.join("bin/waypost")));
        for path in [
            "/home/me/.npm/_npx/0a1b/node_modules/waypost-linux-x64/bin/waypost",
            "/opt/brew/Cellar/waypost/0.1.0/bin/waypost",
            "/nix/store/abc-waypost-0.1.0/bin/waypost",
        ] {
            assert!(is_cleared_away(Path::new(path)), "{path}");
        }
        for path in ["/usr/bin/waypost", "/home/me/.local/bin/waypost", "/opt/waypost/waypost"] {
            assert!(!is_cleared_away(Path::new(path)), "{path}");
        }
    }
}
