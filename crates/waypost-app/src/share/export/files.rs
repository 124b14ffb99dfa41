//! The files that people and agents wrote beside a session's records, to be carried along.

use std::collections::BTreeMap;

use base64ct::{Base64, Encoding};
use waypost_core::id::SessionId;
use waypost_core::text::spoken::count;

use crate::documents::artifacts;
use crate::machine::plain_files;
use crate::view::View;
use crate::view::copy;

/// A larger file is not carried along, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// What is made from the records, and is not carried beside them.
pub const DERIVED: [&str; 3] = [copy::EVENTS, copy::MANIFEST, "activity.jsonl"];

/// The files of a session, by their paths in its folder.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Those that are text.
    pub(super) texts: BTreeMap<String, String>,
    /// Those that are not.
    pub(super) others: BTreeMap<String, Vec<u8>>,
    /// What could not be taken: a sentence each.
    pub(super) left: Vec<String>,
}

impl Files {
    /// Reads the files in a session's folder.
    pub(super) fn of(view: &View<'_>, id: &SessionId) -> Self {
        let state = view.load(id).ok();
        let is_draft = |name: &str, bytes: &[u8]| {
            state.as_ref().is_some_and(|state| artifacts::is_draft(id, state, name, bytes))
        };
        let folder = view.project.root.join(copy::folder_of(view, id));
        let (found, left) = artifacts::all(&folder);
        let mut files = Self { left, ..Self::default() };
        for path in found {
            let Some(name) = path.to_str().map(str::to_owned) else {
                files.left.push(format!("{}, whose name is not UTF-8", path.display()));
                continue;
            };
            if DERIVED.contains(&name.as_str()) {
                continue;
            }
            match plain_files::look_at(&folder.join(&path), MAX_BYTES) {
                Ok(Some(found)) if is_draft(&name, &found.bytes) => {}
                Ok(Some(found)) => files.add(name, found.bytes),
                Ok(None) => {}
                Err(error) => files.left.push(format!("{name}: {}", error.message)),
            }
        }
        files
    }

    fn add(&mut self, name: String, bytes: Vec<u8>) {
        match String::from_utf8(bytes) {
            Ok(text) => drop(self.texts.insert(name, text)),
            Err(error) => drop(self.others.insert(name, error.into_bytes())),
        }
    }

    /// Those that are no text, as base64.
    pub(super) fn encoded(&self) -> BTreeMap<String, String> {
        let encoded =
            |(name, bytes): (&String, &Vec<u8>)| (name.clone(), Base64::encode_string(bytes));
        self.others.iter().map(encoded).collect()
    }

    /// What is said of them by a format that has no place for any.
    pub(super) fn told(&self) -> Option<String> {
        const NAMED: usize = 3;
        let names: Vec<&str> = self.all().map(|(name, _)| name.as_str()).collect();
        let more = if names.len() > NAMED { ", …" } else { "" };
        let first = names[..names.len().min(NAMED)].join(", ");
        (!names.is_empty())
            .then(|| format!("{} beside it ({first}{more})", count(names.len(), "file")))
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &[u8])> {
        let texts = self.texts.iter().map(|(name, text)| (name, text.as_bytes()));
        texts.chain(self.others.iter().map(|(name, bytes)| (name, bytes.as_slice())))
    }
}
