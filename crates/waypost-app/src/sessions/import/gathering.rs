//! What candidates hold, each read by itself.

use std::path::{Path, PathBuf};

use waypost_core::canonical;
use waypost_core::key::sha256_hex;
use waypost_core::manifest;
use waypost_store::{files, look};

use super::find::{self, Candidate, Kind};
use super::own::OwnSession;
use super::{LeftFile, Report};
use crate::foreign::requirement_state;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, Content, ForeignFile, MAX_BYTES, Reading};
use crate::foreign::{formats, session_folder};
use crate::machine::local_time;
use crate::view::View;
use crate::view::copy::{EVENTS, MANIFEST};

/// What is said of a file among others that is none that could be read.
const UNREADABLE: &str =
    "it cannot be read as JSON or text, and nothing in it looks like a session";
const WITHOUT_RECORDS: &str = "it is a state.json of Waypost without its records; import the whole folder, with its \
                               events.jsonl, or a document that was exported";
/// Words that files with sessions have, whatever else is wrong with them.
const OF_SESSIONS: [&[u8]; 5] =
    [b"session_id", b"sessionId", b"protocolCompliance", b"workflow_type", b"satisfied_at"];

/// A session to be brought in.
#[derive(Debug)]
pub(super) struct Source {
    /// The session.
    pub(super) what: What,
    /// Where it was found, for people and records.
    pub(super) shown: String,
    /// SHA-256 of what was read.
    pub(super) sha256: String,
    /// The folder whose files belong to it.
    pub(super) folder: Option<PathBuf>,
}

/// A session to be brought in.
#[derive(Debug)]
pub(super) enum What {
    /// Another program's.
    Foreign(Box<Brought>),
    /// Waypost's own, from elsewhere.
    Own(OwnSession),
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) sources: Vec<Source>,
    /// What the requirements framework kept: each file's path, content and digest.
    pub(super) parts: Vec<(String, requirement_state::Part, String)>,
}

impl Gathered {
    /// Reads a candidate.
    pub(super) fn take(
        &mut self,
        view: &View<'_>,
        candidate: &Candidate,
        shown: &str,
        report: &mut Report,
    ) {
        let path = &candidate.path;
        let read = match candidate.kind {
            Kind::Folder => self.folder(view, path, shown),
            Kind::Copy => self.copy(view, path, shown),
            Kind::File => self.file(path, shown),
        };
        let left = |reason| LeftFile { path: shown.to_owned(), reason };
        match read {
            Ok(None) => {}
            Ok(Some(reason)) => report.no_session.push(left(reason)),
            // Among all files of a project, those that nobody can read are not held against it.
            Err(_) if !candidate.named && !tells_of_sessions(candidate) => {
                report.no_session.push(left(UNREADABLE.to_owned()));
            }
            Err(reason) => report.refused.push(left(reason)),
        }
    }

    /// A folder with a manifest. Says why there is no session in it, or fails where there is one that cannot be taken.
    fn folder(
        &mut self,
        view: &View<'_>,
        folder: &Path,
        shown: &str,
    ) -> Result<Option<String>, String> {
        let bytes = find::content(&folder.join(MANIFEST))?;
        let path = format!("{shown}/{MANIFEST}");
        let file = ForeignFile::of(MANIFEST, &path, &bytes)?;
        if let Content::Json(value) = &file.content
            && manifest::is_ours(value)
        {
            return Err(WITHOUT_RECORDS.to_owned());
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let name = if is_its_name(view, folder, &name) { &*name } else { "" };
        let times = Times::new(&local_time::utc_offset);
        let reading =
            session_folder::read(&file, name).unwrap_or_else(|| formats::read(&file, &times));
        self.keep(reading, &file, shown, Some(folder))
    }

    /// A published copy, of this project or another one.
    fn copy(
        &mut self,
        view: &View<'_>,
        folder: &Path,
        shown: &str,
    ) -> Result<Option<String>, String> {
        if is_in_place(view, folder) {
            return Ok(Some(
                "it is a published copy of this project, and needs no import".to_owned(),
            ));
        }
        let own = OwnSession::of_copy(folder, &folder.join(EVENTS))?;
        self.own(own, shown, Some(folder));
        Ok(None)
    }

    fn file(&mut self, path: &Path, shown: &str) -> Result<Option<String>, String> {
        if let Some(own) = OwnSession::of_document(path)? {
            self.own(own, shown, None);
            return Ok(None);
        }
        let bytes = find::content(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = ForeignFile::of(&name, shown, &bytes)?;
        if requirement_state::is_config(&file) {
            let told = "these are requirements, which are gates already where they lie";
            return Ok(Some(told.to_owned()));
        }
        if let Some(part) = requirement_state::read(&file) {
            self.parts.push((shown.to_owned(), part?, digest(&file)));
            return Ok(None);
        }
        let times = Times::new(&local_time::utc_offset);
        let reading =
            session_folder::read(&file, "").unwrap_or_else(|| formats::read(&file, &times));
        self.keep(reading, &file, shown, None)
    }

    fn own(&mut self, own: OwnSession, shown: &str, folder: Option<&Path>) {
        self.sources.push(Source {
            sha256: sha256_hex(&[&own.records]),
            what: What::Own(own),
            shown: shown.to_owned(),
            folder: folder.map(Path::to_owned),
        });
    }

    fn keep(
        &mut self,
        reading: Reading,
        file: &ForeignFile<'_>,
        shown: &str,
        folder: Option<&Path>,
    ) -> Result<Option<String>, String> {
        match reading {
            Reading::Refused(reason) => Err(reason),
            Reading::NoSession(reason) => Ok(Some(reason)),
            Reading::Sessions(sessions) => {
                let digest = digest(file);
                for brought in sessions {
                    self.sources.push(Source {
                        sha256: sha256_hex(&[brought.name.as_bytes(), b"\0", digest.as_bytes()]),
                        what: What::Foreign(Box::new(brought)),
                        shown: shown.to_owned(),
                        folder: folder.map(Path::to_owned),
                    });
                }
                Ok(None)
            }
        }
    }
}

/// Whether what cannot be read looks as if a session were in it.
fn tells_of_sessions(candidate: &Candidate) -> bool {
    if candidate.kind != Kind::File {
        return true;
    }
    let head = files::head(&candidate.path, MAX_BYTES as u64).ok().flatten().unwrap_or_default();
    OF_SESSIONS.iter().any(|word| find::contains(&head, word))
}

/// Whether a folder lies where this project's sessions are.
fn is_in_place(view: &View<'_>, folder: &Path) -> bool {
    let sessions = look::real(view.project.root.join(view.sessions_dir()));
    let parent = folder.parent().map(look::real);
    matches!((sessions, parent), (Ok(sessions), Some(Ok(parent))) if sessions == parent)
}

/// Whether a folder has its session's name: it does where sessions lie, and wherever it begins with a day. One that was
/// taken out may be called anything.
fn is_its_name(view: &View<'_>, folder: &Path, name: &str) -> bool {
    let day = name.get(..10).unwrap_or_default();
    is_in_place(view, folder) || day.parse::<jiff::civil::Date>().is_ok()
}

/// What tells whether exactly this was imported before: of JSON what it says, however it is laid out.
fn digest(file: &ForeignFile<'_>) -> String {
    match &file.content {
        Content::Text(text) => sha256_hex(&[text.as_bytes()]),
        Content::Json(value) => {
            let canonical = canonical::of_value(value).unwrap_or_else(|_| value.to_string());
            sha256_hex(&[canonical.as_bytes()])
        }
    }
}
