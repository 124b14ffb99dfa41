//! Git's index file: reading it, as far as that saves asking git, and writing one to begin with. The user's own
//! is never written, and what is not understood is told as such: then git is asked.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

pub(super) mod writer;

pub(super) const GITLINK: u32 = 0o160_000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const NAME_LENGTH: u16 = 0x0fff;
const SKIP_WORKTREE: u16 = 0x4000;

/// Where the two parts are of what is known of a file, from where its entry begins.
pub(super) const STAT: [std::ops::Range<usize>; 2] = [0..24, 28..40];

/// What an index says as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// How many objects it needs.
    pub(super) objects: usize,
    /// Whether there are files in it that are not looked at in the work tree, since they are not there.
    pub(super) has_absent: bool,
    /// Whether other repositories are in it.
    pub(super) has_links: bool,
    /// Whether it cannot be read without git: a part of it is elsewhere, or whole folders are entries.
    pub(super) is_partial: bool,
    /// Stands for the content of all files that say what is ignored.
    pub(super) ignore_files: u64,
    /// The files that say how others are converted.
    pub(super) attribute_files: Vec<String>,
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
        let mut summary = Summary::default();
        let mut ignore_files = DefaultHasher::new();
        let is_in_order = entries.for_each_in_order(|entry| {
            summary.has_absent |= entry.is_skipped;
            summary.has_links |= entry.mode == GITLINK;
            let name = entry.name.rsplit(|byte| *byte == b'/').next();
            if name == Some(b".gitignore") {
                (entry.name, entry.id).hash(&mut ignore_files);
            } else if name == Some(b".gitattributes") {
                summary.attribute_files.push(String::from_utf8_lossy(entry.name).into_owned());
            }
        });
        let extensions = entries.extensions().filter(|_| is_in_order)?;
        summary.is_partial = extensions.iter().any(|(name, _)| name == b"link" || name == b"sdir");
        let trees = self.trees(&extensions).map_or(0, |trees| trees.len());
        summary.objects = self.count as usize + trees;
        summary.ignore_files = ignore_files.finish();
        Some(summary)
    }

    /// How many bytes an id has.
    pub(super) fn id_length(&self) -> usize {
        self.id_length
    }

    /// Calls for each entry, as far as they can be read.
    pub(super) fn for_each(&self, call: impl FnMut(Entry<'a, '_>)) {
        self.entries().for_each_in_order(call);
    }

    /// Where what is known of a file stands for those whose status changed in this second or later: [`STAT`]
    /// counts from there.
    pub(super) fn changed_since(&self, second: u32) -> Vec<usize> {
        let mut entries = self.entries();
        let mut found = Vec::new();
        let mut at = entries.at;
        while let Some(fields) = entries.advance() {
            if fields.times()[0].0 >= second {
                found.push(at);
            }
            at = entries.at;
        }
        found
    }

    /// A walk over the entries.
    pub(super) fn entries(&self) -> Entries<'a> {
        let end = self.bytes.len().saturating_sub(self.id_length);
        Entries { index: *self, end, at: 12, left: self.count, name: Vec::new() }
    }

    /// The ids of the folders' trees, as far as they are known.
    pub(super) fn folders(&self) -> HashMap<Vec<u8>, &'a [u8]> {
        let mut entries = self.entries();
        entries.for_each_in_order(|_| {});
        let extensions = entries.extensions().unwrap_or_default();
        let trees = self.trees(&extensions).unwrap_or_default();
        trees.into_iter().filter_map(|(path, id)| Some((path, id?))).collect()
    }

    /// What the extension for trees tells of: for each a name, a NUL, the number of its entries (negative if it
    /// has changed), a space, the number of its subtrees, a line feed, and the id of one that has not changed.
    /// Its subtrees follow it.
    fn trees(&self, extensions: &[([u8; 4], &'a [u8])]) -> Option<Vec<Folder<'a>>> {
        let (_, mut data) = *extensions.iter().find(|(name, _)| name == b"TREE")?;
        let mut trees = Vec::new();
        // The folders above, and how many of their subtrees are still to come.
        let mut above: Vec<(Vec<u8>, usize)> = Vec::new();
        while !data.is_empty() {
            let end = data.iter().position(|byte| *byte == 0)?;
            let (name, line) = (data.get(..end)?, data.get(end + 1..)?);
            let length = line.iter().position(|byte| *byte == b'\n')?;
            let numbers = std::str::from_utf8(line.get(..length)?).ok()?;
            let (_, subtrees) = numbers.split_once(' ')?;
            let has_changed = line.first() == Some(&b'-');
            let id_length = if has_changed { 0 } else { self.id_length };
            let id = line.get(length + 1..length + 1 + id_length)?;
            data = line.get(length + 1 + id_length..)?;
            while above.last().is_some_and(|(_, left)| *left == 0) {
                above.pop();
            }
            let path = match above.last_mut() {
                Some((folder, left)) => {
                    *left -= 1;
                    let is_top = folder.is_empty();
                    [folder.as_slice(), if is_top { b"" } else { b"/" }, name].concat()
                }
                None => name.to_vec(),
            };
            above.push((path.clone(), subtrees.parse().ok()?));
            trees.push((path, (!has_changed).then_some(id)));
        }
        Some(trees)
    }
}

/// A folder's path, and the id of its tree if it is known.
type Folder<'a> = (Vec<u8>, Option<&'a [u8]>);

/// An entry but for its name, which [`Entries`] holds.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    /// When the file was changed, where it is, and its length, as git writes them down.
    pub(super) stat: (&'a [u8], &'a [u8]),
    pub(super) mode: u32,
    pub(super) id: &'a [u8],
    /// Whether it is not looked at in the work tree.
    pub(super) is_skipped: bool,
    /// Whether nobody may rely on what is known of the file: it is one side of a conflict.
    pub(super) is_unmerged: bool,
}

