//! The id of a work tree's content: what git would commit if everything were added, without what
//! is ignored and without Waypost's own files. Committing does not change it.
//!
//! Git does the work, in a private index and a private object folder, so that neither the user's
//! index nor the repository is touched. Any number of calls may do so at the same time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use waypost_core::evidence::Tree;
use waypost_store::look;

use crate::machine::git::{self, Deadline, GitError};
use crate::machine::project::Project;
use cache::Origin;
use call::Call;
use generation::Generation;
use scratch::Scratch;

mod cache;
mod call;
mod commits;
mod generation;
mod index;
mod lock;
mod objects;
mod private;
mod scratch;
#[cfg(test)]
mod tests;

/// How many changed files are named.
const MAX_FILES: usize = 50;

/// Looks at a project's work tree.
#[derive(Debug)]
pub struct Trees<'a> {
    project: &'a Project,
    sessions_dir: &'a str,
    folder: PathBuf,
    deadline: Deadline,
}

impl<'a> Trees<'a> {
    /// Trees of `project`, whose published sessions lie in `sessions_dir`.
    pub fn new(project: &'a Project, sessions_dir: &'a str) -> Self {
        let folder = project.store.join("trees");
        Self { project, sessions_dir, folder, deadline: Deadline::after(git::LIMIT) }
    }

    /// The content's id now, or why it cannot be told.
    pub fn now(&self) -> Tree {
        match self.compute() {
            Ok(id) => Tree::Id(id),
            Err(error) => Tree::Unknown(error.to_string()),
        }
    }

    /// The files that differ between two contents, as far as they can still be told.
    pub fn changed(&self, from: &str, to: &str) -> Vec<String> {
        self.changed_up_to(from, to, MAX_FILES)
    }

    /// The same for so many files at most.
    pub fn changed_up_to(&self, from: &str, to: &str, most: usize) -> Vec<String> {
        let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
        let names = self.compare(&args).unwrap_or_default();
        names
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .take(most)
            .map(|name| waypost_core::text::one_line(&String::from_utf8_lossy(name)))
            .collect()
    }

    /// How many lines were added and taken away between a commit and a content.
    pub fn lines(&self, commit: &str, tree: &str) -> Result<u64, GitError> {
        let from = format!("{commit}^{{tree}}");
        let args = ["diff-tree", "-r", "--numstat", "--no-renames", &from, tree];
        let listed = self.compare(&args)?;
        let listed = String::from_utf8_lossy(&listed);
        let own = self.own_paths();
        let counted = listed.lines().filter_map(|line| {
            let mut columns = line.split('\t');
            let (added, gone) = (columns.next()?, columns.next()?);
            let path = columns.next()?;
            let is_own = own.iter().any(|own| path.starts_with(&format!("{own}/")));
            // Binary files have no lines.
            let number = |text: &str| text.parse::<u64>().unwrap_or(0);
            (!is_own).then(|| number(added) + number(gone))
        });
        Ok(counted.sum())
    }

    fn compute(&self) -> Result<String, GitError> {
        let problem = |error: std::io::Error| git_error(&self.folder, &error);
        private::folder(&self.folder).map_err(problem)?;
        generation::sweep(&self.folder);
        let generation = Generation::newest(&self.folder).map_err(problem)?;
        scratch::sweep(&self.folder, &generation.objects());
        let scratch = Scratch::new(&self.folder).map_err(problem)?;
        if self.project.git.is_none() {
            self.plain_repository(&scratch)?;
        }
        let call = Call { trees: self, generation, scratch, origin: self.origin() };
        let tree = call.tree().inspect_err(|_| {
            // The next call may get further with what this one has written.
            let _ = call.hand_over();
        })?;
        // Derived: what cannot be begun anew now is begun anew later.
        let _ = call.generation.retire_if_full(|| cache::needed(&call.generation));
        Ok(tree)
    }

    /// What the content depends on beside the work tree.
    fn origin(&self) -> Origin {
        let root = self.project.root.as_os_str().as_encoded_bytes();
        let mut stamp = self.own_paths().join("\n");
        if let Some(git) = &self.project.git {
            stamp += &cache::stamp(&git.own.join("index"));
            stamp += &cache::stamp(&git.common.join("info/exclude"));
        }
        let (root, stamp) = (cache::short_hash(&[root]), cache::short_hash(&[stamp.as_bytes()]));
        Origin { root, stamp }
    }

    /// A plain folder gets a repository of its own beside the streams, for comparisons only.
    fn plain_repository(&self, scratch: &Scratch) -> Result<(), GitError> {
        let folder = self.folder.join("plain.git");
        if look::is_file(folder.join("HEAD")) {
            return Ok(());
        }
        let new = scratch.file("plain.git");
        let mut init = git::command(&self.project.root);
        init.args(["init", "-q", "--bare", "--template=", "--shared=0600"]).arg(&new);
        git::output(init, [] as [&str; 0], self.deadline)?;
        match fs::rename(&new, &folder) {
            Err(error) if !look::is_file(folder.join("HEAD")) => Err(git_error(&folder, &error)),
            _ => Ok(()),
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
        git::output(self.git(&known)?, args, self.deadline)
    }

    /// Git with these private objects: new ones are written to the first folder.
    fn git(&self, private: &[PathBuf]) -> Result<Command, GitError> {
        let mut command = git::command(&self.project.root);
        let repository = match &self.project.git {
            Some(git) => git.common.clone(),
            None => self.folder.join("plain.git"),
        };
        if self.project.git.is_none() {
            command.env("GIT_DIR", &repository).env("GIT_WORK_TREE", &self.project.root);
        }
        let mut others = repository.join("objects").into_os_string();
        for folder in private.iter().skip(1) {
            others.push(":");
            others.push(folder);
        }
        for folder in private.iter().chain([&repository]) {
            if folder.to_string_lossy().contains([':', '"']) {
                let error = std::io::Error::other("its path has a colon or a quote");
                return Err(git_error(folder, &error));
            }
        }
        if let Some(objects) = private.first() {
            command.env("GIT_OBJECT_DIRECTORY", objects);
        }
        command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", others);
        command.args(["-c", "advice.addEmbeddedRepo=false", "-c", "core.safecrlf=false"]);
        command.args(["-c", private::GIT]);
        // Nobody checks the checksum of an index, and making it takes most of writing a large one.
        command.args(["-c", "index.skipHash=true"]);
        // Linking and unlinking each new object would take twice as long as renaming it.
        command.args(["-c", "core.splitIndex=false", "-c", "core.createObject=rename"]);
        Ok(command)
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
