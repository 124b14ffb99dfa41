//! The storage folder of versions before 1.2: a file for each session, message and part.

use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_app::transcripts::{Entry, Files, Reading};

use super::Session;
use crate::calls::text;

/// A session that is being read.
pub(super) struct Stored<'f> {
    storage: PathBuf,
    id: String,
    files: &'f dyn Files,
}

impl<'f> Stored<'f> {
    pub(super) fn new(file: &Path, id: String, files: &'f dyn Files) -> Self {
        let storage = file.ancestors().find(|above| above.ends_with("storage"));
        Self { storage: storage.unwrap_or(file).to_owned(), id, files }
    }

    fn json(&self, file: &Path) -> Option<Value> {
        serde_json::from_slice(&self.files.content(file)?).ok()
    }
}

impl Reading for Stored<'_> {
    fn take(&mut self, bytes: &[u8], at: u64, out: &mut dyn FnMut(Entry)) -> bool {
        let Ok(head) = serde_json::from_slice::<Value>(bytes) else { return false };
        let (parent, folder) = (text(&head, "parentID"), text(&head, "directory"));
        let mut session = Session::begin(&self.id, parent, folder, at, out);
        let messages = self.storage.join("message").join(&self.id);
        // The names of messages and parts rise with time.
        for name in self.files.names(&messages) {
            let id = name.trim_end_matches(".json");
            let parts = self.storage.join("part").join(id);
            let names = self.files.names(&parts).into_iter();
            let message = self.json(&messages.join(&name));
            session.message(id, message.as_ref(), names.map(|name| self.json(&parts.join(name))));
        }
        session.is_read
    }
}
