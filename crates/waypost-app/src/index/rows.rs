//! Asking the index for rows, for whoever shows them. What is asked is bounded: a page shows so many rows and no more.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use waypost_core::tables::{Cell, MessageRow, ProjectRow, Row, SessionRow, TranscriptRow};
use waypost_store::index::{Asked, Index, IndexError, Summed, Texts, rows_asked};

use super::making::place;
use crate::error::AppError;
use crate::machine::host::Host;

/// The rows of the index, as of the last scan.
#[derive(Debug)]
pub struct Rows {
    index: Box<dyn Index>,
    /// Whether it failed to answer.
    failed: AtomicBool,
}

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ask<'a> {
    /// With this in these columns.
    pub with: &'a [(&'static str, Cell)],
    /// With anything but this in these columns.
    pub without: &'a [(&'static str, Cell)],
    /// With one of these in this column.
    pub among: Option<(&'static str, &'a [Cell])>,
    /// With at least the first and less than the second in this column.
    pub within: Option<(&'static str, &'a Cell, &'a Cell)>,
    /// In the order of this column, and whether the last one comes first; else in that of their keys.
    pub by: Option<(&'static str, bool)>,
    /// At most so many.
    pub most: Option<u32>,
    /// Without so many at the beginning.
    pub skip: u32,
}

pub use waypost_store::index::Sums;

/// Something that was said, found by its words.
#[derive(Debug, Clone)]
pub struct FoundMessage {
    /// Where it stands.
    pub message: MessageRow,
    /// The transcript.
    pub transcript: TranscriptRow,
}

impl Rows {
    /// The index of this machine; none where there is none that can be used: the next scan makes one.
    pub fn open(host: &Host) -> Result<Option<Self>, AppError> {
        match place(host).open() {
            Ok(index) => Ok(index.map(|index| Self { index, failed: AtomicBool::new(false) })),
            Err(error) if error.is_damage() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether it answered whatever was asked so far.
    pub(crate) fn is_sound(&self) -> bool {
        !self.failed.load(Ordering::Relaxed)
    }

    fn told<V>(&self, answer: Result<V, IndexError>) -> Result<V, AppError> {
        answer.map_err(|error| {
            self.failed.store(true, Ordering::Relaxed);
            error.into()
        })
    }

    /// Its file.
    pub fn file(host: &Host) -> Option<PathBuf> {
        place(host).file()
    }

    /// Rows of one type.
    pub fn of<R: Row>(&self, ask: Ask<'_>) -> Result<Vec<R>, AppError> {
        self.told(rows_asked(&*self.index, &asked::<R>(ask)))
    }

    /// How many rows there are of one type.
    pub fn count<R: Row>(&self) -> Result<u64, AppError> {
        self.told(self.index.count(R::TABLE))
    }

    /// How many rows of one type there are that are asked for, and what these columns add up to: for each of what stands
    /// in `each`, in order, else all together.
    pub fn sums<R: Row>(
        &self,
        ask: Ask<'_>,
        each: Option<&'static str>,
        columns: &[&'static str],
    ) -> Result<Vec<Sums>, AppError> {
        self.told(self.index.sums(&asked::<R>(ask), &Summed { each, columns }))
    }

    /// How many rows of one type there are that are asked for.
    pub fn number<R: Row>(&self, ask: Ask<'_>) -> Result<u64, AppError> {
        Ok(self.sums::<R>(ask, None, &[])?.first().map_or(0, |sums| sums.rows))
    }

    /// The first row with this in a column.
    pub fn one<R: Row>(&self, column: &'static str, cell: Cell) -> Result<Option<R>, AppError> {
        let with = [(column, cell)];
        let found = self.of::<R>(Ask { with: &with, most: Some(1), ..Ask::default() })?;
        Ok(found.into_iter().next())
    }

    /// The session of a project with that id.
    pub fn session(&self, project: &str, id: &str) -> Result<Option<SessionRow>, AppError> {
        let with = [("project", Cell::Text(project.to_owned())), ("id", Cell::Text(id.to_owned()))];
        let found = self.of::<SessionRow>(Ask { with: &with, most: Some(1), ..Ask::default() })?;
        Ok(found.into_iter().next())
    }

    /// What was said with all these words, the best first.
    pub fn said(&self, words: &str, most: u32) -> Result<Vec<FoundMessage>, AppError> {
        let mut found = Vec::new();
        for id in self.told(self.index.search(Texts::Messages, words, most))? {
            let Some(message) = self.one::<MessageRow>("id", Cell::Int(id))? else { continue };
            let file = Cell::Int(message.file);
            let Some(transcript) = self.one::<TranscriptRow>("file", file)? else { continue };
            found.push(FoundMessage { message, transcript });
        }
        Ok(found)
    }

    /// Whether so many messages have all these words, or so many sessions are called by them, that only some were compared
    /// to tell which are the best.
    pub fn is_common(&self, words: &str, project: Option<&str>) -> Result<bool, AppError> {
        let sessions = of_project(words, project);
        Ok(self.told(self.index.is_common(Texts::Messages, words))?
            || self.told(self.index.is_common(Texts::Sessions, &sessions))?)
    }

    /// The sessions that are called by all these words, or by words that begin so, the best first; of one project, or of
    /// all. By a word of its id, its objective, or its branch.
    pub fn called(
        &self,
        words: &str,
        project: Option<&str>,
        most: u32,
    ) -> Result<Vec<SessionRow>, AppError> {
        if words.trim().is_empty() {
            return Ok(Vec::new());
        }
        let wanted = of_project(words, project);
        let mut found = Vec::new();
        for id in self.told(self.index.search(Texts::Sessions, &wanted, most))? {
            let session = self.one::<SessionRow>("session", Cell::Int(id))?;
            found
                .extend(session.filter(|row| project.is_none_or(|project| row.project == project)));
        }
        Ok(found)
    }

    /// What was said in a file with all these words, the last first.
    pub fn said_in(&self, file: i64, words: &str, most: u32) -> Result<Vec<MessageRow>, AppError> {
        let ids = self.told(self.index.search_in(file, words, most))?;
        let found = ids.into_iter().map(|id| self.one::<MessageRow>("id", Cell::Int(id)));
        found.filter_map(Result::transpose).collect()
    }

    /// All projects.
    pub fn projects(&self) -> Result<Vec<ProjectRow>, AppError> {
        self.of(Ask::default())
    }
}

/// The words by which sessions of a project are found: its id is one of the words of each.
fn of_project(words: &str, project: Option<&str>) -> String {
    format!("{words} {}", project.unwrap_or_default())
}

fn asked<R: Row>(ask: Ask<'_>) -> Asked<'_> {
    let Ask { with, without, among, within, by, most, skip } = ask;
    Asked { table: R::TABLE, with, without, among, within, by, most, skip }
}
