//! Reading git's index file, as far as it saves asking git. Nothing is ever written here, and what
//! is not understood is told as such: then git is asked.

use std::cmp::Ordering;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

const GITLINK: u32 = 0o160_000;
const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;
const SKIP_WORKTREE: u16 = 0x4000;

/// What an index says as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Summary {
    /// How many objects it needs.
    pub(super) objects: usize,
    /// Whether the work tree alone says what the entries are: none is exempt from being looked
    /// at, none is another repository, and none is left to another file.
    pub(super) is_plain: bool,
    /// Stands for the content of all files that say what is ignored.
    pub(super) ignore_files: u64,
}

/// An index in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Index<'a> {
    bytes: &'a [u8],
    version: u32,
    count: u32,
    id_length: usize,
}

impl<'a> Index<'a> {
    /// An index that can be read from its beginning to its end, and what it says as a whole;
    /// `None` for all else.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Self, Summary)> {
        let (version, count) = (number(bytes, 4)?, number(bytes, 8)?);
        if bytes.get(..4) != Some(b"DIRC") || !(2..=4).contains(&version) {
            return None;
        }
        // Nothing in the file tells the length of its ids. With the wrong one, names do not have
        // the length that is told, and the extensions do not meet the end.
        [20, 32].into_iter().find_map(|id_length| {
            let index = Self { bytes, version, count, id_length };
            Some((index, index.summary()?))
        })
    }

    fn summary(&self) -> Option<Summary> {
        let mut entries = self.entries();
        let mut is_plain = true;
        let mut ignore_files = DefaultHasher::new();
        let is_in_order = entries.for_each_in_order(|entry| {
            is_plain &= !entry.is_exempt && entry.mode != GITLINK;
            if entry.name == b".gitignore" || entry.name.ends_with(b"/.gitignore") {
                (entry.name, entry.id).hash(&mut ignore_files);
            }
        });
        let extensions = entries.extensions().filter(|_| is_in_order)?;
        // A split index, and one with whole folders as entries.
        is_plain &= !extensions.iter().any(|(name, _)| name == b"link" || name == b"sdir");
        let trees = extensions.iter().find(|(name, _)| name == b"TREE");
        let trees = trees.and_then(|(_, data)| self.trees(data)).unwrap_or_default();
        let objects = self.count as usize + trees;
        Some(Summary { objects, is_plain, ignore_files: ignore_files.finish() })
    }

    /// Whether there is an entry at or below one of these paths.
    pub(super) fn has_any_below(&self, paths: &[String]) -> bool {
        let mut found = false;
        self.entries().for_each_in_order(|entry| {
            found |= paths.iter().any(|path| {
                let rest = entry.name.strip_prefix(path.as_bytes());
                rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
            });
        });
        found
    }

    /// Whether two indexes say the same of every file that both saw in the same state.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        let (mut ours, mut theirs) = (self.entries(), other.entries());
        let (mut our_next, mut their_next) = (ours.advance(), theirs.advance());
        while let (Some(our), Some(their)) = (&our_next, &their_next) {
            let order = ours.name.cmp(&theirs.name);
            if order.is_eq() && our.stat == their.stat && our.content() != their.content() {
                return false;
            }
            if order != Ordering::Greater {
                our_next = ours.advance();
            }
            if order != Ordering::Less {
                their_next = theirs.advance();
            }
        }
        true
    }

    fn entries(&self) -> Entries<'a> {
        let end = self.bytes.len().saturating_sub(self.id_length);
        Entries { index: *self, end, at: 12, left: self.count, name: Vec::new() }
    }

    /// How many trees the extension for trees tells of: for each a path, a NUL, the number of its
    /// entries (negative if it has changed), a space, the number of its subtrees, a line feed, and
    /// the id of one that has not changed.
    fn trees(&self, mut data: &[u8]) -> Option<usize> {
        let mut trees = 0;
        while !data.is_empty() {
            let path = data.iter().position(|byte| *byte == 0)?;
            let line = data.get(path + 1..)?;
            let length = line.iter().position(|byte| *byte == b'\n')?;
            let has_changed = line.first() == Some(&b'-');
            data = line.get(length + 1 + if has_changed { 0 } else { self.id_length }..)?;
            trees += 1;
        }
        Some(trees)
    }
}

/// An entry but for its name, which [`Entries`] holds.
struct Fields<'a> {
    stat: (&'a [u8], &'a [u8]),
    mode: u32,
    id: &'a [u8],
    is_exempt: bool,
}

impl Fields<'_> {
    fn content(&self) -> (u32, &[u8]) {
        (self.mode, self.id)
    }
}

struct Entry<'a, 'n> {
    name: &'n [u8],
    mode: u32,
    id: &'a [u8],
    is_exempt: bool,
}

/// A walk over the entries.
struct Entries<'a> {
    index: Index<'a>,
    end: usize,
    at: usize,
    left: u32,
    name: Vec<u8>,
}

