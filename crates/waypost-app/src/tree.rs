//! The id of a work tree's content: what git would commit if everything were added, without what
//! is ignored and without Waypost's own files. Committing does not change it.
//!
//! Git does the work, in a private index and a private object folder, so that neither the user's
//! index nor the repository is touched.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use waypost_core::evidence::Tree;
use waypost_core::key::sha256_hex;

use crate::git::{self, Deadline, GitError};
use crate::project::Project;

/// How many changed files are named.
const MAX_FILES: usize = 50;
/// A private object folder with more files than this is begun anew; it only serves comparisons.
const MAX_OBJECTS: usize = 20_000;

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
        let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
        let Ok(git) = self.git(None) else {
            return Vec::new();
        };
        let names = git::output(git, args, self.deadline).unwrap_or_default();
        names
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .take(MAX_FILES)
            .map(|name| waypost_core::text::one_line(&String::from_utf8_lossy(name)))
            .collect()
    }

    /// How many lines were added and taken away between a commit and a content.
    pub fn lines(&self, commit: &str, tree: &str) -> Result<u64, GitError> {
        let from = format!("{commit}^{{tree}}");
        let args = ["diff-tree", "-r", "--numstat", "--no-renames", &from, tree];
        let listed = git::output(self.git(None)?, args, self.deadline)?;
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
        fs::create_dir_all(self.folder.join("objects")).map_err(problem)?;
        self.sweep();
        let (cached, seed) = self.seed()?;
        let working = Scratch(self.folder.join(format!("working-{}", std::process::id())));
        if let Some(seed) = &seed {
            copy_with_time(seed, &working.0).map_err(problem)?;
        }
        let own = self.own_paths();
        let mut add = vec!["add".to_owned(), "-A".into(), "--".into(), ".".into()];
        add.extend(own.iter().map(|path| format!(":(exclude,top){path}")));
        git::output(self.git(Some(&working.0))?, add, self.deadline)?;
        if own.iter().any(|path| mentions(&working.0, path)) {
            let mut remove: Vec<String> =
                ["rm", "-r", "-q", "--cached", "--ignore-unmatch", "--"].map(String::from).into();
            remove.extend(own.iter().map(|path| format!(":(top){path}")));
            git::output(self.git(Some(&working.0))?, remove, self.deadline)?;
        }
        let id = git::output(self.git(Some(&working.0))?, ["write-tree"], self.deadline)?;
        if seed.as_ref() != Some(&cached) {
            self.drop_caches();
        }
        // The cache only saves hashing next time.
        let _ = fs::rename(&working.0, &cached);
        Ok(String::from_utf8_lossy(&id).trim().to_owned())
    }

    /// The index to keep for next time, and the one to begin with: that of last time if the
    /// user's own index is still the same, else the user's own.
    fn seed(&self) -> Result<(PathBuf, Option<PathBuf>), GitError> {
        let Some(git) = &self.project.git else {
            self.plain_repository()?;
            let cached = self.folder.join("index-plain");
            let seed = cached.is_file().then(|| cached.clone());
            return Ok((cached, seed));
        };
        let users = git.own.join("index");
        let stamp = fs::metadata(&users).map_or_else(
            |_| "none".to_owned(),
            |found| {
                use std::os::unix::fs::MetadataExt;
                format!("{}-{}-{}-{}", found.ino(), found.size(), found.mtime(), found.mtime_nsec())
            },
        );
        let cached = self.folder.join(format!("{}{stamp}", self.cache_prefix()));
        let seed = [&cached, &users].into_iter().find(|path| path.is_file()).cloned();
        Ok((cached, seed))
    }

    fn cache_prefix(&self) -> String {
        let root = self.project.root.as_os_str().as_encoded_bytes();
        format!("index-{}-", &sha256_hex(&[root])[..12])
    }

    fn drop_caches(&self) {
        let prefix = self.cache_prefix();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                // Derived: what cannot be removed now is removed next time.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// A plain folder gets a repository of its own beside the streams, for comparisons only.
    fn plain_repository(&self) -> Result<(), GitError> {
        let folder = self.folder.join("plain.git");
        if folder.join("HEAD").is_file() {
            return Ok(());
        }
        let mut init = git::command(&self.project.root);
        init.args(["init", "-q", "--bare"]).arg(&folder);
        git::output(init, [] as [&str; 0], self.deadline).map(|_| ())
    }

    fn git(&self, index: Option<&Path>) -> Result<Command, GitError> {
        let mut command = git::command(&self.project.root);
        let objects = self.folder.join("objects");
        let known = match &self.project.git {
            Some(git) => git.common.join("objects"),
            None => self.folder.join("plain.git/objects"),
        };
        if self.project.git.is_none() {
            command
                .env("GIT_DIR", self.folder.join("plain.git"))
                .env("GIT_WORK_TREE", &self.project.root);
        }
        if known.to_string_lossy().contains([':', '"']) {
            return Err(git_error(
                &known,
                &std::io::Error::other("its path has a colon or a quote"),
            ));
        }
        command.env("GIT_OBJECT_DIRECTORY", objects).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", known);
        if let Some(index) = index {
            command.env("GIT_INDEX_FILE", index);
        }
        command.args(["-c", "advice.addEmbeddedRepo=false", "-c", "core.safecrlf=false"]);
        command.args(["-c", "core.splitIndex=false"]);
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

    /// Removes what killed processes left behind, and comparisons that grew too large.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let owner = name.strip_prefix("working-").and_then(|rest| rest.split('.').next());
            let gone = |pid: &str| !Path::new("/proc").join(pid).exists();
            if owner.is_some_and(gone) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let objects = self.folder.join("objects");
        let fans = fs::read_dir(&objects).into_iter().flatten().flatten();
        // One of git's 256 folders tells how full the others are.
        let sample =
            fans.filter(|fan| fan.file_name() == "00").flat_map(|fan| fs::read_dir(fan.path()));
        if sample.flatten().count() > MAX_OBJECTS / 256 {
            let _ = fs::remove_dir_all(&objects);
            let _ = fs::create_dir_all(&objects);
            self.drop_caches();
        }
    }
}

/// An index that is removed unless it was moved away.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        let mut lock = self.0.clone().into_os_string();
        lock.push(".lock");
        let _ = fs::remove_file(lock);
    }
}

/// Copies an index with its time of change: git compares it with those of the files to see which
/// entries were written too close to a change to be trusted.
fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    let modified = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(modified)
}

/// Whether an index may hold entries below `path`. Version 4 shortens names, so it always may.
fn mentions(index: &Path, path: &str) -> bool {
    let Ok(content) = fs::read(index) else {
        return true;
    };
    let needle = path.as_bytes();
    content.get(7) == Some(&4) || content.windows(needle.len()).any(|window| window == needle)
}

fn git_error(path: &Path, error: &std::io::Error) -> GitError {
    GitError::from_text(format!("{}: {error}", path.display()))
}