impl Fields<'_> {
    /// When the file's status was last changed, and when its content was: seconds and nanoseconds.
    pub(super) fn times(&self) -> [(u32, u32); 2] {
        let part = |at| number(self.stat.0, at).unwrap_or(u32::MAX);
        [(part(0), part(4)), (part(8), part(12))]
    }
}

pub(super) struct Entry<'a, 'n> {
    pub(super) name: &'n [u8],
    pub(super) mode: u32,
    pub(super) id: &'a [u8],
    pub(super) is_skipped: bool,
}

/// A walk over the entries.
pub(super) struct Entries<'a> {
    index: Index<'a>,
    end: usize,
    at: usize,
    left: u32,
    /// The name of the entry that was come to last.
    pub(super) name: Vec<u8>,
}

impl<'a> Entries<'a> {
    /// Goes on to the next entry; `None` at the end, and at what is no entry.
    pub(super) fn advance(&mut self) -> Option<Fields<'a>> {
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
            is_skipped: more & SKIP_WORKTREE != 0,
            is_unmerged: flags & STAGE != 0,
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
            let Fields { mode, id, is_skipped, .. } = fields;
            call(Entry { name: &self.name, mode, id, is_skipped });
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

/// An id as git writes it out.
pub(super) fn hex(id: &[u8]) -> String {
    id.iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
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
            assert_eq!((read.id_length, summary.objects, summary.has_links), (id_length, 4, false));
            // Without what follows the entries, it would be whole again.
            for length in 0..whole.len() - 21 {
                assert!(Index::read(&whole[..length]).is_none(), "{length} bytes");
            }
        }
    }

    #[test]
    fn another_repository_is_told() {
        let bytes = index(&[("a", GITLINK, 1)], 20);
        assert!(Index::read(&bytes).unwrap().1.has_links);
    }

    #[test]
    fn folders_are_known_by_their_whole_paths() {
        let mut bytes = index(&[("a/b/f", 0o100_644, 1)], 20);
        let (start, id) = (bytes.len() - 20 - 13 - 8, |byte| [byte; 20].as_slice().to_owned());
        bytes.truncate(start);
        let tree = [
            b"\x002 2\n".to_vec(),
            id(1),
            b"a\x001 1\n".to_vec(),
            id(2),
            b"b\x001 0\n".to_vec(),
            id(3),
            b"c\0-1 0\n".to_vec(),
        ]
        .concat();
        bytes.extend(b"TREE");
        bytes.extend(u32::try_from(tree.len()).unwrap().to_be_bytes());
        bytes.extend(tree);
        bytes.extend([0; 20]);
        let folders = Index::read(&bytes).unwrap().0.folders();
        let known = |path: &[u8]| folders.get(path).map(|id| id[0]);
        assert_eq!([known(b""), known(b"a"), known(b"a/b")], [Some(1), Some(2), Some(3)]);
        assert_eq!((known(b"c"), known(b"b")), (None, None));
    }

    #[test]
    fn files_that_say_what_is_ignored_are_told_apart() {
        let ignore_files = |entries| Index::read(&index(entries, 20)).unwrap().1.ignore_files;
        let one = ignore_files(&[(".gitignore", 0o100_644, 1), ("a", 0o100_644, 1)]);
        assert_eq!(one, ignore_files(&[(".gitignore", 0o100_644, 1), ("b", 0o100_644, 9)]));
        assert_ne!(one, ignore_files(&[(".gitignore", 0o100_644, 2), ("a", 0o100_644, 1)]));
        assert_ne!(one, ignore_files(&[("a", 0o100_644, 1), ("d/.gitignore", 0o100_644, 1)]));
    }
}
