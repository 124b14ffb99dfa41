//! Writing what is read into an index, in transactions that are neither many nor huge. What is known of a source is
//! written together with its rows: whoever is killed goes on where the last transaction ended.

use waypost_core::tables::{Cell, Row, SourceRow};
use waypost_store::index::{Change, Index, IndexError, rows_of};

use super::report::{Failed, Progress, Report};

/// How many rows wait at most: so much is read again by whoever comes after one that was killed.
const MAX_WAITING: usize = 20_000;

/// An index that is written, and what came of it.
pub(super) struct Reading<'a> {
    index: &'a mut dyn Index,
    progress: Progress<'a>,
    changes: Vec<Change>,
    waiting: usize,
    pub(super) report: Report,
}

impl<'a> Reading<'a> {
    pub(super) fn new(index: &'a mut dyn Index, progress: Progress<'a>) -> Self {
        Self { index, progress, changes: Vec::new(), waiting: 0, report: Report::default() }
    }

    /// Goes on where `report` ends.
    pub(super) fn going_on(
        index: &'a mut dyn Index,
        progress: Progress<'a>,
        report: Report,
    ) -> Self {
        Self { report, ..Self::new(index, progress) }
    }

    /// The rows of one type that have this in these columns, without what waits.
    pub(super) fn rows<R: Row>(&self, with: &[(&'static str, Cell)]) -> Result<Vec<R>, IndexError> {
        rows_of(self.index, with)
    }

    /// A change that is made with the next transaction.
    pub(super) fn change(&mut self, change: Change) {
        self.waiting += match &change {
            Change::Put { rows, .. } if rows.is_empty() => return,
            Change::Put { rows, .. } => rows.len(),
            Change::Remove { .. } | Change::Text { .. } => 1,
        };
        self.changes.push(change);
    }

    /// A source was read: its rows, and how far, go together.
    pub(super) fn read(&mut self, source: &SourceRow) -> Result<(), IndexError> {
        self.done(Change::put([source]))
    }

    /// A change that belongs together with those before it.
    pub(super) fn done(&mut self, change: Change) -> Result<(), IndexError> {
        self.change(change);
        if self.waiting >= MAX_WAITING { self.write() } else { Ok(()) }
    }

    /// A session was looked at.
    pub(super) fn count(&mut self, name: &str, is_read: bool) {
        let report = &mut self.report;
        report.sessions += 1;
        if let Some(project) = report.projects.last_mut() {
            project.sessions += 1;
        }
        *(if is_read { &mut report.synced } else { &mut report.unchanged }) += 1;
        (self.progress)(self.report.sessions, 0, name);
    }

    pub(super) fn fail(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.report.failed.push(Failed { what: what.into(), why: why.into() });
    }

    /// Makes the changes that wait.
    pub(super) fn write(&mut self) -> Result<(), IndexError> {
        self.index.write(&self.changes)?;
        self.changes.clear();
        self.waiting = 0;
        Ok(())
    }
}
