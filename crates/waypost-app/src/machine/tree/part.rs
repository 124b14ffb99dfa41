//! One folder's way to its tree: from an index to begin with, through git, to the index to keep. Each repository
//! in the work tree goes the same way.
//!
//! Whichever index a call begins with, the id is the same.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;

use waypost_store::look;

use super::attributes::{self, Suspects};
use super::begin::{self, Beginning, Dated};
use super::cache::{self, Cached, Kind, Origin};
use super::index::{GITLINK, Index, STAT, Summary};
use super::place::Place;
use super::settings::{Asked, Settings};
use super::shared::Shared;
use super::{git_error, private, rules};
use crate::machine::git::{self, GitError};

/// What git says of a repository in the work tree that has no commit yet.
const WITHOUT_COMMIT: &str = "' does not have a commit checked out";

/// A folder that is being looked at.
pub(super) struct Part<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) place: Place,
    /// Stands for the folder.
    pub(super) root_hash: String,
}

/// What git would store of a folder, but for repositories in it.
pub(super) struct Base {
    pub(super) tree: String,
    pub(super) kind: Kind,
    /// The index that says so.
    pub(super) index: PathBuf,
    /// Repositories that git cannot take, since they have no commit.
    pub(super) without_commit: Vec<Vec<u8>>,
}

