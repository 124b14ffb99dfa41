//! Waypost's own sessions from elsewhere: a document that was exported, or a published copy of another project. Their
//! records are taken over as they are, once their signatures are known to be right.

use std::collections::BTreeMap;
use std::path::Path;

use base64ct::{Base64, Encoding};
use serde::Deserialize;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::{Mend, amid};
use waypost_core::session::SessionState;
use waypost_store::{Relation, Standing, files};

use super::Outcome;
use super::find::contains;
use crate::error::AppError;
use crate::share::{export, publish};
use crate::view::View;

/// The largest document that is read, in bytes.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// How much of a file is read to know a document, in bytes.
const HEAD: u64 = 256 * 1024;
/// What a document begins with, whatever the order of its keys.
const KNOWN_BY: [&[u8]; 2] = [b"\"waypost\"", b"\"records\""];

/// A session with its records.
#[derive(Debug)]
pub(super) struct OwnSession {
    /// The session.
    pub(super) id: SessionId,
    /// Its records, byte for byte.
    pub(super) records: Vec<u8>,
    /// The files that belong to it, by their paths in its folder.
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

#[derive(Deserialize)]
struct Document {
    format: u64,
    waypost: String,
    session_id: SessionId,
    records: Vec<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    binary_files: BTreeMap<String, String>,
}

impl OwnSession {
    /// The session of a document that was exported; `None` if the file is none.
    pub(super) fn of_document(path: &Path) -> Result<Option<Self>, String> {
        if path.extension().is_none_or(|ending| ending != "json") {
            return Ok(None);
        }
        let Ok(Some(head)) = files::head(path, HEAD) else { return Ok(None) };
        if !KNOWN_BY.iter().any(|mark| contains(&head, mark)) {
            return Ok(None);
        }
        let Ok(Some(bytes)) = files::read(path, MAX_BYTES) else { return Ok(None) };
        let document = match serde_json::from_slice::<Document>(&bytes) {
            Ok(document) => document,
            Err(error) if KNOWN_BY.iter().all(|mark| contains(&bytes, mark)) => {
                return Err(format!("it is an exported document that is damaged: {error}"));
            }
            Err(_) => return Ok(None),
        };
        if document.format > export::FORMAT {
            return Err("a newer Waypost exported it; import it with that one".to_owned());
        }
        if document.waypost.is_empty() || document.records.is_empty() {
            return Err("it is a document of a session without records".to_owned());
        }
        let mut records = document.records.join("\n").into_bytes();
        records.push(b'\n');
        let texts = document.files.into_iter().map(|(name, text)| (name, text.into_bytes()));
        let mut files: BTreeMap<String, Vec<u8>> = texts.collect();
        for (name, encoded) in document.binary_files {
            let bytes = Base64::decode_vec(&encoded)
                .map_err(|error| format!("its file {name} is damaged: {error}"))?;
            files.insert(name, bytes);
        }
        Ok(Some(Self { id: document.session_id, records, files }))
    }

    /// The session of a published copy.
    pub(super) fn of_copy(folder: &Path, events: &Path) -> Result<Self, String> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let id =
            name.parse().map_err(|error| format!("its folder has no session's name: {error}"))?;
        match files::read(events, MAX_BYTES) {
            Ok(Some(records)) => Ok(Self { id, records, files: BTreeMap::new() }),
            Ok(None) => Err("its records are gone".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Takes its records over. Returns its state then, and what somebody should be told.
    pub(super) fn bring(
        &self,
        view: &View<'_>,
        dry_run: bool,
    ) -> Result<(Outcome, SessionState, Vec<String>), AppError> {
        let stream = StreamId::Session(self.id.clone());
        let path = Path::new(self.id.as_str());
        let here = |view: &View<'_>| view.load(&self.id).map(|state| (*state).clone());
        let state = match view.log.check_copy(&stream, path, &self.records)? {
            Standing::Sound { records, .. } => SessionState::fold(&records),
            Standing::Unverified { key, .. } => {
                let why = format!("it is signed with key {key}, which is not known here; ");
                let told = amid(why, Mend::TrustKey, " accepts that key").words(view.voice());
                return Err(AppError::refused(told));
            }
            Standing::Damaged(what) | Standing::Newer { what, .. } => {
                return Err(AppError::integrity(what));
            }
        };
        let is_here = view.log.exists(&stream);
        if !is_here && dry_run {
            return Ok((Outcome::Imported, state, Vec::new()));
        }
        let relation = if dry_run {
            view.log.relation(&stream, &self.records)?
        } else {
            view.make_room(&self.id)?;
            let relation = view.log.take_over(&stream, path, &self.records)?;
            view.changed(&stream);
            relation
        };
        Ok(match relation {
            Relation::Ahead if is_here => (Outcome::Updated, state, Vec::new()),
            Relation::Ahead => (Outcome::Imported, state, Vec::new()),
            Relation::Equal | Relation::Behind => (Outcome::Unchanged, here(view)?, Vec::new()),
            Relation::Diverged(number) => {
                let what = format!("a second head: from record {number} on it goes another way");
                let kept = (!dry_run)
                    .then(|| publish::keep_records_apart(view, &self.id, &self.records, &what))
                    .transpose()?;
                let kept = kept.map(|kept| format!("; it is kept as {kept}")).unwrap_or_default();
                (Outcome::Kept, here(view)?, vec![format!("it is {what}{kept}")])
            }
        })
    }
}
