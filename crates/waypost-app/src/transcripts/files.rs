//! The files of a client, and the conversations in those that hold several.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use waypost_core::glob;
use waypost_core::time::Timestamp;
use waypost_store::{foreign, look};

use super::found::Found;
use super::stream::OnDisk;
use super::{TranscriptReader, Within};

/// Folders in folders, this deep at the most.
const MAX_DEPTH: usize = 8;

/// What tells whether something was added to a conversation's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// How long it is.
    pub bytes: u64,
    /// When it was changed, in nanoseconds.
    pub modified: u64,
    /// Its inode.
    pub inode: u64,
    /// When the conversation itself was changed, in milliseconds.
    pub changed: i64,
}

impl Stamp {
    fn of(file: &Metadata) -> Self {
        let nanoseconds =
            file.mtime().saturating_mul(1_000_000_000).saturating_add(file.mtime_nsec());
        Self {
            bytes: file.len(),
            modified: u64::try_from(nanoseconds).unwrap_or_default(),
            inode: file.ino(),
            changed: nanoseconds.max(0) / 1_000_000,
        }
    }

    /// What is added to a database stands in its log at first.
    fn with_log(self, database: &Path) -> Self {
        let Ok(log) = look::at(foreign::log_of(database)).as_ref().map(Self::of) else {
            return self;
        };
        Self {
            bytes: self.bytes.saturating_add(log.bytes),
            modified: self.modified.max(log.modified),
            changed: self.changed.max(log.changed),
            ..self
        }
    }
}

/// The transcripts of a client. Of a conversation that a file holds with others, a file of its own is an older copy.
pub(super) fn files_of(
    reader: &'static dyn TranscriptReader,
    folder: &Path,
) -> Vec<(Found, Stamp)> {
    let mut files = Vec::new();
    for pattern in reader.files() {
        let parts: Vec<&str> = pattern.split('/').collect();
        below(folder, &parts, 0, &mut files);
    }
    files.sort_by(|(one, _), (other, _)| one.as_os_str().cmp(other.as_os_str()));
    files.dedup_by(|(one, _), (other, _)| one == other);
    let mut found = Vec::new();
    for (file, metadata) in files {
        let stamp = Stamp::of(&metadata);
        match reader.within(&file, &OnDisk) {
            Ok(None) => found.push((Found::alone(reader, file), stamp)),
            Ok(Some(several)) => found.extend(held(reader, &file, several, stamp)),
            Err(_) => found.push((Found::alone(reader, file.clone()), stamp.with_log(&file))),
        }
    }
    let held: BTreeSet<String> = found
        .iter()
        .filter(|(found, _)| found.within.is_some())
        .map(|(found, _)| found.belongs.conversation.clone())
        .collect();
    found
        .retain(|(found, _)| found.within.is_some() || !held.contains(&found.belongs.conversation));
    found
}

fn held(
    reader: &'static dyn TranscriptReader,
    file: &Path,
    several: Vec<Within>,
    stamp: Stamp,
) -> impl Iterator<Item = (Found, Stamp)> {
    let stamp = stamp.with_log(file);
    several.into_iter().map(move |within| {
        let changed = within.changed.map_or(stamp.changed, Timestamp::as_millis);
        let file: PathBuf = file.join(&within.name);
        let belongs = reader.belongs(&file);
        (Found { reader, file, belongs, within: Some(within) }, Stamp { changed, ..stamp })
    })
}

/// The files below a folder whose names are like a pattern's parts.
pub(super) fn below(
    folder: &Path,
    parts: &[&str],
    depth: usize,
    found: &mut Vec<(PathBuf, Metadata)>,
) {
    let Some((part, rest)) = parts.split_first().filter(|_| depth < MAX_DEPTH) else { return };
    if !part.contains('*') && !rest.is_empty() {
        return below(&folder.join(part), rest, depth + 1, found);
    }
    if *part == "**" {
        below(folder, rest, depth + 1, found);
    }
    for entry in look::folder(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        let path = folder.join(&name);
        if *part == "**" {
            if kind.is_dir() {
                below(&path, parts, depth + 1, found);
            }
        } else if !glob::matches(part, &name) {
        } else if !rest.is_empty() {
            if kind.is_dir() {
                below(&path, rest, depth + 1, found);
            }
        } else if let Some(metadata) = look::at(&path).ok().filter(Metadata::is_file) {
            found.push((path, metadata));
        }
    }
}
