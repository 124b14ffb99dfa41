//! One call's way to the tree: from an index to begin with, through git, to the index to keep.
//!
//! Whichever index a call begins with, the id is the one that the user's own index would give.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use waypost_store::look;

use super::cache::{self, Cached, Origin};
use super::generation::Generation;
use super::index::{Index, Summary};
use super::scratch::Scratch;
use super::{Trees, git_error, objects};
use crate::machine::git::{self, GitError};

/// One look at the work tree, with a place of its own for whatever git writes.
pub(super) struct Call<'a> {
    pub(super) trees: &'a Trees<'a>,
    pub(super) generation: Generation,
    pub(super) scratch: Scratch,
    pub(super) origin: Origin,
}

impl Call<'_> {
    /// The tree's id.
    pub(super) fn tree(&self) -> Result<String, GitError> {
        let index = self.scratch.file("cached");
        let (caches, linked) = self.link_best(&index);
        if let Some(cached) = linked {
            match self.begin_with_cached(&cached, &index, &caches) {
                Ok(Some(tree)) => return Ok(tree),
                Ok(None) => {}
                Err(error) if self.trees.deadline.is_over() => return Err(error),
                // It may be damaged, or need objects that are gone: the user's repository may have
                // been tidied. If it is the work tree that git cannot read, then it says so again,
                // and next time only once.
                Err(_) => {
                    let _ = fs::remove_file(cached.path(&self.generation));
                }
            }
        }
        self.begin_with_users(&caches)
    }

    /// Links the best of the cached indexes. Gives them all, and the one that was linked.
    fn link_best(&self, index: &Path) -> (Vec<Cached>, Option<Cached>) {
        let mut caches = cache::all(&self.generation);
        // If it is gone, then another call has put a newer one in its place.
        for _ in 0..100 {
            let Some(best) = cache::best(&caches, &self.origin).cloned() else {
                break;
            };
            if cache::link(&best.path(&self.generation), index).is_ok() {
                return (caches, Some(best));
            }
            caches = cache::all(&self.generation);
        }
        (caches, None)
    }

    /// Brings the index of an earlier call up to date. `None` if the user's own index might give
    /// something else.
    fn begin_with_cached(
        &self,
        cached: &Cached,
        index: &Path,
        all: &[Cached],
    ) -> Result<Option<String>, GitError> {
        let is_same_origin = cached.origin == self.origin;
        let linked = inode(index);
        self.add(index)?;
        if is_same_origin && linked.is_some() && inode(index) == linked {
            return Ok(Some(cached.tree.clone()));
        }
        // An index of the same origin never held any.
        if !is_same_origin {
            self.remove_own(index)?;
        }
        let tree = self.write(index)?;
        let Some(summary) = cache::summary(index) else {
            return Ok(None);
        };
        let is_plain = cached.summary.is_plain && summary.is_plain;
        let ignores_the_same = cached.summary.ignore_files == summary.ignore_files;
        let agrees = is_same_origin || (is_plain && self.agrees_with_users(index));
        let has_same_files = agrees
            && ((is_same_origin && ignores_the_same) || self.has_same_ignored_as_users(index)?);
        if !has_same_files {
            return Ok(None);
        }
        self.keep(index, Summary { is_plain, ..summary }, tree.clone(), all);
        Ok(Some(tree))
    }

    /// Begins with the user's own index.
    fn begin_with_users(&self, all: &[Cached]) -> Result<String, GitError> {
        let index = self.scratch.file("index");
        let users = self.users_index();
        if look::is_file(&users) {
            cache::copy(&users, &index).map_err(|error| git_error(&users, &error))?;
        }
        let users_is_plain = !look::is_file(&index)
            || cache::summary(&index).is_some_and(|summary| summary.is_plain);
        self.add(&index)?;
        self.remove_own(&index)?;
        let tree = self.write(&index)?;
        if let Some(summary) = cache::summary(&index) {
            let is_plain = users_is_plain && summary.is_plain;
            self.keep(&index, Summary { is_plain, ..summary }, tree.clone(), all);
        }
        Ok(tree)
    }

    fn keep(&self, index: &Path, summary: Summary, tree: String, all: &[Cached]) {
        let cached = Cached { origin: self.origin.clone(), summary, tree };
        cache::keep(index, &cached, all, &self.generation);
    }

    /// Brings an index up to date with the work tree.
    fn add(&self, index: &Path) -> Result<(), GitError> {
        let args = ["add", "-A"].map(String::from).into_iter().chain(self.all_but_own());
        self.git(index, args).map(|_| ())
    }

    /// Leaves Waypost's own files out of an index that may hold some.
    fn remove_own(&self, index: &Path) -> Result<(), GitError> {
        let own = self.trees.own_paths();
        let bytes = look::bytes(index).unwrap_or_default();
        if own.is_empty() || Index::read(&bytes).is_some_and(|(read, _)| !read.has_any_below(&own))
        {
            return Ok(());
        }
        let remove = ["rm", "-r", "-q", "--cached", "--ignore-unmatch", "--"];
        let own = own.iter().map(|path| format!(":(top){path}"));
        self.git(index, remove.map(String::from).into_iter().chain(own)).map(|_| ())
    }

    fn write(&self, index: &Path) -> Result<String, GitError> {
        let tree = self.git(index, ["write-tree".to_owned()])?;
        self.hand_over().map_err(|error| git_error(&self.generation.objects(), &error))?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    /// Gives the objects that were written to those that come after.
    pub(super) fn hand_over(&self) -> std::io::Result<()> {
        objects::hand_over(&self.scratch.objects(), &self.generation.objects())
    }

    /// Whether the user's index leaves it to the work tree what the entries are, and says nothing
    /// else of files that it knows in the same state. Then it does not matter which of the two
    /// indexes a call begins with, but for files that are ignored.
    fn agrees_with_users(&self, index: &Path) -> bool {
        let users = self.users_index();
        if !look::is_there(&users) {
            return true;
        }
        let (Ok(users), Ok(ours)) = (look::bytes(users), look::bytes(index)) else {
            return false;
        };
        let (Some((users, summary)), Some((ours, _))) = (Index::read(&users), Index::read(&ours))
        else {
            return false;
        };
        summary.is_plain && ours.agrees_with(&users)
    }

    /// Whether the files that belong to the content although they are ignored are those that the
    /// user added in spite of it.
    fn has_same_ignored_as_users(&self, index: &Path) -> Result<bool, GitError> {
        let ignored = |index: &Path| {
            let list = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
            self.git(index, list.map(String::from).into_iter().chain(self.all_but_own()))
        };
        Ok(ignored(index)? == ignored(&self.users_index())?)
    }

    /// The user's own index, which need not exist.
    fn users_index(&self) -> PathBuf {
        match &self.trees.project.git {
            Some(git) => git.own.join("index"),
            None => self.scratch.file("none"),
        }
    }

    /// Arguments that name everything but Waypost's own.
    fn all_but_own(&self) -> impl Iterator<Item = String> {
        let own = self.trees.own_paths().into_iter().map(|path| format!(":(exclude,top){path}"));
        ["--", "."].map(String::from).into_iter().chain(own)
    }

    fn git(
        &self,
        index: &Path,
        args: impl IntoIterator<Item = String>,
    ) -> Result<Vec<u8>, GitError> {
        let mut git = self.trees.git(&[self.scratch.objects(), self.generation.objects()])?;
        git.env("GIT_INDEX_FILE", index);
        git::output(git, args, self.trees.deadline)
    }
}

pub(super) fn inode(path: &Path) -> Option<u64> {
    look::at(path).ok().map(|found| found.ino())
}
