//! The packages of a project that has no command for all of them.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use waypost_store::look;

use super::Proposal;
use super::folder::Folder;

/// How deep packages are looked for, and in how many folders.
const DEPTH: usize = 4;
const MAX_FOLDERS: usize = 5000;

/// Folders that hold what others made, or what is no package of the project's.
const OTHERS: &[&str] = &[
    "Carthage",
    "DerivedData",
    "Pods",
    "__pycache__",
    "_build",
    "_vendor",
    "bin",
    "bower_components",
    "build",
    "coverage",
    "deps",
    "dist",
    "doc",
    "docs",
    "env",
    "example",
    "examples",
    "external",
    "fixtures",
    "node_modules",
    "obj",
    "out",
    "samples",
    "site-packages",
    "target",
    "template",
    "templates",
    "testdata",
    "third-party",
    "third_party",
    "thirdparty",
    "tmp",
    "vendor",
    "venv",
];

/// The packages below `root`: folders for which there is a command, without those within them.
pub(super) fn below(
    root: &Path,
    command: impl Fn(Folder<'_>) -> Option<Proposal>,
) -> Vec<Proposal> {
    let mut found = Vec::new();
    let mut visited = 0;
    let mut level = folders_in(root);
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for path in level {
            visited += 1;
            if visited > MAX_FOLDERS {
                return found;
            }
            let name = path.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned);
            let folder = Folder { root, path: &path };
            match (command(folder), name) {
                (Some(package), name @ Some(_)) => found.push(Proposal { folder: name, ..package }),
                _ => next.extend(folders_in(&path)),
            }
        }
        level = next;
    }
    found.sort_by(|one, other| one.folder.cmp(&other.folder));
    found
}

/// The folders in a folder that may be packages or hold some, in order. Another repository is none.
fn folders_in(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = look::folder(path) else { return Vec::new() };
    let is_own = |entry: &DirEntry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        let name = name.to_str().unwrap_or(".");
        // Patterns for its files would mean something else.
        let is_plain = !name.starts_with('.') && !name.contains(['*', '?', '[', '{', '!', '\\']);
        is_folder
            && is_plain
            && !OTHERS.contains(&name)
            && !look::is_there(entry.path().join(".git"))
    };
    let mut found: Vec<PathBuf> =
        entries.flatten().filter(is_own).map(|entry| entry.path()).collect();
    found.sort();
    found
}
