//! An index in an SQLite database.

mod bound;
mod left;
mod text;
mod writing;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};
use waypost_core::tables::{Cell, SCHEMA, TABLES, Table};

use super::{Asked, COMPARED, Change, Index, IndexError, Summed, Sums, Texts};
use bound::{Bound, taken};
pub(super) use left::LEFT;
use left::Leaving;
use text::{create_index, create_table, select, sum, table_of};
use writing::Writing;

/// How long to wait for another process that is writing: longer than any one transaction takes.
const BUSY: Duration = Duration::from_secs(30);
/// The beginning of a database file, with its size in it.
const HEADER: usize = 100;
const TEXTS: [Texts; 2] = [Texts::Messages, Texts::Sessions];

/// An index in an SQLite database.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    path: PathBuf,
    /// Whether it is being made, in one transaction: nobody else has it, and nothing is in it yet.
    is_new: bool,
    /// Behind the connection, so that it is dropped after it.
    _leaving: Option<Leaving>,
}

impl Sqlite {
    /// An empty one in a new file, for its owner only, without indexes and without care: whoever is killed begins
    /// again.
    pub(super) fn create(path: &Path) -> Result<Self, IndexError> {
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        made.map_err(crate::StoreError::io("cannot create", path))?;
        let mut made = Self::connect(path)?;
        made.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;")?;
        made.tables()?;
        made.is_new = true;
        made.run("BEGIN")?;
        Ok(made)
    }

    /// The one in a file that is there.
    pub(super) fn open(path: &Path) -> Result<Self, IndexError> {
        whole(path)?;
        let is_touched = left::is_touched(path);
        let opened = Self::connect(path)?;
        if is_touched {
            opened.check()?;
        }
        let opened = Self { _leaving: Some(Leaving(path.to_owned())), ..opened };
        opened.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        let version = opened.connection.pragma_query_value(None, "user_version", |row| row.get(0));
        let version: u32 = version.map_err(|error| opened.error(error))?;
        match version.cmp(&SCHEMA) {
            std::cmp::Ordering::Less => Err(IndexError::Older { path: path.to_owned() }),
            std::cmp::Ordering::Greater => Err(IndexError::Newer { path: path.to_owned() }),
            std::cmp::Ordering::Equal => Ok(opened),
        }
    }

    fn connect(path: &Path) -> Result<Self, IndexError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(error_at(path))?;
        connection.busy_timeout(BUSY).map_err(error_at(path))?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(Self { connection, path: path.to_owned(), is_new: false, _leaving: None })
    }

    fn tables(&mut self) -> Result<(), IndexError> {
        for table in TABLES {
            self.run(&create_table(table))?;
        }
        for texts in TEXTS.map(table_of) {
            self.run(&format!("CREATE VIRTUAL TABLE {texts} USING fts5(text, content = '', contentless_delete = 1)"))?;
        }
        Ok(())
    }

    /// Makes what rows are looked for by, says which version it is of, and puts it on disk.
    pub(super) fn finish(self) -> Result<(), IndexError> {
        self.index()?;
        let set = self.connection.pragma_update(None, "user_version", SCHEMA);
        set.map_err(|error| self.error(error))?;
        self.run("COMMIT")?;
        let path = self.path.clone();
        drop(self);
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(crate::StoreError::io("cannot sync", &path))?;
        Ok(())
    }

    fn index(&self) -> Result<(), IndexError> {
        let all = TABLES.iter().flat_map(|table| create_index(table));
        self.run(&all.collect::<Vec<_>>().join(";"))
    }

    fn run(&self, statements: &str) -> Result<(), IndexError> {
        self.connection.execute_batch(statements).map_err(|error| self.error(error))
    }

    fn error(&self, error: rusqlite::Error) -> IndexError {
        error_at(&self.path)(error)
    }

    fn all(&self, changes: &[Change]) -> rusqlite::Result<()> {
        let all = || Writing::new(&self.connection, self.is_new).make(changes);
        if self.is_new {
            return all();
        }
        // One that is killed or refused in between is taken back as it is dropped.
        let transaction = self.connection.unchecked_transaction()?;
        all()?;
        transaction.commit()
    }

    fn found(&self, words: &str, query: &str, with: &[&dyn ToSql]) -> Result<Vec<i64>, IndexError> {
        if words.split_whitespace().next().is_none() {
            return Ok(Vec::new());
        }
        let found = || {
            let mut statement = self.connection.prepare_cached(query)?;
            let rows = statement.query_map(with, |row| row.get(0))?;
            rows.collect::<rusqlite::Result<Vec<i64>>>()
        };
        found().map_err(|error| self.error(error))
    }

    fn asked(&self, asked: &Asked<'_>, take: &mut dyn FnMut(Vec<Cell>)) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&select(asked))?;
        let mut rows = statement.query(params_from_iter(bound(asked)))?;
        let count = asked.table.columns.len();
        while let Some(row) = rows.next()? {
            let mut cells = Vec::with_capacity(count);
            for place in 0..count {
                cells.push(taken(row.get_ref(place)?)?);
            }
            take(cells);
        }
        Ok(())
    }
}

/// What stands in the conditions of a query.
fn bound<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = Bound<'a>> {
    let within = asked.within.iter().flat_map(|(_, from, to)| [*from, *to]);
    let among = asked.among.iter().flat_map(|(_, cells)| cells.iter());
    let given = asked.with.iter().chain(asked.without).map(|(_, cell)| cell);
    given.chain(within).chain(among).map(Bound)
}