impl<'a> Part<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, place: Place) -> Self {
        let root = place.root.as_os_str().as_encoded_bytes();
        let own = place.own.join("\n");
        let root_hash = cache::short_hash(&[root, b"\0", own.as_bytes()]);
        Self { shared, place, root_hash }
    }

    /// The content's id. `around` are the settings of the repository around it, if there is one.
    pub(super) fn tree(&self, around: Option<&Settings>, depth: usize) -> Result<String, GitError> {
        thread::scope(|scope| {
            let asked = match around {
                Some(around) => Asked::known(around.within(&self.place, self.shared.trees)),
                // Most of the time it is known when git has looked at the work tree.
                None => Asked::meanwhile(scope, || Settings::read(&self.place, self.shared.trees)),
            };
            let base = self.base(&asked, around)?;
            self.whole(&base, asked.get()?, around, depth)
        })
    }

    fn base(&self, asked: &Asked<'_>, around: Option<&Settings>) -> Result<Base, GitError> {
        let index = self.scratch("cached");
        if let Some(cached) = self.link_best(&index) {
            match self.begin_with_cached(&cached, &index, asked, around) {
                Ok(base) => return Ok(base),
                Err(error) if self.shared.trees.deadline.is_over() => return Err(error),
                // It may be damaged, or need objects that are gone: the user's repository may have
                // been tidied. If it is the work tree that git cannot read, then it says so again,
                // and next time only once.
                Err(_) => {
                    let _ = fs::remove_file(cached.path(&self.shared.generation));
                }
            }
        }
        self.begin_anew(asked, around)
    }

    /// Links the best of the cached indexes.
    fn link_best(&self, index: &Path) -> Option<Cached> {
        // If it is gone, then another call has put a newer one in its place.
        (0..100).find_map(|_| {
            let caches = cache::all(&self.shared.generation);
            let Some(best) = cache::best(&caches, &self.origin()).cloned() else {
                return Some(None);
            };
            cache::link(&best.path(&self.shared.generation), index).ok().map(|()| Some(best))
        })?
    }

    /// Brings the index of an earlier call up to date.
    fn begin_with_cached(
        &self,
        cached: &Cached,
        index: &Path,
        asked: &Asked<'_>,
        around: Option<&Settings>,
    ) -> Result<Base, GitError> {
        let origin = self.origin();
        let is_same_origin = cached.origin == origin;
        let linked = inode(index);
        let kind = self.bring_back(cached, index, asked)?;
        let links = if kind.has_links { self.links(index) } else { Vec::new() };
        let without_commit = self.add(index, kind.has_absent, &links)?;
        let rules = self.rules(asked.get()?, around);
        let is_unchanged = || linked.is_some() && inode(index) == linked;
        if is_same_origin && cached.rules == rules && is_unchanged() {
            let (tree, kind, index) = (cached.tree.clone(), cached.kind.clone(), index.to_owned());
            return Ok(Base { tree, kind, index, without_commit });
        }
        let summary = cache::summary(index);
        let ignores_the_same =
            summary.is_some_and(|now| now.ignore_files == cached.kind.ignore_files);
        if !is_same_origin || cached.rules != rules || !ignores_the_same {
            self.drop_ignored(index)?;
        }
        let known = is_unchanged().then(|| cached.tree.clone());
        let had_links = is_same_origin.then_some(cached.kind.has_links);
        self.written((index.to_owned(), known), origin, rules, without_commit, had_links)
    }

    /// Begins with what the user's own index says is tracked.
    fn begin_anew(&self, asked: &Asked<'_>, around: Option<&Settings>) -> Result<Base, GitError> {
        let (index, origin) = (self.scratch("index"), self.origin());
        let settings = asked.get()?;
        let users = self.users()?;
        // What the user's own attributes made of files says nothing of the files.
        let suspects = Suspects::of(&self.place, settings, &[], false);
        let believed_before = match suspects {
            Suspects::None => self.shared.trees.set_up_at(),
            _ => None,
        };
        if let Some(users) = &users {
            let beginning = Beginning {
                root: &self.place.root,
                ours: None,
                users: Some(users),
                is_sparse: settings.is_sparse,
                believed_before,
                own: &self.place.own,
            };
            Self::put(&index, beginning.index())?;
        }
        let has_absent = cache::summary(&index).is_some_and(|summary| summary.has_absent);
        let links = self.links(&index);
        let without_commit = self.add(&index, has_absent, &links)?;
        let rules = self.rules(settings, around);
        self.written((index, None), origin, rules, without_commit, None)
    }

    /// Makes an index of an earlier call look at files again that were not there, and leave alone those that the
    /// user has left out of the work tree since.
    fn bring_back(
        &self,
        cached: &Cached,
        index: &Path,
        asked: &Asked<'_>,
    ) -> Result<Kind, GitError> {
        let is_same_origin = cached.origin == self.origin();
        let users = if is_same_origin && !cached.kind.has_absent { None } else { self.users()? };
        let summary = users.as_ref().and_then(|users| Some(Index::read(&users.bytes)?.1));
        let has_absent = summary.is_some_and(|summary| summary.has_absent);
        if !has_absent && !cached.kind.has_absent {
            return Ok(cached.kind.clone());
        }
        let ours = Dated::read(index).map_err(|error| git_error(index, &error))?;
        if is_same_origin && !begin::has_come_back(&self.place.root, &ours.bytes) {
            return Ok(cached.kind.clone());
        }
        let beginning = Beginning {
            root: &self.place.root,
            ours: Some(&ours),
            users: users.as_ref(),
            is_sparse: asked.get()?.is_sparse,
            believed_before: None,
            own: &self.place.own,
        };
        let bytes = beginning.index();
        fs::remove_file(index).map_err(|error| git_error(index, &error))?;
        Self::put(index, bytes)?;
        Ok(Kind { has_absent: true, ..cached.kind.clone() })
    }

    /// The user's own index as one that can be read, if there is one.
    fn users(&self) -> Result<Option<Dated>, GitError> {
        let Some(path) = self.place.users_index() else { return Ok(None) };
        let problem = |error| git_error(&path, &error);
        let users = Dated::read(&path).map_err(problem)?;
        if !Index::read(&users.bytes).is_some_and(|(_, summary)| summary.is_partial) {
            return Ok(Some(users));
        }
        let whole = self.scratch("users");
        cache::copy(&path, &whole).map_err(problem)?;
        self.git(&whole, ["update-index", "--force-write-index"].map(String::from), None)?;
        let users = Dated::read(&whole).map_err(problem)?;
        let _ = fs::remove_file(&whole);
        Ok(Some(users))
    }

    fn put(index: &Path, bytes: Option<Vec<u8>>) -> Result<(), GitError> {
        use std::io::Write;
        let Some(bytes) = bytes else { return Ok(()) };
        let written = private::file(index).and_then(|mut file| file.write_all(&bytes));
        written.map_err(|error| git_error(index, &error))
    }

    fn written(
        &self,
        (index, known): (PathBuf, Option<String>),
        origin: Origin,
        rules: String,
        without_commit: Vec<Vec<u8>>,
        had_links: Option<bool>,
    ) -> Result<Base, GitError> {
        let is_new = known.is_none();
        let tree = if let Some(tree) = known {
            tree
        } else {
            // Looking for each file's object would take longer than all the rest, and the id needs none of them.
            let args = ["write-tree", "--missing-ok"].map(str::to_owned);
            let tree = self.git(&index, args, None)?;
            String::from_utf8_lossy(&tree).trim().to_owned()
        };
        let summary = if is_new { self.forget_latest(&index) } else { Ok(cache::summary(&index)) };
        let Some(summary) = summary.map_err(|error| git_error(&index, &error))? else {
            return Err(git_error(&index, &std::io::Error::other("git wrote what cannot be read")));
        };
        let kind = self.kind(&summary, had_links);
        let cached = Cached { origin, rules, kind: kind.clone(), tree: tree.clone() };
        if let Ok(mut pending) = self.shared.pending.lock() {
            pending.push((index.clone(), cached));
        }
        Ok(Base { tree, kind, index, without_commit })
    }

    /// Makes the next call read those files again that changed in the second in which this one began, or later:
    /// git tells times apart by seconds, and of what changes once more in the same second, with its old length and
    /// time of change, it would see nothing.
    /// Gives what the index says as a whole, if it can be read.
    pub(super) fn forget_latest(&self, index: &Path) -> std::io::Result<Option<Summary>> {
        let mut bytes = look::bytes(index)?;
        let began = self.shared.scratch.began()?;
        let Some((read, summary)) = Index::read(&bytes) else { return Ok(None) };
        let latest = read.changed_since(began);
        for at in &latest {
            for part in STAT {
                if let Some(known) = bytes.get_mut(at + part.start..at + part.end) {
                    known.fill(0);
                }
            }
        }
        // Nobody else knows this file yet.
        if !latest.is_empty() {
            fs::write(index, bytes)?;
        }
        Ok(Some(summary))
    }

    /// What has to be known of an index. `had_links` tells whether there were repositories in the user's, where
    /// that has not changed.
    fn kind(&self, summary: &Summary, had_links: Option<bool>) -> Kind {
        let in_users = || {
            let users = self.place.users_index().and_then(|path| cache::summary(&path));
            users.is_some_and(|users| users.has_links)
        };
        Kind {
            has_absent: summary.has_absent,
            has_links: summary.has_links || had_links.unwrap_or_else(in_users),
            has_programs: attributes::names_programs(&self.place.root, &summary.attribute_files),
            objects: summary.objects,
            ignore_files: summary.ignore_files,
        }
    }

    /// Arguments that leave out the repositories that are in an index and in the work tree: git would look into
    /// each, one after another, and what is in them is looked at on its own.
    fn links(&self, index: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let bytes = look::bytes(index).unwrap_or_default();
        if let Some((index, _)) = Index::read(&bytes) {
            index.for_each(|entry| {
                if let Ok(name) = std::str::from_utf8(entry.name)
                    && entry.mode == GITLINK
                    && look::link(self.place.root.join(name)).is_ok_and(|found| found.is_dir())
                {
                    found.push(format!(":(exclude,top,literal){name}"));
                }
            });
        }
        found
    }

    /// Brings an index up to date with the work tree. Gives the repositories that git could not take.
    fn add(
        &self,
        index: &Path,
        has_absent: bool,
        links: &[String],
    ) -> Result<Vec<Vec<u8>>, GitError> {
        let sparse = has_absent.then_some("--sparse");
        let args = ["add", "-A", "--ignore-errors"].into_iter().chain(sparse).map(str::to_owned);
        let ended = git::ended(
            self.command(index),
            args.chain(self.all_but_own()).chain(links.iter().cloned()),
            None,
            self.shared.trees.deadline,
        )?;
        if ended.status.success() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let mut said = ended.stderr.split(|byte| *byte == b'\n').filter(|line| {
            !line.is_empty() && !line.starts_with(b"warning:") && !line.starts_with(b"hint:")
        });
        let other = said.find(|line| {
            let path = line.strip_prefix(b"error: '");
            let path = path.and_then(|line| line.strip_suffix(WITHOUT_COMMIT.as_bytes()));
            found.extend(path.map(|path| path.strip_suffix(b"/").unwrap_or(path).to_vec()));
            path.is_none()
        });
        match other {
            None if !found.is_empty() => Ok(found),
            other => Err(git::failed(other.map(String::from_utf8_lossy).as_deref())),
        }
    }

    /// Takes care that the files which belong to the content although they are ignored are those that the user
    /// added in spite of it.
    fn drop_ignored(&self, index: &Path) -> Result<(), GitError> {
        let ignored = |index: &Path| {
            let list = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
            self.git(index, list.map(String::from).into_iter().chain(self.all_but_own()), None)
        };
        let ours = ignored(index)?;
        let users = match self.place.users_index() {
            Some(users) => ignored(&users)?,
            None => Vec::new(),
        };
        let names = |list: &[u8], other: &[u8]| {
            let other: std::collections::HashSet<&[u8]> = other.split(|byte| *byte == 0).collect();
            let new = list.split(|byte| *byte == 0).filter(|name| !other.contains(name));
            new.flat_map(|name| [name, b"\0"]).collect::<Vec<_>>().concat()
        };
        let (gone, new) = (names(&ours, &users), names(&users, &ours));
        for (option, names) in [("--force-remove", gone), ("--add", new)] {
            if !names.is_empty() {
                let args = ["update-index", "--remove", option, "-z", "--stdin"];
                self.git(index, args.map(String::from), Some(names))?;
            }
        }
        Ok(())
    }

    /// Stands for the user's own rules of what is ignored, as they are written: also what Waypost wrote there.
    fn rules(&self, settings: &Settings, around: Option<&Settings>) -> String {
        let found = rules::of(&self.place, settings, around, &[]);
        let parts: Vec<&[u8]> =
            found.iter().flat_map(|(name, digest)| [name.as_bytes(), digest.as_bytes()]).collect();
        cache::short_hash(&parts)
    }

    /// Arguments that name everything but Waypost's own.
    fn all_but_own(&self) -> impl Iterator<Item = String> {
        let own = self.place.own.iter().map(|path| format!(":(exclude,top){path}"));
        ["--", "."].map(String::from).into_iter().chain(own)
    }

    /// What the content depends on beside the work tree.
    fn origin(&self) -> Origin {
        let stamp = self.place.users_index().map_or_else(String::new, |path| cache::stamp(&path));
        let (root, stamp) = (self.root_hash.clone(), cache::short_hash(&[stamp.as_bytes()]));
        Origin { root, stamp }
    }

    /// A file of this part alone.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.shared.scratch.file(&format!("{}-{name}", self.root_hash))
    }

    fn command(&self, index: &Path) -> std::process::Command {
        let mut git = self.place.git(&self.shared.objects());
        git.env("GIT_INDEX_FILE", index).env("GIT_NO_LAZY_FETCH", "1");
        git
    }

    fn git(
        &self,
        index: &Path,
        args: impl IntoIterator<Item = String>,
        input: Option<Vec<u8>>,
    ) -> Result<Vec<u8>, GitError> {
        let (git, deadline) = (self.command(index), self.shared.trees.deadline);
        match input {
            Some(input) => git::output_of(git, args, input, deadline),
            None => git::output(git, args, deadline),
        }
    }
}

pub(super) fn inode(path: &Path) -> Option<u64> {
    look::at(path).ok().map(|found| found.ino())
}
