//! Reading the folders of sessions in a work tree into an index: published copies of sessions that belong to other
//! clones, and folders that another program made. What is a stream of this repository is read from there.
//!
//! Several threads look at them; what they find is written in the order of their names, so that the same folders always
//! give the same index.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use waypost_core::id::SessionId;
use waypost_core::session::SessionState;
use waypost_core::tables::{SessionRow, SessionRows, SourceRow, session_key};
use waypost_core::time::Timestamp;
use waypost_store::index::IndexError;
use waypost_store::look;

use super::ahead::ahead;
use super::reading::Reading;
use super::report::Failed;
use super::sources::{Before, FOLDER, forget, session_gone, session_is};
use super::stream;
use crate::error::AppError;
use crate::machine::plain_files;
use crate::view::View;
use crate::view::copy::{self, Copy, EVENTS, Kept, MANIFEST};

/// Reads the folders that changed.
pub(super) fn scan(
    view: &View<'_>,
    project: &str,
    live: &BTreeSet<SessionId>,
    before: &mut Before,
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    let known = before.take_all(FOLDER);
    let all = view.project.root.join(view.sessions_dir());
    let folders = Folders { project, trusts: trusts(view), all, known: &known };
    let (host, root, ring) = (view.host, &view.project, view.log.ring());
    let begin = || View::with(host, root.clone(), ring.clone());
    let mut seen = Vec::new();
    let take = |_: &OsString, found: Found| -> Result<(), IndexError> {
        seen.extend(take(found, &known, reading)?);
        Ok(())
    };
    ahead(&names(view, live), begin, |view, name| folders.look(view, name), take)?;
    // Both are in the order of their names.
    let mut seen = seen.iter().map(SessionId::as_str).peekable();
    for (name, source) in &known {
        while seen.next_if(|seen| *seen < name.as_str()).is_some() {}
        if seen.peek() != Some(&name.as_str()) {
            forget(source, reading);
        }
    }
    Ok(())
}

/// The names of the folders, in order. Two levels are looked at, and nothing further down.
fn names(view: &View<'_>, live: &BTreeSet<SessionId>) -> Vec<OsString> {
    let below = Path::new(view.sessions_dir());
    // What is behind a link is not in the work tree.
    if !plain_files::is_folder(&view.project.root, below) {
        return Vec::new();
    }
    let live: BTreeSet<&str> = live.iter().map(SessionId::as_str).collect();
    let entries = look::folder(view.project.root.join(below)).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let is_live = |name: &OsString| name.to_str().is_some_and(|name| live.contains(name));
    let mut names: Vec<OsString> =
        folders.map(|entry| entry.file_name()).filter(|name| !is_live(name)).collect();
    names.sort();
    names
}

/// The folders of a project's sessions.
struct Folders<'f> {
    project: &'f str,
    all: PathBuf,
    trusts: String,
    /// What is known of them.
    known: &'f BTreeMap<String, SourceRow>,
}

/// What a folder is.
enum Found {
    /// Nothing of a session.
    Nothing,
    /// One whose name cannot be the id of a session.
    Unnamed(PathBuf),
    /// What it was when it was read.
    Same(SessionId),
    /// New, or something else.
    Changed(SessionId, Box<Changed>),
}

/// What was read of a folder, and by what it is known again.
struct Changed {
    source: SourceRow,
    read: Result<Option<Told>, AppError>,
}

/// What a folder tells.
struct Told {
    rows: SessionRows,
    row: SessionRow,
    failed: Option<Failed>,
}

impl Folders<'_> {
    fn look(&self, view: &View<'_>, name: &OsString) -> Found {
        let folder = self.all.join(name);
        let [events, manifest] = [EVENTS, MANIFEST].map(|name| look::link(folder.join(name)).ok());
        if events.is_none() && manifest.is_none() {
            return Found::Nothing;
        }
        let Some(id) = name.to_str().and_then(|name| name.parse::<SessionId>().ok()) else {
            return Found::Unnamed(folder);
        };
        let mut hash = String::new();
        stamp(events.as_ref(), &mut hash);
        stamp(manifest.as_ref(), &mut hash);
        hash.push_str(&self.trusts);
        if self.known.get(id.as_str()).is_some_and(|known| known.hash == hash) {
            return Found::Same(id);
        }
        let source = SourceRow {
            project: self.project.to_owned(),
            kind: FOLDER.to_owned(),
            name: id.to_string(),
            session: Some(session_key(self.project, &id)),
            bytes: events.iter().chain(&manifest).map(Metadata::len).sum(),
            modified: 0,
            file: 0,
            seq: 0,
            offset: 0,
            hash,
        };
        let copy = match (&events, &manifest) {
            (None, Some(manifest)) => copy::of_manifest(view, &id, folder, manifest),
            _ => copy::of(view, &id),
        };
        let tell =
            |copy: Option<Copy>| copy.map(|copy| told(view, copy, manifest.as_ref(), &source));
        let read = copy.map(tell);
        Found::Changed(id, Box::new(Changed { source, read }))
    }
}

