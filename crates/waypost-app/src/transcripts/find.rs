//! Which conversations there are, by their files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waypost_core::time::Timestamp;
use waypost_store::look;

use super::files::{Stamp, below, files_of};
use super::found::Found;
use super::{Kept, TranscriptReader};

/// Which conversations are meant.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Those of this folder and of folders in it; none: all.
    pub root: Option<PathBuf>,
    /// Those that something was added to since.
    pub since: Option<Timestamp>,
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

/// The conversations that clients keep, the latest last.
pub fn conversations(kept: &[Kept], scope: &Scope) -> Vec<Conversation> {
    let roots: Vec<PathBuf> = scope.root.iter().flat_map(|root| spellings(root)).collect();
    let mut all: BTreeMap<(&'static str, String), (i64, Conversation)> = BTreeMap::new();
    for (found, stamp) in files(kept) {
        if !roots.is_empty() && !roots.iter().any(|root| found.may_be_of(root)) {
            continue;
        }
        let (client, id) = (found.reader.client(), found.belongs.conversation.clone());
        let (last, conversation) = all.entry((client, id.clone())).or_insert_with(|| {
            (stamp.changed, Conversation { client, id, folder: None, files: Vec::new() })
        });
        *last = (*last).max(stamp.changed);
        conversation.files.push(found);
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
            found.sort_by(|(one, _), (other, _)| one.as_os_str().cmp(other.as_os_str()));
            files.extend(found.into_iter().map(|(part, _)| part));
        }
        let found = |file: PathBuf| Found::alone(reader, file);
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
        roots.is_empty() || self.is_closed() || self.folder.as_ref().is_some_and(is_in)
    }

    /// Whether conversations cannot be told from each other in it: it may be about any folder.
    pub fn is_closed(&self) -> bool {
        self.files.iter().any(Found::is_closed)
    }
}

/// How a folder may be spelt: clients write down the one that they were given.
pub(crate) fn spellings(root: &Path) -> Vec<PathBuf> {
    let mut all = vec![root.to_owned()];
    all.extend(look::real(root));
    all.dedup();
    all
}

/// All files with transcripts, and what tells whether each changed.
pub fn files(kept: &[Kept]) -> impl Iterator<Item = (Found, Stamp)> {
    kept.iter().flat_map(|Kept { reader, folder }| files_of(*reader, folder))
}
