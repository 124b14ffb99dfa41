//! Indexes of earlier calls. Beginning with one saves reading every file that has not changed.
//!
//! What has to be known of one stands in its name, so that it and the index appear together.

use std::fs::{self};
use std::io;
use std::path::{Path, PathBuf};

use waypost_core::key::sha256_hex;
use waypost_store::look;

use super::generation::Generation;
use super::index::{Index, Summary};
use super::private;

/// What the content depends on beside the work tree itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    /// Stands for the work tree's place.
    pub(super) root: String,
    /// Stands for the user's index and for whatever else says which files belong to the content.
    pub(super) stamp: String,
}

/// An index of an earlier call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cached {
    pub(super) origin: Origin,
    pub(super) summary: Summary,
    /// The tree that git wrote of it.
    pub(super) tree: String,
}

impl Cached {
    fn name(&self) -> String {
        let Self { origin: Origin { root, stamp }, summary, tree } = self;
        let kind = if summary.is_plain { "plain" } else { "other" };
        let Summary { objects, ignore_files, .. } = summary;
        format!("index-{root}-{stamp}-{kind}-{objects}-{ignore_files:016x}-{tree}")
    }

    fn parse(name: &str) -> Option<Self> {
        let fields: Vec<&str> = name.strip_prefix("index-")?.split('-').collect();
        let [root, stamp, kind, objects, ignore_files, tree] = fields[..] else {
            return None;
        };
        let summary = Summary {
            objects: objects.parse().ok()?,
            is_plain: kind == "plain",
            ignore_files: u64::from_str_radix(ignore_files, 16).ok()?,
        };
        let origin = Origin { root: root.to_owned(), stamp: stamp.to_owned() };
        Some(Self { origin, summary, tree: tree.to_owned() })
    }

    /// Where it lies.
    pub(super) fn path(&self, generation: &Generation) -> PathBuf {
        generation.folder.join(self.name())
    }
}

/// All cached indexes of a generation.
pub(super) fn all(generation: &Generation) -> Vec<Cached> {
    let entries = look::folder(&generation.folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<Cached> = names.filter_map(|name| Cached::parse(&name)).collect();
    found.sort_by_key(Cached::name);
    found
}

/// The one to begin with: that of the same origin, else one that the work tree alone made what it
/// is.
pub(super) fn best<'a>(all: &'a [Cached], origin: &Origin) -> Option<&'a Cached> {
    let transferable =
        |cached: &&Cached| cached.origin.root == origin.root && cached.summary.is_plain;
    all.iter().find(|cached| cached.origin == *origin).or_else(|| all.iter().find(transferable))
}

/// Keeps an index for the next call instead of the others of its work tree. All this is derived:
/// what fails now is only missed.
pub(super) fn keep(index: &Path, new: &Cached, all: &[Cached], generation: &Generation) {
    let path = new.path(generation);
    if fs::rename(index, &path).is_ok() {
        let others = all.iter().filter(|cached| cached.origin.root == new.origin.root);
        for other in others.map(|cached| cached.path(generation)).filter(|other| *other != path) {
            let _ = fs::remove_file(other);
        }
    }
}

/// How many objects the cached indexes of a generation need, at most.
pub(super) fn needed(generation: &Generation) -> usize {
    all(generation).iter().map(|cached| cached.summary.objects).sum()
}

/// Stands for something in a name.
pub(super) fn short_hash(parts: &[&[u8]]) -> String {
    let mut hash = sha256_hex(parts);
    hash.truncate(16);
    hash
}

/// What tells a file from what it was before: it changes whenever the file is written.
pub(super) fn stamp(path: &Path) -> String {
    use std::os::unix::fs::MetadataExt;
    look::at(path).map_or_else(
        |_| "none".to_owned(),
        |found| {
            let (seconds, nanoseconds) = (found.mtime(), found.mtime_nsec());
            format!("{}-{}-{seconds}-{nanoseconds}", found.ino(), found.size())
        },
    )
}

/// What an index says as a whole, if it can be read.
pub(super) fn summary(path: &Path) -> Option<Summary> {
    let bytes = look::bytes(path).ok()?;
    Some(Index::read(&bytes)?.1)
}

/// Gives a cached index a second name. Git never changes an index, it puts a new one in its
/// place, so the cached one stays as it is.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| copy(from, to))
}

/// Copies an index with its time of change: git compares it with those of the files to see which
/// entries were written too close to a change to be trusted.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut index = look::open(from)?;
    let modified = index.metadata()?.modified()?;
    let mut copy = private::file(to)?;
    io::copy(&mut index, &mut copy)?;
    copy.set_modified(modified)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cached(root: &str, stamp: &str, is_plain: bool) -> Cached {
        let summary = Summary { objects: 7, is_plain, ignore_files: 0xabc };
        let origin = Origin { root: root.to_owned(), stamp: stamp.to_owned() };
        Cached { origin, summary, tree: "4b825dc6".to_owned() }
    }

    #[test]
    fn a_name_tells_everything() {
        for cached in [cached("a1", "b2", true), cached("a1", "b2", false)] {
            assert_eq!(Cached::parse(&cached.name()), Some(cached));
        }
        assert_eq!(Cached::parse("index-a1-b2-plain-7-abc"), None);
        assert_eq!(Cached::parse("objects"), None);
    }

    #[test]
    fn the_best_is_of_the_same_origin_and_never_of_another_work_tree() {
        let all = [cached("a", "1", true), cached("a", "2", false), cached("b", "3", true)];
        let origin = |root: &str, stamp: &str| cached(root, stamp, true).origin;
        assert_eq!(best(&all, &origin("a", "2")), Some(&all[1]));
        assert_eq!(best(&all, &origin("a", "9")), Some(&all[0]));
        assert_eq!(best(&all[1..], &origin("a", "9")), None, "the user's index had a say in it");
        assert_eq!(best(&all, &origin("c", "1")), None);
    }
}
