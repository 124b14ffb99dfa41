//! Reading one project into an index: its streams, the folders of its sessions, and its activity, as far as they changed
//! since they were read.

use std::collections::BTreeSet;

use waypost_core::id::SessionId;
use waypost_core::key::Keyring;
use waypost_core::tables::{Cell, ProjectRow, SourceRow};
use waypost_store::index::{Change, IndexError};

use super::known::KnownProject;
use super::reading::Reading;
use super::report::ScannedProject;
use super::sources::{ACTIVITY, Before, FOLDER, STREAM, forget, switch};
use super::{activity, folder, stream};
use crate::machine::host::Host;
use crate::view::View;

/// Reads a project.
pub(super) fn scan(
    host: &Host,
    ring: &Keyring,
    known: &KnownProject,
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    let row = known.row();
    let with = [("id", Cell::Text(known.id.clone()))];
    let was = reading.rows::<ProjectRow>(&with)?.pop();
    if was.as_ref() != Some(&row) {
        reading.change(Change::put([&row]));
    }
    reading.report.projects.push(ScannedProject {
        id: row.id.clone(),
        name: row.name,
        moved_from: was
            .as_ref()
            .map(|was| was.working_dir.clone())
            .filter(|was| *was != row.working_dir),
        working_dir: row.working_dir,
        present: row.present,
        archived: row.archived,
        new: was.is_none(),
        sessions: 0,
    });
    let view = match known.project() {
        _ if !row.present => None,
        Ok(project) => Some(View::with(host, project, ring.clone())),
        Err(error) => {
            reading.fail(known.root.display().to_string(), error.message);
            None
        }
    };
    let live = view.as_ref().map(|view| live(view, reading)).unwrap_or_default();
    let mut before = earlier(&known.id, &[STREAM, FOLDER], reading)?;
    if let Some(view) = &view {
        sessions(view, &known.id, &live, &mut before, reading)?;
    }
    for gone in before.left() {
        forget(gone, reading);
    }
    // Only now: of ten thousand sessions, what is known of each is some megabytes.
    drop(before);
    let mut before = earlier(&known.id, &[ACTIVITY], reading)?;
    if let Some(view) = &view {
        activity::scan(view, &known.id, &live, &mut before, reading)?;
    }
    for gone in before.left() {
        forget(gone, reading);
    }
    reading.write()
}

/// The sources of these sorts that were read earlier.
fn earlier(project: &str, kinds: &[&str], reading: &Reading<'_>) -> Result<Before, IndexError> {
    let mut sources = Vec::new();
    for kind in kinds {
        let with =
            [("project", Cell::Text(project.to_owned())), ("kind", Cell::Text((*kind).to_owned()))];
        sources.append(&mut reading.rows::<SourceRow>(&with)?);
    }
    Ok(Before::of(sources))
}

/// The sessions that have a stream.
fn live(view: &View<'_>, reading: &mut Reading<'_>) -> BTreeSet<SessionId> {
    match view.log.sessions() {
        Ok(live) => live.into_iter().collect(),
        Err(error) => {
            reading.fail(view.project.store.display().to_string(), error.to_string());
            BTreeSet::new()
        }
    }
}

fn sessions(
    view: &View<'_>,
    project: &str,
    live: &BTreeSet<SessionId>,
    before: &mut Before,
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    switch(live, before, reading);
    for id in live {
        stream::scan(view, project, id, before, reading)?;
    }
    folder::scan(view, project, live, before, reading)
}
