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
use super::sources::{Before, KINDS, forget, switch};
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
    let with = [("project", Cell::Text(known.id.clone()))];
    let sources = reading.rows::<SourceRow>(&with)?.into_iter();
    let ours = sources.filter(|source| KINDS.contains(&source.kind.as_str()));
    let mut before = Before::of(ours);
    if row.present {
        match known.project() {
            Ok(project) => {
                let view = View::with(host, project, ring.clone());
                sessions(&view, &known.id, &mut before, reading)?;
            }
            Err(error) => reading.fail(known.root.display().to_string(), error.message),
        }
    }
    for gone in before.left() {
        forget(gone, reading);
    }
    reading.write()
}

fn sessions(
    view: &View<'_>,
    project: &str,
    before: &mut Before,
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    let live: BTreeSet<SessionId> = match view.log.sessions() {
        Ok(live) => live.into_iter().collect(),
        Err(error) => {
            reading.fail(view.project.store.display().to_string(), error.to_string());
            BTreeSet::new()
        }
    };
    switch(&live, before, reading);
    for id in &live {
        stream::scan(view, project, id, before, reading)?;
    }
    folder::scan(view, project, &live, before, reading)?;
    activity::scan(view, project, &live, before, reading)
}
