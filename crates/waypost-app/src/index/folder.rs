//! Reading the folders of sessions in a work tree into an index: published copies of sessions that belong to other
//! clones, and folders that another program made. What is a stream of this repository is read from there.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use waypost_core::id::SessionId;
use waypost_core::session::{Basics, SessionState};
use waypost_core::tables::{SessionRow, SessionRows, SourceRow, session_key};
use waypost_core::time::Timestamp;
use waypost_store::index::IndexError;
use waypost_store::look;

use super::reading::Reading;
use super::sources::{Before, FOLDER, session_gone, session_is};
use super::stream;
use crate::error::AppError;
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
    let all = view.project.root.join(view.sessions_dir());
    let trusts = trusts(view);
    // Two levels are looked at, and nothing further down.
    for entry in look::folder(&all).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let folder = entry.path();
        let [events, manifest] = [EVENTS, MANIFEST].map(|name| look::link(folder.join(name)).ok());
        if events.is_none() && manifest.is_none() {
            continue;
        }
        let name = entry.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<SessionId>().ok()) else {
            reading.fail(folder.display().to_string(), "its name cannot be the id of a session");
            continue;
        };
        if live.contains(&id) {
            continue;
        }
        let stamp = [stamp(events.as_ref()), stamp(manifest.as_ref()), trusts.clone()].join(" ");
        let known = before.remove(&(FOLDER.to_owned(), id.to_string()));
        if known.as_ref().is_some_and(|known| known.hash == stamp) {
            reading.count(id.as_str(), false);
            continue;
        }
        let session = session_key(project, &id);
        if known.is_some() {
            session_gone(session, reading);
        }
        let source = SourceRow {
            project: project.to_owned(),
            kind: FOLDER.to_owned(),
            name: id.to_string(),
            session: Some(session),
            bytes: events.iter().chain(&manifest).map(Metadata::len).sum(),
            modified: 0,
            file: 0,
            seq: 0,
            offset: 0,
            hash: stamp,
        };
        read(view, &id, manifest.as_ref(), &source, reading)?;
    }
    Ok(())
}

fn read(
    view: &View<'_>,
    id: &SessionId,
    manifest: Option<&Metadata>,
    source: &SourceRow,
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    let mut rows = SessionRows::new(source.session.unwrap_or_default());
    match copy::of(view, id) {
        Ok(None) => return Ok(()),
        Ok(Some(mut copy)) => {
            date(&mut copy, manifest);
            copy.records.iter().for_each(|record| rows.apply(record));
            let state = SessionState::fold(&copy.records);
            let mut row = SessionRow::of(&source.project, id, &state, kept(copy.kept));
            if copy.kept.is_in_doubt() {
                let why = copy.remark.clone().unwrap_or_default();
                reading.fail(told(view, &copy.folder), why.clone());
                row.damage = Some(why);
            }
            stream::put(&rows, reading);
            session_is(&row, None, reading);
            reading.count(id.as_str(), true);
        }
        Err(AppError { message, .. }) => reading.fail(id.as_str(), message),
    }
    reading.read(source)
}

fn told(view: &View<'_>, folder: &Path) -> String {
    view.project.relative(folder)
}

/// A manifest that says no time is as old as its file: the moment in which it is read would be another in each index.
fn date(copy: &mut Copy, manifest: Option<&Metadata>) {
    if copy.kept != Kept::Legacy {
        return;
    }
    let text = copy.manifest.as_deref().unwrap_or_default();
    let basics = copy::foreign_manifest(text).map(|value| Basics::read(&value)).unwrap_or_default();
    if basics.updated_at.or(basics.created_at).is_none()
        && let (Some(record), Some(file)) = (copy.records.first_mut(), manifest)
    {
        let millis = file.mtime().saturating_mul(1000);
        record.time = Timestamp::saturating_from_millis(millis);
    }
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

fn stamp(file: Option<&Metadata>) -> String {
    let told = |file: &Metadata| {
        format!("{}:{}.{}:{}", file.len(), file.mtime(), file.mtime_nsec(), file.ino())
    };
    file.map_or_else(|| "-".to_owned(), told)
}

/// What else decides what a copy is worth: the keys that are known, and what people trust.
fn trusts(view: &View<'_>) -> String {
    let keys: Vec<&str> = view.log.ring().keys().iter().map(waypost_core::key::Key::id).collect();
    let trusted = look::at(view.project.store.join("trusted")).ok();
    format!("{} {}", keys.join(","), stamp(trusted.as_ref()))
}