impl Index for Sqlite {
    fn write(&mut self, changes: &[Change]) -> Result<(), IndexError> {
        self.all(changes).map_err(|error| self.error(error))
    }

    fn each(&self, asked: &Asked<'_>, take: &mut dyn FnMut(Vec<Cell>)) -> Result<(), IndexError> {
        self.asked(asked, take).map_err(|error| self.error(error))
    }

    fn count(&self, table: &'static Table) -> Result<u64, IndexError> {
        let query = format!("SELECT count(*) FROM \"{}\"", table.name);
        let count = self.connection.query_row(&query, [], |row| row.get::<_, i64>(0));
        Ok(count.map_err(|error| self.error(error))?.unsigned_abs())
    }

    fn sums(&self, asked: &Asked<'_>, summed: &Summed<'_>) -> Result<Vec<Sums>, IndexError> {
        let found = || {
            let mut statement = self.connection.prepare_cached(&sum(asked, summed))?;
            let rows = statement.query_map(params_from_iter(bound(asked)), |row| {
                let sums = (2..).take(summed.columns.len()).map(|place| row.get(place));
                let sums = sums.collect::<rusqlite::Result<Vec<i64>>>()?;
                let rows = row.get::<_, i64>(1)?.unsigned_abs();
                Ok(Sums { of: taken(row.get_ref(0)?)?, rows, sums })
            })?;
            rows.collect::<rusqlite::Result<Vec<Sums>>>()
        };
        found().map_err(|error| self.error(error))
    }

    fn search(&self, texts: Texts, words: &str, most: u32) -> Result<Vec<i64>, IndexError> {
        let table = table_of(texts);
        let some = format!(
            "SELECT rowid, rank AS place FROM {table} WHERE {table} MATCH ?1 LIMIT {COMPARED}"
        );
        let query = format!("SELECT rowid FROM ({some}) ORDER BY place LIMIT ?2");
        self.found(words, &query, &[&text::quoted(words, texts), &most])
    }

    fn is_common(&self, texts: Texts, words: &str) -> Result<bool, IndexError> {
        let table = table_of(texts);
        let query =
            format!("SELECT rowid FROM {table} WHERE {table} MATCH ?1 LIMIT 1 OFFSET {COMPARED}");
        let beyond = self.found(words, &query, &[&text::quoted(words, texts)])?;
        Ok(!beyond.is_empty())
    }

    fn search_in(&self, file: i64, words: &str, most: u32) -> Result<Vec<i64>, IndexError> {
        let query = "SELECT messages.id FROM message_texts JOIN messages ON messages.id = message_texts.rowid \
            WHERE message_texts MATCH ?1 AND messages.file = ?2 ORDER BY messages.offset DESC LIMIT ?3";
        self.found(words, query, &[&text::quoted(words, Texts::Messages), &file, &most])
    }

    fn check(&self) -> Result<(), IndexError> {
        let said = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        let said: String = said.map_err(|error| self.error(error))?;
        if said == "ok" {
            return Ok(());
        }
        Err(IndexError::Damaged { path: self.path.clone(), why: said })
    }

    fn reset(&mut self) -> Result<(), IndexError> {
        let names = TABLES.iter().map(|table| table.name);
        let mut all: Vec<String> = names.map(|name| format!("DELETE FROM \"{name}\"")).collect();
        let texts = TEXTS.map(table_of).into_iter();
        all.extend(texts.map(|name| format!("INSERT INTO {name} ({name}) VALUES ('delete-all')")));
        self.run(&format!("BEGIN IMMEDIATE; {}; COMMIT", all.join("; ")))
    }
}

/// What a database said, and whether it can be used at all.
fn error_at(path: &Path) -> impl FnOnce(rusqlite::Error) -> IndexError {
    let path = path.to_owned();
    move |source| {
        let code = source.sqlite_error_code();
        let is_damage = match code {
            // Of our own statements only a table that is not there makes it say that it knows none of them.
            None
            | Some(
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::CannotOpen
                | ErrorCode::Unknown,
            ) => true,
            Some(_) => false,
        };
        if is_damage {
            return IndexError::Damaged { path, why: source.to_string() };
        }
        IndexError::Database { path, source }
    }
}

/// That a file is as long as it says it is: a database that was cut off is only noticed where something is missing.
fn whole(path: &Path) -> Result<(), IndexError> {
    let damaged = |why: &str| IndexError::Damaged { path: path.to_owned(), why: why.to_owned() };
    let metadata = std::fs::symlink_metadata(path);
    let metadata = metadata.map_err(crate::StoreError::io("cannot read", path))?;
    if !metadata.is_file() {
        return Err(damaged("it is no file"));
    }
    let head = crate::files::head(path, HEADER as u64);
    let head = head.map_err(|error| damaged(&error.to_string()))?.unwrap_or_default();
    let Ok(head) = <[u8; HEADER]>::try_from(head) else { return Err(damaged("it is too short")) };
    if !head.starts_with(b"SQLite format 3\0") {
        return Err(damaged("it is no database"));
    }
    let page = u64::from(u16::from_be_bytes([head[16], head[17]]));
    let page = if page == 1 { 65536 } else { page };
    let pages = u64::from(u32::from_be_bytes([head[28], head[29], head[30], head[31]]));
    // What is still in the log beside it is put in its place when it is opened.
    let has_log = std::fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    if metadata.len() < page * pages && !has_log {
        return Err(damaged("it was cut off"));
    }
    Ok(())
}

/// The file whose name goes on like this.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}
