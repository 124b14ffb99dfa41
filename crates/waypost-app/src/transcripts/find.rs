//! Which conversations there are, by their files.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use waypost_core::glob;
use waypost_core::time::Timestamp;
use waypost_store::{files, look};

use super::stream::{OnDisk, Progress, read, read_in};
use super::{Belongs, Entry, Files, Form, Kept, TranscriptReader, What};

/// So much of a file is looked at to find out which folder it is about; the second, where the first says nothing, as when a
/// conversation begins with a picture.
const HEADS: [u64; 2] = [512 * 1024, 32 * 1024 * 1024];
/// Folders in folders, this deep at the most.
const MAX_DEPTH: usize = 8;

/// Which conversations are meant.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Those of this folder and of folders in it; none: all.
    pub root: Option<PathBuf>,
    /// Those that something was added to since.
    pub since: Option<Timestamp>,
}

/// A file with a transcript, or a part of one.
#[derive(Debug, Clone)]
pub struct Found {
    /// Who reads it.
    pub reader: &'static dyn TranscriptReader,
    /// The file.
    pub file: PathBuf,
    /// What it is.
    pub belongs: Belongs,
}

/// A conversation.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The client.
    pub client: &'static str,
    /// The client's name for it.
    pub id: String,
    /// The folder that it began in.
    pub folder: Option<PathBuf>,
    /// Its files, that with its own words first.
    pub files: Vec<Found>,
}

impl Found {
    /// Reads it: each entry, or none for a line that cannot be read, with the place where its line begins.
    pub fn read(&self, out: &mut dyn FnMut(Option<Entry>, u64)) -> std::io::Result<Progress> {
        let files = OnDisk;
        let mut reading = self.reader.begin(&self.file, &files);
        read_in(self.belongs.form, &self.file, reading.as_mut(), out)
    }

    /// Reads what was added behind `from`; for readers that can go on there.
    pub fn read_on(
        &self,
        from: u64,
        out: &mut dyn FnMut(Option<Entry>, u64),
    ) -> std::io::Result<Progress> {
        let files = OnDisk;
        let mut reading = self.reader.begin(&self.file, &files);
        read(&self.file, from, reading.as_mut(), out)
    }

    /// The folder that it is first about.
    fn folder(&self) -> Option<PathBuf> {
        HEADS.iter().find_map(|most| self.folder_in(*most))
    }

    fn folder_in(&self, most: u64) -> Option<PathBuf> {
        let files = OnDisk;
        let mut reading = self.reader.begin(&self.file, &files);
        let mut folder = None;
        let mut look_at = |entry: Entry| {
            if let What::In(path) = entry.what {
                folder.get_or_insert(path);
            }
        };
        if self.belongs.form == Form::Whole {
            reading.take(&files.content(&self.file)?, 0, &mut look_at);
            return folder;
        }
        let head = files::head(&self.file, most).ok()??;
        for line in head.split(|byte| *byte == b'\n') {
            reading.take(line, 0, &mut look_at);
        }
        folder
    }
}

/// The conversations that clients keep, the latest last.
pub fn conversations(kept: &[Kept], scope: &Scope) -> Vec<Conversation> {
    let roots: Vec<PathBuf> = scope.root.iter().flat_map(|root| spellings(root)).collect();
    let mut all: BTreeMap<(&'static str, String), (i64, Conversation)> = BTreeMap::new();
    for Kept { reader, folder } in kept {
        for (file, found) in files_of(*reader, folder) {
            let changed = changed(&found);
            if !roots.is_empty() && !roots.iter().any(|root| reader.may_be_of(&file, root)) {
                continue;
            }
            let belongs = reader.belongs(&file);
            let key = (reader.client(), belongs.conversation.clone());
            let (last, conversation) = all.entry(key).or_insert_with(|| {
                let (client, id) = (reader.client(), belongs.conversation.clone());
                (changed, Conversation { client, id, folder: None, files: Vec::new() })
            });
            *last = (*last).max(changed);
            conversation.files.push(Found { reader: *reader, file, belongs });
        }
    }
    let mut found: Vec<(i64, Conversation)> = all.into_values().collect();
    found.retain(|(last, _)| scope.since.is_none_or(|since| *last >= since.as_millis()));
    found.retain_mut(|(_, conversation)| conversation.is_about(&roots));
    found.sort_by(|(one, a), (other, b)| (one, &a.id).cmp(&(other, &b.id)));
    found.into_iter().map(|(_, conversation)| conversation).collect()
}

impl Conversation {
    /// The one whose own words are in a file.
    pub fn of_file(reader: &'static dyn TranscriptReader, file: &Path) -> Self {
        let mut files = vec![file.to_owned()];
        if let Some((folder, pattern)) = reader.parts(file) {
            let mut found = Vec::new();
            below(&folder, &pattern.split('/').collect::<Vec<_>>(), 0, &mut found);
            found.sort_by(|(one, _), (other, _)| one.cmp(other));
            files.extend(found.into_iter().map(|(part, _)| part));
        }
        let found = |file: PathBuf| Found { reader, belongs: reader.belongs(&file), file };
        Self {
            client: reader.client(),
            id: reader.belongs(file).conversation,
            folder: None,
            files: files.into_iter().map(found).collect(),
        }
    }

    /// Finds out which folder it is about, and whether that is one of these; any, where there are none.
    fn is_about(&mut self, roots: &[PathBuf]) -> bool {
        self.files.sort_by(|one, other| {
            (one.belongs.part, &one.file).cmp(&(other.belongs.part, &other.file))
        });
        self.folder = self.files.iter().find_map(Found::folder);
        let is_in = |folder: &PathBuf| roots.iter().any(|root| folder.starts_with(root));
        roots.is_empty() || self.folder.as_ref().is_some_and(is_in)
    }
}

/// How a folder may be spelt: clients write down the one that they were given.
pub(crate) fn spellings(root: &Path) -> Vec<PathBuf> {
    let mut all = vec![root.to_owned()];
    all.extend(look::real(root));
    all.dedup();
    all
}

/// All files with transcripts, and what is known of each.
pub fn files(kept: &[Kept]) -> impl Iterator<Item = (Found, Metadata)> {
    kept.iter().flat_map(|Kept { reader, folder }| {
        let found = |(file, metadata): (PathBuf, Metadata)| {
            (Found { reader: *reader, belongs: reader.belongs(&file), file }, metadata)
        };
        files_of(*reader, folder).into_iter().map(found)
    })
}

/// The transcripts of a client.
fn files_of(reader: &dyn TranscriptReader, folder: &Path) -> Vec<(PathBuf, Metadata)> {
    let mut found = Vec::new();
    for pattern in reader.files() {
        let parts: Vec<&str> = pattern.split('/').collect();
        below(folder, &parts, 0, &mut found);
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found.dedup_by(|(one, _), (other, _)| one == other);
    found
}

/// When a file was last changed, in milliseconds.
fn changed(file: &Metadata) -> i64 {
    let since = file.modified().ok().and_then(|at| {
        at.duration_since(std::time::UNIX_EPOCH).ok().map(|since| since.as_millis())
    });
    since.and_then(|since| i64::try_from(since).ok()).unwrap_or(0)
}

fn below(folder: &Path, parts: &[&str], depth: usize, found: &mut Vec<(PathBuf, Metadata)>) {
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
