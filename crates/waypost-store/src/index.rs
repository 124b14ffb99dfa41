//! Where an index is kept: the place where a database docks.
//!
//! An index is derived: whatever is wrong with it, it is made anew. What its rows mean is the core's business
//! ([`waypost_core::tables`]), and what they are made of the caller's.

mod error;
mod place;
mod sqlite;

use std::fmt::Debug;

use waypost_core::tables::{Cell, Row, Table};

pub use error::IndexError;
pub use place::{Building, IndexHold, IndexPlace};
pub use sqlite::Sqlite;

/// How many texts are compared to tell which are the best: it takes looking each of them up, and of a word that stands
/// everywhere none is better than the others.
pub const COMPARED: u32 = 1_000;

/// A database of rows.
pub trait Index: Debug + Send {
    /// Makes changes, one after the other: all of them or none.
    fn write(&mut self, changes: &[Change]) -> Result<(), IndexError>;

    /// Gives the rows of a table that somebody asks for, one after the other.
    fn each(&self, asked: &Asked<'_>, take: &mut dyn FnMut(Vec<Cell>)) -> Result<(), IndexError>;

    /// The rows of a table that somebody asks for.
    fn rows(&self, asked: &Asked<'_>) -> Result<Vec<Vec<Cell>>, IndexError> {
        let mut rows = Vec::new();
        self.each(asked, &mut |cells| rows.push(cells))?;
        Ok(rows)
    }

    /// How many rows a table has.
    fn count(&self, table: &'static Table) -> Result<u64, IndexError>;

    /// How many rows there are that somebody asks for, and what they add up to.
    fn sums(&self, asked: &Asked<'_>, summed: &Summed<'_>) -> Result<Vec<Sums>, IndexError>;

    /// The numbers of the texts in which all these words stand, the best first. A session is found by the beginnings of
    /// words, too. Where there are more than [`COMPARED`], these are the best of so many.
    fn search(&self, texts: Texts, words: &str, most: u32) -> Result<Vec<i64>, IndexError>;

    /// Whether all these words stand in more texts than are compared.
    fn is_common(&self, texts: Texts, words: &str) -> Result<bool, IndexError>;

    /// The same in one file, the last first.
    fn search_in(&self, file: i64, words: &str, most: u32) -> Result<Vec<i64>, IndexError>;

    /// Looks at all of it. Slow.
    fn check(&self) -> Result<(), IndexError>;

    /// Forgets everything.
    fn reset(&mut self) -> Result<(), IndexError>;
}

/// A change.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Rows, in the place of those with the same key.
    Put {
        /// The table.
        table: &'static Table,
        /// The rows, each with all its cells.
        rows: Vec<Vec<Cell>>,
    },
    /// The rows go that have this in these columns.
    Remove {
        /// The table.
        table: &'static Table,
        /// The columns.
        with: Vec<(&'static str, Cell)>,
    },
    /// A text, to be searched, in the place of what it was.
    Text {
        /// Of which sort.
        of: Texts,
        /// The number of what it is of.
        id: i64,
        /// The text; none: it is found no more.
        text: Option<String>,
    },
}

impl Change {
    /// Rows of one type.
    pub fn put<'a, R: Row + 'a>(rows: impl IntoIterator<Item = &'a R>) -> Self {
        Self::Put { table: R::TABLE, rows: rows.into_iter().map(Row::cells).collect() }
    }

    /// The rows of a session.
    pub fn forget(table: &'static Table, session: i64) -> Self {
        Self::Remove { table, with: vec![("session", Cell::Int(session))] }
    }
}

/// The sorts of texts that are searched by their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// What was said in transcripts, by the numbers of messages.
    Messages,
    /// What sessions are called, by their numbers.
    Sessions,
}

/// How rows are summed up.
#[derive(Debug, Clone, Copy, Default)]
pub struct Summed<'a> {
    /// For each of what stands in this column, in order; else all together.
    pub each: Option<&'static str>,
    /// What stands in these columns.
    pub columns: &'a [&'static str],
}

/// Rows, summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    /// What stands in the column by which they are told apart.
    pub of: Cell,
    /// How many rows.
    pub rows: u64,
    /// What each of the columns adds up to.
    pub sums: Vec<i64>,
}

/// Which rows somebody asks for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Of which table.
    pub table: &'static Table,
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

impl<'a> Asked<'a> {
    /// All rows of a table.
    pub fn all(table: &'static Table) -> Self {
        Self {
            table,
            with: &[],
            without: &[],
            among: None,
            within: None,
            by: None,
            most: None,
            skip: 0,
        }
    }

    /// Those with this in these columns.
    pub fn with(table: &'static Table, with: &'a [(&'static str, Cell)]) -> Self {
        Self { with, ..Self::all(table) }
    }
}

/// Rows of one type.
pub fn rows_of<R: Row>(
    index: &dyn Index,
    with: &[(&'static str, Cell)],
) -> Result<Vec<R>, IndexError> {
    rows_asked(index, &Asked::with(R::TABLE, with))
}

/// Rows of one type that somebody asks for. No more of them is in memory than these.
pub fn rows_asked<R: Row>(index: &dyn Index, asked: &Asked<'_>) -> Result<Vec<R>, IndexError> {
    let (mut rows, mut is_foreign) = (Vec::new(), false);
    index.each(asked, &mut |cells| match R::from_cells(cells) {
        Some(row) => rows.push(row),
        None => is_foreign = true,
    })?;
    if is_foreign { Err(IndexError::Foreign(R::TABLE.name)) } else { Ok(rows) }
}
