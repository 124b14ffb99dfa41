//! A file that a tool is about to read or change, by every name that links give it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use waypost_store::look;

use crate::machine::place::{resolved, without_dots};
use crate::machine::project::Project;

/// No more files than this are compared with one that has several names.
const MAX_LOOKED: usize = 10_000;

/// A file by both of its names.
#[derive(Debug)]
pub(super) struct Target {
    /// As it is spelt, without dots.
    plain: PathBuf,
    /// With links followed, as far as it exists.
    real: PathBuf,
}

impl Target {
    pub(super) fn of(cwd: &Path, path: &Path) -> Self {
        let plain = without_dots(&cwd.join(path));
        let real = resolved(&plain);
        Self { plain, real }
    }

    /// Both names; the same one twice where no link leads elsewhere.
    pub(super) fn spellings(&self) -> [&Path; 2] {
        [&self.plain, &self.real]
    }

    /// The file below one of `places` that is the same one under another name. Hardly any file has two names: they are
    /// asked for only then.
    pub(super) fn hard_link_into(&self, places: impl FnOnce() -> Vec<PathBuf>) -> Option<PathBuf> {
        let found = look::at(&self.real).ok()?;
        if found.nlink() < 2 || !found.is_file() {
            return None;
        }
        let mut left = places();
        let mut looked = 0;
        while let Some(path) = left.pop() {
            looked += 1;
            let Ok(other) = look::link(&path) else { continue };
            if other.is_dir() && looked < MAX_LOOKED {
                let entries = look::folder(&path).into_iter().flatten().flatten();
                left.extend(entries.map(|entry| entry.path()));
            } else if (other.dev(), other.ino()) == (found.dev(), found.ino()) {
                return Some(path);
            }
        }
        None
    }

    /// Its names as gates and records know them: relative to the project where it lies there.
    pub(super) fn names(&self, project: &Project) -> Vec<String> {
        if self.plain == self.real && self.plain.starts_with(&project.root) {
            return vec![project.relative(&self.plain)];
        }
        let root = look::real(&project.root).unwrap_or_else(|_| project.root.clone());
        let name = |path: &Path| match path.strip_prefix(&root) {
            Ok(below) => below.to_string_lossy().into_owned(),
            Err(_) => project.relative(path),
        };
        let mut names = vec![name(&self.plain), name(&self.real)];
        // Outside by its spelling alone it is the same file.
        if !names[1].starts_with('/') {
            names.retain(|name| !name.starts_with('/'));
        }
        names.dedup();
        names
    }
}
