//! The id of a work tree's content: what git would commit if everything were added, without what
//! is ignored and without Waypost's own files, with the content of repositories in it. Committing does not change
//! it, and every other change does, whatever the user's git was told not to look at.
//!
//! Git does the work, in a private index and a private object folder, so that neither the user's
//! index nor the repository is touched. Any number of calls may do so at the same time.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use waypost_core::evidence::Tree;
use waypost_store::look;

use crate::machine::git::{self, Deadline, GitError};
use crate::machine::project::Project;
use generation::Generation;
pub use names::PRIVATE_RULES;
use part::Part;
use place::Place;
use scratch::Scratch;
use shared::Shared;

mod attributes;
mod begin;
mod cache;
mod commits;
mod generation;
mod index;
mod lock;
mod names;
mod objects;
mod part;
mod place;
mod private;
mod rules;
mod scratch;
mod settings;
mod shared;
#[cfg(test)]
mod tests;
mod unfiltered;
mod whole;

/// How deep repositories may lie in each other.
const MAX_DEPTH: usize = 16;
/// The repository of folders that have none.
const PLAIN: &str = "plain.git";
/// Looks at a project's work tree.
#[derive(Debug)]
pub struct Trees<'a> {
    project: &'a Project,
    sessions_dir: &'a str,
    folder: PathBuf,
    deadline: Deadline,
    /// Rules of what is ignored that do not count: by these, Waypost keeps files out of commits.
    allowed: Vec<&'static str>,
}

impl<'a> Trees<'a> {
    /// Trees of `project`, whose published sessions lie in `sessions_dir`.
    pub fn new(project: &'a Project, sessions_dir: &'a str) -> Self {
        let folder = project.store.join("trees");
        let deadline = Deadline::after(git::LIMIT);
        Self { project, sessions_dir, folder, deadline, allowed: Vec::new() }
    }

    /// The same, where these rules of what is ignored are Waypost's own.
    #[must_use]
    pub fn allowing(mut self, rules: impl IntoIterator<Item = &'static str>) -> Self {
        self.allowed.extend(rules);
        self
    }

    /// The content's id now, or why it cannot be told.
    pub fn now(&self) -> Tree {
        match self.compute() {
            Ok(id) => Tree::Id(id),
            Err(error) => Tree::Unknown(error.to_string()),
        }
    }

    /// The files that differ between two contents, as far as they can still be told; so many at most.
    pub fn changed_up_to(&self, from: &str, to: &str, most: usize) -> Vec<String> {
        let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
        let listed = self.compare(&args).unwrap_or_default();
        let mut known = HashSet::new();
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = names.map(|name| self.named(&String::from_utf8_lossy(name)));
        // A file may differ in what git stores of it, and in its own bytes.
        names.filter(|name| known.insert(name.clone())).take(most).collect()
    }

    fn compute(&self) -> Result<String, GitError> {
        let problem = |error: std::io::Error| git_error(&self.folder, &error);
        private::folder(&self.folder).map_err(problem)?;
        generation::sweep(&self.folder);
        let generation = Generation::newest(&self.folder).map_err(problem)?;
        scratch::sweep(&self.folder, &generation.objects());
        let scratch = Scratch::new(&self.folder).map_err(problem)?;
        if self.project.git.is_none() {
            self.bare_repository(&scratch, PLAIN)?;
        }
        let (pending, wholes) = (Mutex::default(), Mutex::default());
        let shared = Shared { trees: self, generation, scratch, pending, wholes };
        let tree = Part::new(&shared, self.place()).tree(None, MAX_DEPTH);
        // Also of what came to no end: the next call may get further with what this one has written.
        let handed_over = shared.hand_over();
        let tree = tree?;
        handed_over.map_err(|error| git_error(&shared.generation.objects(), &error))?;
        // Derived: what cannot be begun anew now is begun anew later.
        let _ = shared.generation.retire_if_full(|| cache::needed(&shared.generation));
        Ok(tree)
    }

    /// The work tree.
    fn place(&self) -> Place {
        Place::of(self.project, self.own_paths(), self.folder.join(PLAIN))
    }

    /// When Waypost was set up here, as far as the file system tells.
    fn set_up_at(&self) -> Option<SystemTime> {
        look::at(&self.project.store).ok()?.created().ok()
    }

    /// A repository beside the streams that holds nothing: for folders without one, and to look at files without
    /// what the user's own says of them.
    fn bare_repository(&self, scratch: &Scratch, name: &str) -> Result<PathBuf, GitError> {
        let folder = self.folder.join(name);
        if look::is_file(folder.join("HEAD")) {
            return Ok(folder);
        }
        let new = scratch.file(name);
        let mut init = git::command(&self.project.root);
        let format = if name == PLAIN { "sha1" } else { "sha256" };
        init.args(["init", "-q", "--bare", "--template=", "--shared=0600"]);
        init.arg(format!("--object-format={format}")).arg(&new);
        git::output(init, [] as [&str; 0], self.deadline)?;
        match fs::rename(&new, &folder) {
            Err(error) if !look::is_file(folder.join("HEAD")) => Err(git_error(&folder, &error)),
            _ => Ok(folder),
        }
    }

    /// Compares two trees, of which one may be of the generation before.
    fn compare(&self, args: &[&str]) -> Result<Vec<u8>, GitError> {
        self.compare_with(&[], args)
    }

    /// The same, with objects of other repositories too.
    fn compare_with(&self, others: &[PathBuf], args: &[&str]) -> Result<Vec<u8>, GitError> {
        let problem = |error: std::io::Error| git_error(&self.folder, &error);
        private::folder(&self.folder).map_err(problem)?;
        let newest = Generation::newest(&self.folder).map_err(problem)?;
        let before = newest.before();
        let mut known = vec![newest.objects()];
        known.extend(before.iter().map(Generation::objects));
        known.extend_from_slice(others);
        git::output(self.place().git(&known), args, self.deadline)
    }

    /// Waypost's own paths in the work tree.
    fn own_paths(&self) -> Vec<String> {
        let mut own = vec![self.sessions_dir.trim_matches('/').to_owned()];
        if self.project.git.is_none() {
            own.push(".waypost".to_owned());
        }
        own.retain(|path| !path.is_empty() && path != ".");
        own
    }
}

fn git_error(path: &Path, error: &std::io::Error) -> GitError {
    GitError::from_text(format!("{}: {error}", path.display()))
}
