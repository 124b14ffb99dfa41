//! What candidates hold, each read by itself.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use waypost_core::canonical;
use waypost_core::key::sha256_hex;
use waypost_core::manifest;
use waypost_store::{files, look};

use super::copying;
use super::find::{self, Candidate, Kind, Unread};
use super::own::OwnSession;
use super::{LeftFile, Report};
use crate::foreign::named_session::NamedSession;
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
/// Folders in which such programs keep sessions.
const FOLDERS: [&str; 3] = ["sessions", "state", "requirements"];
/// Words that files with sessions have, whatever else is wrong with them.
const OF_SESSIONS: [&[u8]; 5] =
    [b"session_id", b"sessionId", b"protocolCompliance", b"workflow_type", b"satisfied_at"];

/// A session to be brought in.
#[derive(Debug)]
pub(super) struct Source {
    /// The session.
    pub(super) what: What,
    /// Where it was found.
    pub(super) path: PathBuf,
    /// The same for people and records.
    pub(super) shown: String,
    /// SHA-256 of what was read.
    pub(super) sha256: String,
    /// The folder whose files belong to it.
    pub(super) folder: Option<PathBuf>,
}

/// A candidate as it is shown.
#[derive(Debug, Clone, Copy)]
struct Spot<'a> {
    path: &'a Path,
    shown: &'a str,
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
        let at = Spot { path: &candidate.path, shown };
        let read = match candidate.kind {
            Kind::Folder => self.folder(view, at),
            Kind::Copy => self.copy(view, at),
            Kind::File => self.file(at),
        };
        let left = |reason| LeftFile { path: shown.to_owned(), reason };
        match read {
            Ok(None) => {}
            Ok(Some(reason)) => report.no_session.push(left(reason)),
            // Among all files of a project, those that nobody can read are not held against it.
            Err(Unread::Unfit(_)) if !candidate.named && !tells_of_sessions(candidate) => {
                report.no_session.push(left(UNREADABLE.to_owned()));
            }
            Err(Unread::Unfit(reason) | Unread::Withheld(reason)) => {
                report.refused.push(left(reason));
            }
        }
    }

    /// A folder with a manifest. Says why there is no session in it, or fails where there is one that cannot be taken.
    fn folder(&mut self, view: &View<'_>, at: Spot<'_>) -> Result<Option<String>, Unread> {
        let bytes = find::content(&at.path.join(MANIFEST))?;
        let path = format!("{}/{MANIFEST}", at.shown);
        let file = ForeignFile::of(MANIFEST, &path, &bytes).map_err(Unread::Unfit)?;
        if let Content::Json(value) = &file.content
            && manifest::is_ours(value)
        {
            return Err(Unread::Withheld(WITHOUT_RECORDS.to_owned()));
        }
        let name = at.path.file_name().unwrap_or_default().to_string_lossy();
        let says = file.json().and_then(|fields| fields.get("session_id")?.as_str());
        let has_name = says.is_some_and(|id| !id.trim().is_empty());
        let name = if is_its_name(view, at.path, &name) || !has_name { &*name } else { "" };
        let times = Times::new(&local_time::utc_offset);
        let reading =
            session_folder::read(&file, name).unwrap_or_else(|| formats::read(&file, &times));
        let beside = if is_in_place(view, at.path) { None } else { Some(at.path) };
        self.keep(reading, at, beside)
    }

    /// A published copy, of this project or another one.
    fn copy(&mut self, view: &View<'_>, at: Spot<'_>) -> Result<Option<String>, Unread> {
        if is_in_place(view, at.path) {
            return Ok(Some(
                "it is a published copy of this project, and needs no import".to_owned(),
            ));
        }
        let own = OwnSession::of_copy(at.path, &at.path.join(EVENTS)).map_err(Unread::Withheld)?;
        self.own(own, at, Some(at.path));
        Ok(None)
    }

    fn file(&mut self, at: Spot<'_>) -> Result<Option<String>, Unread> {
        if let Some(own) = OwnSession::of_document(at.path).map_err(Unread::Withheld)? {
            self.own(own, at, None);
            return Ok(None);
        }
        let bytes = find::content(at.path)?;
        let name = at.path.file_name().unwrap_or_default().to_string_lossy();
        let file = ForeignFile::of(&name, at.shown, &bytes).map_err(Unread::Unfit)?;
        if requirement_state::is_config(&file) {
            let told = "these are requirements, which are gates already where they lie";
            return Ok(Some(told.to_owned()));
        }
        if let Some(part) = requirement_state::read(&file) {
            let digest = digest(&file.original());
            self.parts.push((at.shown.to_owned(), part.map_err(Unread::Withheld)?, digest));
            return Ok(None);
        }
        let times = Times::new(&local_time::utc_offset);
        let reading =
            session_folder::read(&file, "").unwrap_or_else(|| formats::read(&file, &times));
        self.keep(reading, at, None)
    }

    fn own(&mut self, own: OwnSession, at: Spot<'_>, folder: Option<&Path>) {
        self.sources.push(Source {
            sha256: sha256_hex(&[&own.records]),
            what: What::Own(own),
            path: at.path.to_owned(),
            shown: at.shown.to_owned(),
            folder: folder.map(Path::to_owned),
        });
    }

    fn keep(
        &mut self,
        reading: Reading,
        at: Spot<'_>,
        folder: Option<&Path>,
    ) -> Result<Option<String>, Unread> {
        let sessions = match reading {
            Reading::Refused(reason) => return Err(Unread::Withheld(reason)),
            Reading::NoSession(reason) => return Ok(Some(reason)),
            Reading::Sessions(sessions) => sessions,
        };
        let beside = folder.map(copying::hashes).unwrap_or_default();
        for brought in sessions {
            let own = if brought.original.is_empty() {
                Map::from_iter([(MANIFEST.to_owned(), brought.manifest.clone())])
            } else {
                brought.original.clone()
            };
            let beside = serde_json::to_string(&beside).unwrap_or_default();
            let own = digest(&own);
            let parts = [brought.name.as_str(), &own, &beside].map(str::as_bytes);
            self.sources.push(Source {
                sha256: sha256_hex(&[parts[0], b"\0", parts[1], b"\0", parts[2]]),
                what: What::Foreign(Box::new(brought)),
                path: at.path.to_owned(),
                shown: at.shown.to_owned(),
                folder: folder.map(Path::to_owned),
            });
        }
        Ok(None)
    }
}

/// Whether what cannot be read looks as if a session were in it.
fn tells_of_sessions(candidate: &Candidate) -> bool {
    if candidate.kind != Kind::File {
        return true;
    }
    let name = candidate.path.file_name().unwrap_or_default().to_string_lossy();
    let parent = candidate.path.parent().and_then(Path::file_name).unwrap_or_default();
    let lies_there = FOLDERS.iter().any(|folder| parent.eq_ignore_ascii_case(folder));
    let head = files::head(&candidate.path, MAX_BYTES as u64).ok().flatten().unwrap_or_default();
    let has_words = OF_SESSIONS.iter().any(|word| find::contains(&head, word));
    has_words || lies_there || NamedSession::in_name(&name).is_some()
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
fn digest(original: &Map<String, Value>) -> String {
    let whole = Value::Object(original.clone());
    let canonical = canonical::of_value(&whole).unwrap_or_else(|_| whole.to_string());
    sha256_hex(&[canonical.as_bytes()])
}
