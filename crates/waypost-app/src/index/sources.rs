//! What an index knows of the streams, folders and files that its rows were read from, and what goes when one of them
//! is gone.

use std::collections::{BTreeMap, BTreeSet};

use waypost_core::id::SessionId;
use waypost_core::tables::{Cell, LogRow, OF_SESSION, Row, SessionRow, SourceRow};
use waypost_store::index::{Change, Texts};

use super::reading::Reading;

/// What is known of sources that were not looked at yet, by their sort and name.
#[derive(Default)]
pub(super) struct Before(BTreeMap<String, BTreeMap<String, SourceRow>>);

impl Before {
    pub(super) fn of(sources: impl IntoIterator<Item = SourceRow>) -> Self {
        let mut before = Self::default();
        for source in sources {
            if let Some(known) = before.0.get_mut(&source.kind) {
                known.insert(source.name.clone(), source);
            } else {
                let first = BTreeMap::from([(source.name.clone(), source.clone())]);
                before.0.insert(source.kind, first);
            }
        }
        before
    }

    /// One that is looked at now.
    pub(super) fn take(&mut self, kind: &str, name: &str) -> Option<SourceRow> {
        self.0.get_mut(kind)?.remove(name)
    }

    /// All of one sort, by their names.
    pub(super) fn take_all(&mut self, kind: &str) -> BTreeMap<String, SourceRow> {
        self.0.remove(kind).unwrap_or_default()
    }

    /// Those that nobody looked at.
    pub(super) fn left(&self) -> impl Iterator<Item = &SourceRow> {
        self.0.values().flat_map(BTreeMap::values)
    }
}

/// Of which sort a source is.
pub(super) const STREAM: &str = "stream";
pub(super) const FOLDER: &str = "folder";
pub(super) const ACTIVITY: &str = "activity";

/// What was a folder and is a stream now, or the other way round, goes before it is read: both have the same rows.
pub(super) fn switch(live: &BTreeSet<SessionId>, before: &mut Before, reading: &mut Reading<'_>) {
    let live: BTreeSet<&str> = live.iter().map(SessionId::as_str).collect();
    let is_gone = |source: &SourceRow| match source.kind.as_str() {
        STREAM => !live.contains(source.name.as_str()),
        FOLDER => live.contains(source.name.as_str()),
        _ => false,
    };
    for known in before.0.values_mut() {
        known.retain(|_, source| {
            let is_gone = is_gone(source);
            if is_gone {
                forget(source, reading);
            }
            !is_gone
        });
    }
}

/// A source is gone, and with it what was read of it.
pub(super) fn forget(source: &SourceRow, reading: &mut Reading<'_>) {
    if let Some(session) = source.session {
        if source.kind == ACTIVITY {
            reading.change(activity_gone(session));
        } else {
            reading.report.removed += 1;
            session_gone(session, reading);
        }
    }
    let with = vec![
        ("project", Cell::Text(source.project.clone())),
        ("kind", Cell::Text(source.kind.clone())),
        ("name", Cell::Text(source.name.clone())),
    ];
    reading.change(Change::Remove { table: SourceRow::TABLE, with });
}

/// A session is read anew, or gone.
pub(super) fn session_gone(session: i64, reading: &mut Reading<'_>) {
    rows_gone(session, reading);
    reading.change(Change::forget(SessionRow::TABLE, session));
    reading.change(Change::Text { of: Texts::Sessions, id: session, text: None });
}

/// A session's row, and the words that it is found by. `was` is the row that it takes the place of.
pub(super) fn session_is(row: &SessionRow, was: Option<&SessionRow>, reading: &mut Reading<'_>) {
    reading.change(Change::put([row]));
    let text = row.searched();
    if was.is_none_or(|was| was.searched() != text) {
        let text = Some(text);
        reading.change(Change::Text { of: Texts::Sessions, id: row.session, text });
    }
}

/// What the records of a session came to is made again, or gone.
fn rows_gone(session: i64, reading: &mut Reading<'_>) {
    for table in OF_SESSION {
        let mut with = vec![("session", Cell::Int(session))];
        if table.columns.iter().any(|column| column.name == "activity") {
            with.push(("activity", Cell::Int(0)));
        }
        reading.change(Change::Remove { table, with });
    }
}

/// What was read of a session's activity goes.
pub(super) fn activity_gone(session: i64) -> Change {
    let with = vec![("session", Cell::Int(session)), ("activity", Cell::Int(1))];
    Change::Remove { table: LogRow::TABLE, with }
}