fn told(view: &View<'_>, mut copy: Copy, manifest: Option<&Metadata>, source: &SourceRow) -> Told {
    date(&mut copy, manifest);
    let mut rows = SessionRows::new(source.session.unwrap_or_default());
    copy.records.iter().for_each(|record| rows.apply(record));
    let state = SessionState::fold(&copy.records);
    let mut row = SessionRow::of(&source.project, &copy.id, &state, kept(copy.kept));
    let failed = copy.kept.is_in_doubt().then(|| {
        let why = copy.remark.unwrap_or_default();
        row.damage = Some(why.clone());
        Failed { what: view.project.relative(&copy.folder), why }
    });
    Told { rows, row, failed }
}

/// A manifest that says no time is as old as its file: the moment in which it is read would be another in each index.
fn date(copy: &mut Copy, manifest: Option<&Metadata>) {
    if copy.undated
        && let (Some(record), Some(file)) = (copy.records.first_mut(), manifest)
    {
        let millis = file.mtime().saturating_mul(1000);
        record.time = Timestamp::saturating_from_millis(millis);
    }
}

/// Writes what was found. Which session that is.
fn take(
    found: Found,
    known: &BTreeMap<String, SourceRow>,
    reading: &mut Reading<'_>,
) -> Result<Option<SessionId>, IndexError> {
    match found {
        Found::Nothing => Ok(None),
        Found::Unnamed(folder) => {
            reading.fail(folder.display().to_string(), "its name cannot be the id of a session");
            Ok(None)
        }
        Found::Same(id) => {
            reading.count(id.as_str(), false);
            Ok(Some(id))
        }
        Found::Changed(id, changed) => {
            if let (true, Some(session)) = (known.contains_key(id.as_str()), changed.source.session)
            {
                session_gone(session, reading);
            }
            write(&id, *changed, reading)?;
            Ok(Some(id))
        }
    }
}

/// Writes what was read of a folder.
fn write(id: &SessionId, changed: Changed, reading: &mut Reading<'_>) -> Result<(), IndexError> {
    let Changed { source, read } = changed;
    match read {
        Ok(None) => return Ok(()),
        Ok(Some(Told { rows, row, failed })) => {
            reading.report.failed.extend(failed);
            stream::put(&rows, reading);
            session_is(&row, None, reading);
            reading.count(id.as_str(), true);
        }
        Err(AppError { message, .. }) => reading.fail(id.as_str(), message),
    }
    reading.read(&source)
}

fn kept(kept: Kept) -> &'static str {
    match kept {
        Kept::Live => "live",
        Kept::Copy => "copy",
        Kept::Unverified => "unverified",
        Kept::Legacy => "legacy",
        Kept::Damaged => "damaged",
        Kept::Newer => "newer",
    }
}

/// By what a file is known again, and a space.
fn stamp(file: Option<&Metadata>, into: &mut String) {
    let Some(file) = file else {
        into.push_str("- ");
        return;
    };
    let (length, seconds, nanos, number) =
        (file.len(), file.mtime(), file.mtime_nsec(), file.ino());
    // A text takes whatever is written.
    let _ = write!(into, "{length}:{seconds}.{nanos}:{number} ");
}

/// What else decides what a copy is worth: the keys that are known, and what people trust.
fn trusts(view: &View<'_>) -> String {
    let keys: Vec<&str> = view.log.ring().keys().iter().map(waypost_core::key::Key::id).collect();
    let mut told = keys.join(",");
    told.push(' ');
    stamp(look::at(view.project.store.join("trusted")).ok().as_ref(), &mut told);
    told
}
