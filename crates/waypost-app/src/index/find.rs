//! Finding the projects below a folder: a walk with bounds, which never looks into a repository, a hidden folder, a link
//! or what tools make.

use std::path::{Path, PathBuf};

use waypost_store::look;

use super::report::Failed;
use crate::machine::project::{self, Project};

/// How deep it goes.
const MAX_DEPTH: usize = 8;
/// How many folders it looks at.
const MAX_FOLDERS: usize = 100_000;
/// Folders that tools make, in which nobody keeps projects.
const SKIPPED: [&str; 10] = [
    "node_modules",
    "target",
    "vendor",
    "dist",
    "build",
    "venv",
    "__pycache__",
    "site-packages",
    "Library",
    "snap",
];
/// Where tools for session folders keep them.
const LEGACY: &str = "agents/sessions";

/// What was found below a folder.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) projects: Vec<Project>,
    pub(super) failed: Vec<Failed>,
}

/// The projects below a folder, and the one that it lies in.
pub(super) fn below(start: &Path) -> Found {
    let mut found = Found::default();
    let start = match look::real(start) {
        Ok(start) => start,
        Err(error) => {
            found.fail(start, error.to_string());
            return found;
        }
    };
    if let Ok(Some(around)) = project::find(&start)
        && is_kept(&around)
    {
        found.projects.push(around);
        return found;
    }
    let (mut open, mut seen) = (vec![(start, 0)], 0);
    while let Some((folder, depth)) = open.pop() {
        seen += 1;
        if seen > MAX_FOLDERS {
            found.fail(&folder, format!("more than {MAX_FOLDERS} folders: name one further down"));
            break;
        }
        if !found.take(&folder) && depth < MAX_DEPTH {
            open.extend(inside(&folder).map(|folder| (folder, depth + 1)));
        }
    }
    found.projects.sort_by(|one, other| one.root.cmp(&other.root));
    found
}

impl Found {
    /// Takes the project that this folder is; whether there is no need to look further down.
    fn take(&mut self, folder: &Path) -> bool {
        let is_repository = look::link(folder.join(".git")).is_ok();
        if !is_repository && !look::is_file(folder.join("waypost.toml")) && !has_legacy(folder) {
            return false;
        }
        match project::find_or_here(folder) {
            Ok(project) if is_kept(&project) => self.projects.push(project),
            Ok(_) => {}
            Err(error) => self.fail(folder, error.message),
        }
        true
    }

    fn fail(&mut self, path: &Path, why: String) {
        self.failed.push(Failed { what: path.display().to_string(), why });
    }
}

/// Whether anything of Waypost is there, or sessions of another program.
fn is_kept(project: &Project) -> bool {
    project.is_initialised() || look::is_folder(&project.store) || has_legacy(&project.root)
}

fn has_legacy(folder: &Path) -> bool {
    look::is_folder(folder.join(LEGACY))
}

fn inside(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = look::folder(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let wanted = folders.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        !name.starts_with('.') && !SKIPPED.contains(&&*name)
    });
    wanted.map(|entry| entry.path())
}
