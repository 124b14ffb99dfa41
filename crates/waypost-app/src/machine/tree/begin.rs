//! The index that a call begins with. Nothing in it exempts a file from being looked at but that the file is not
//! there, and of the files that changed since Waypost was set up, nothing is taken from the user's index but
//! that they are tracked: what it says of a file's content, anyone can have made it say.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use waypost_store::look;

use super::index::writer::{Known, Writer};
use super::index::{Entries, Fields, Index};

/// With more files to read anew than this, what the user's index says of them is believed: a work tree this
/// large could not be read in the time that there is.
const MAX_ANEW: usize = 100_000;

/// An index, and the second in which it was written: an entry that is not older than that may have changed since. As a
/// rule git compares whole seconds, whatever else it writes down.
pub(super) struct Dated {
    pub(super) bytes: Vec<u8>,
    written: u32,
}

impl Dated {
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let found = look::at(path)?;
        let written = u32::try_from(found.mtime()).unwrap_or(0);
        Ok(Self { bytes: look::bytes(path)?, written })
    }

    /// Whether what it says of a file was true of the file after it was written too.
    fn is_sure_of(&self, entry: &Fields<'_>) -> bool {
        let is_older = entry.times().iter().all(|(second, _)| *second < self.written);
        is_older && !entry.is_unmerged
    }
}

/// What there is to begin with.
pub(super) struct Beginning<'a> {
    pub(super) root: &'a Path,
    /// The index of an earlier call.
    pub(super) ours: Option<&'a Dated>,
    pub(super) users: Option<&'a Dated>,
    /// Whether files may be left out of the work tree without being gone.
    pub(super) is_sparse: bool,
    /// Of which files the user's index is believed: those that have not been touched since.
    pub(super) believed_before: Option<SystemTime>,
    /// Paths that are left out.
    pub(super) own: &'a [String],
}

impl Beginning<'_> {
    /// The index to begin with; `None` where those that there are cannot be read.
    pub(super) fn index(&self) -> Option<Vec<u8>> {
        let read = [self.ours, self.users].map(|dated| Some(Index::read(&dated?.bytes)?.0));
        let [ours, users] = read;
        if ours.is_none() != self.ours.is_none() || users.is_none() != self.users.is_none() {
            return None;
        }
        let id_length = ours.or(users)?.id_length();
        let believed = self.believed(users.as_ref());
        let mut absent = Absent { root: self.root, missing: None };
        let mut writer = Writer::new(id_length);
        let (mut ours, mut users) = (Walk::new(ours), Walk::new(users));
        while let Some(name) = ours.name().into_iter().chain(users.name()).min().map(<[u8]>::to_vec)
        {
            let (our, their) = (ours.take(&name), users.take(&name));
            if is_below(&name, self.own) {
                continue;
            }
            match (our, their) {
                (_, Some(their)) if their.is_skipped && self.is_sparse && absent.is(&name) => {
                    writer.push(&name, &their, Known::Absent);
                }
                (Some(our), _) => {
                    let is_sure = self.ours.is_some_and(|ours| ours.is_sure_of(&our));
                    let is_sure = is_sure && !our.is_skipped;
                    writer.push(&name, &our, if is_sure { Known::AsTold } else { Known::Nothing });
                }
                // What is not ignored, git finds in the work tree.
                (None, Some(their)) if self.ours.is_none() => {
                    let is_sure = self.users.is_some_and(|users| users.is_sure_of(&their));
                    let is_sure = is_sure && !their.is_skipped && believed.is(&their);
                    writer.push(
                        &name,
                        &their,
                        if is_sure { Known::AsTold } else { Known::Nothing },
                    );
                }
                _ => {}
            }
        }
        Some(writer.finish())
    }

    fn believed(&self, users: Option<&Index<'_>>) -> Believed {
        let before = self.believed_before.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let before = before.and_then(|time| u32::try_from(time.as_secs()).ok()).unwrap_or(0);
        let believed = Believed { before };
        let mut anew = 0;
        let mut entries = users.map(Index::entries);
        while let Some(entry) = entries.as_mut().and_then(Entries::advance) {
            anew += usize::from(!believed.is(&entry) && !entry.is_skipped);
        }
        if anew > MAX_ANEW { Believed { before: u32::MAX } } else { believed }
    }
}

/// Whether a file that git skips is there in spite of it.
pub(super) fn has_come_back(root: &Path, ours: &[u8]) -> bool {
    let mut absent = Absent { root, missing: None };
    let mut is_there = false;
    if let Some((index, _)) = Index::read(ours) {
        index.for_each(|entry| is_there |= entry.is_skipped && !absent.is(entry.name));
    }
    is_there
}

struct Believed {
    before: u32,
}

impl Believed {
    fn is(&self, entry: &Fields<'_>) -> bool {
        let [(seconds, _), _] = entry.times();
        seconds < self.before
    }
}

/// One of the indexes, and the entry that it is at.
struct Walk<'a> {
    entries: Option<Entries<'a>>,
    next: Option<Fields<'a>>,
}

impl<'a> Walk<'a> {
    fn new(index: Option<Index<'a>>) -> Self {
        let mut entries = index.map(|index| index.entries());
        let next = entries.as_mut().and_then(Entries::advance);
        Self { entries, next }
    }

    fn name(&self) -> Option<&[u8]> {
        self.next.is_some().then(|| self.entries.as_ref().map_or(&[][..], |all| &all.name))
    }

    /// The entry of that name, if it is the next. Of the sides of a conflict, one stands for all.
    fn take(&mut self, name: &[u8]) -> Option<Fields<'a>> {
        let mut taken = None;
        while self.name() == Some(name) {
            taken = taken.or(self.next);
            self.next = self.entries.as_mut().and_then(Entries::advance);
        }
        taken
    }
}

/// Tells which files are not there, without asking for each of a folder that is not there.
struct Absent<'a> {
    root: &'a Path,
    missing: Option<Vec<u8>>,
}

impl Absent<'_> {
    fn is(&mut self, name: &[u8]) -> bool {
        if self.missing.as_ref().is_some_and(|folder| name.starts_with(folder)) {
            return true;
        }
        if look::link(self.root.join(as_path(name))).is_ok() {
            return false;
        }
        let folders = name.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let mut folders = folders.map(|(at, _)| &name[..at]);
        let missing = folders.find(|folder| look::link(self.root.join(as_path(folder))).is_err());
        self.missing = missing.map(|folder| [folder, b"/"].concat());
        true
    }
}

pub(super) fn as_path(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

/// Whether a name is one of these paths, or lies below one.
pub(super) fn is_below(name: &[u8], paths: &[String]) -> bool {
    paths.iter().any(|path| {
        let rest = name.strip_prefix(path.as_bytes());
        rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    })
}