impl<'a> Entries<'a> {
    /// Goes on to the next entry; `None` at the end, and at what is no entry.
    fn advance(&mut self) -> Option<Fields<'a>> {
        let left = self.left.checked_sub(1)?;
        let bytes = self.index.bytes.get(..self.end)?;
        let start = self.at;
        let id_at = start + 40;
        let flags_at = id_at + self.index.id_length;
        let flags = short(bytes, flags_at)?;
        let is_extended = flags & EXTENDED != 0;
        let more = if is_extended { short(bytes, flags_at + 2)? } else { 0 };
        let mut name_at = flags_at + if is_extended { 4 } else { 2 };
        if self.index.version == 4 {
            let (dropped, length) = variable(bytes.get(name_at..)?)?;
            self.name.truncate(self.name.len().checked_sub(dropped)?);
            name_at += length;
        } else {
            self.name.clear();
        }
        let rest = bytes.get(name_at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        self.name.extend_from_slice(&rest[..length]);
        if usize::from(flags & NAME_LENGTH) != self.name.len().min(usize::from(NAME_LENGTH)) {
            return None;
        }
        let end = name_at + length;
        // Up to version 3, one to eight NULs make the length a multiple of eight.
        self.at = if self.index.version == 4 { end + 1 } else { start + ((end - start + 8) & !7) };
        let fields = Fields {
            stat: (bytes.get(start..start + 24)?, bytes.get(start + 28..id_at)?),
            mode: number(bytes, start + 24)?,
            id: bytes.get(id_at..flags_at)?,
            is_exempt: flags & ASSUME_UNCHANGED != 0 || more & SKIP_WORKTREE != 0,
        };
        self.left = left;
        Some(fields)
    }

    /// Calls for each entry; whether all were there, with names in git's order.
    fn for_each_in_order(&mut self, mut call: impl FnMut(Entry<'a, '_>)) -> bool {
        let mut before = Vec::new();
        while let Some(fields) = self.advance() {
            if self.name.is_empty() || self.name < before {
                return false;
            }
            let Fields { mode, id, is_exempt, .. } = fields;
            call(Entry { name: &self.name, mode, id, is_exempt });
            before.clone_from(&self.name);
        }
        self.left == 0
    }

    /// What follows the entries, by name; `None` if it does not meet the end.
    fn extensions(&self) -> Option<Vec<([u8; 4], &'a [u8])>> {
        let mut rest = self.index.bytes.get(self.at..self.end)?;
        let mut found = Vec::new();
        while !rest.is_empty() {
            let name: [u8; 4] = rest.get(..4)?.try_into().ok()?;
            let length = usize::try_from(number(rest, 4)?).ok()?;
            found.push((name, rest.get(8..8 + length)?));
            rest = rest.get(8 + length..)?;
        }
        Some(found)
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// A number of git's variable length, and its length.
fn variable(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(6) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of version 2 with these names, modes and first bytes of ids.
    fn index(entries: &[(&str, u32, u8)], id_length: usize) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02".to_vec();
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        for (name, mode, id) in entries {
            let start = bytes.len();
            bytes.extend([7; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([7; 12]);
            bytes.extend(vec![*id; id_length]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            bytes.extend(name.as_bytes());
            let length = bytes.len() - start;
            bytes.resize(start + ((length + 8) & !7), 0);
        }
        bytes.extend(b"TREE\0\0\0\x0d\0-1 1\na\0-1 0\n");
        bytes.extend(vec![0; id_length]);
        bytes
    }

    #[test]
    fn ids_of_either_length_are_read_and_what_is_cut_short_is_not() {
        for id_length in [20, 32] {
            let whole = index(&[("a/b", 0o100_644, 1), ("a/c", 0o100_755, 2)], id_length);
            let (read, summary) = Index::read(&whole).unwrap();
            assert_eq!((read.id_length, summary.objects, summary.is_plain), (id_length, 4, true));
            assert!(read.has_any_below(&["a".to_owned()]));
            assert!(read.has_any_below(&["a/c".to_owned()]));
            assert!(!read.has_any_below(&["a/".to_owned(), "b".to_owned()]));
            // Without what follows the entries, it would be whole again.
            for length in 0..whole.len() - 21 {
                assert!(Index::read(&whole[..length]).is_none(), "{length} bytes");
            }
        }
    }

    #[test]
    fn another_repository_is_not_plain() {
        let bytes = index(&[("a", GITLINK, 1)], 20);
        assert!(!Index::read(&bytes).unwrap().1.is_plain);
    }

    #[test]
    fn files_that_say_what_is_ignored_are_told_apart() {
        let ignore_files = |entries| Index::read(&index(entries, 20)).unwrap().1.ignore_files;
        let one = ignore_files(&[(".gitignore", 0o100_644, 1), ("a", 0o100_644, 1)]);
        assert_eq!(one, ignore_files(&[(".gitignore", 0o100_644, 1), ("b", 0o100_644, 9)]));
        assert_ne!(one, ignore_files(&[(".gitignore", 0o100_644, 2), ("a", 0o100_644, 1)]));
        assert_ne!(one, ignore_files(&[("a", 0o100_644, 1), ("d/.gitignore", 0o100_644, 1)]));
    }

    #[test]
    fn indexes_disagree_where_the_same_file_has_another_content_or_mode() {
        let ours = index(&[("a", 0o100_644, 1), ("c", 0o100_644, 3)], 20);
        let agree = |entries| {
            let theirs = index(entries, 20);
            Index::read(&ours).unwrap().0.agrees_with(&Index::read(&theirs).unwrap().0)
        };
        assert!(agree(&[("b", 0o100_644, 9), ("c", 0o100_644, 3), ("d", 0o100_644, 9)]));
        assert!(!agree(&[("b", 0o100_644, 9), ("c", 0o100_644, 9)]));
        assert!(!agree(&[("a", 0o100_755, 1)]));
    }
}
