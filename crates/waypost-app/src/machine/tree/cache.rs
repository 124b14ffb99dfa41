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
    /// Stands for the user's index.
    pub(super) stamp: String,
}

/// What has to be known of an index without reading it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// How many objects it needs.
    pub(super) objects: usize,
    /// Whether there are files in it that are not looked at, since they are not there.
    pub(super) has_absent: bool,
    /// Whether there are other repositories, in it or in the user's.
    pub(super) has_links: bool,
    /// Whether programs may be named that convert files.
    pub(super) has_programs: bool,
    /// Stands for the content of all files that say what is ignored.
    pub(super) ignore_files: u64,
}

/// An index of an earlier call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cached {
    pub(super) origin: Origin,
    /// Stands for the user's own rules of what is ignored.
    pub(super) rules: String,
    pub(super) kind: Kind,
    /// The tree that git wrote of it.
    pub(super) tree: String,
}

impl Cached {
    fn name(&self) -> String {
        let Self { origin: Origin { root, stamp }, rules, kind, tree } = self;
        let flags = [(kind.has_absent, 'a'), (kind.has_links, 'l'), (kind.has_programs, 'p')];
        let flags: String = flags.iter().filter(|(is, _)| *is).map(|(_, flag)| flag).collect();
        let Kind { objects, ignore_files, .. } = kind;
        format!("index-{root}-{stamp}-{rules}-f{flags}-{objects}-{ignore_files:016x}-{tree}")
    }

    fn parse(name: &str) -> Option<Self> {
        let fields: Vec<&str> = name.strip_prefix("index-")?.split('-').collect();
        let [root, stamp, rules, flags, objects, ignore_files, tree] = fields[..] else {
            return None;
        };
        let kind = Kind {
            objects: objects.parse().ok()?,
            has_absent: flags.contains('a'),
            has_links: flags.contains('l'),
            has_programs: flags.contains('p'),
            ignore_files: u64::from_str_radix(ignore_files, 16).ok()?,
        };
        let origin = Origin { root: root.to_owned(), stamp: stamp.to_owned() };
        Some(Self { origin, rules: rules.to_owned(), kind, tree: tree.to_owned() })
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

/// The one to begin with: that of the same origin, else another of the same work tree.
pub(super) fn best<'a>(all: &'a [Cached], origin: &Origin) -> Option<&'a Cached> {
    let is_near = |cached: &&Cached| cached.origin.root == origin.root;
    all.iter().find(|cached| cached.origin == *origin).or_else(|| all.iter().find(is_near))
}

/// Keeps an index for the next call instead of the others of its work tree. All this is derived:
/// what fails now is only missed.
pub(super) fn keep(index: &Path, new: &Cached, generation: &Generation) {
    let all = all(generation);
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
    all(generation).iter().map(|cached| cached.kind.objects).sum()
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

    fn cached(root: &str, stamp: &str, has_links: bool) -> Cached {
        let kind = Kind { objects: 7, has_links, ignore_files: 0xabc, ..Kind::default() };
        let origin = Origin { root: root.to_owned(), stamp: stamp.to_owned() };
        Cached { origin, rules: "c3".to_owned(), kind, tree: "4b825dc6".to_owned() }
    }

    #[test]
    fn a_name_tells_everything() {
        for cached in [cached("a1", "b2", true), cached("a1", "b2", false)] {
            assert_eq!(Cached::parse(&cached.name()), Some(cached));
        }
        assert_eq!(Cached::parse("index-a1-b2-plain-7-abc-4b825dc6"), None);
        assert_eq!(Cached::parse("objects"), None);
    }

    #[test]
    fn the_best_is_of_the_same_origin_and_never_of_another_work_tree() {
        let all = [cached("a", "1", true), cached("a", "2", false), cached("b", "3", true)];
        let origin = |root: &str, stamp: &str| cached(root, stamp, true).origin;
        assert_eq!(best(&all, &origin("a", "2")), Some(&all[1]));
        assert_eq!(best(&all, &origin("a", "9")), Some(&all[0]));
        assert_eq!(best(&all, &origin("c", "1")), None);
    }
}
