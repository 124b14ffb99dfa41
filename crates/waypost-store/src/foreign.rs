//! Rows of an SQLite database that another program keeps, and may be writing just now. It is only ever read, nobody who
//! writes it waits for that, and no file is made beside it.

use std::fmt::Write as _;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use waypost_core::tables::Cell;

use crate::{files, look, seen};

/// How long to wait for a program that locks all others out.
const BUSY: Duration = Duration::from_secs(1);
/// A longer text or blob is given as null.
const MAX_CELL: usize = 64 * 1024 * 1024;
/// A query that gives more than that, in bytes, is refused.
const MAX_ALL: usize = 256 * 1024 * 1024;
/// How often it is read again because it was changed meanwhile.
const TRIES: usize = 4;

/// The write-ahead log of a database.
pub fn log_of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// What a query gives, as the database was at one time.
pub fn rows(database: &Path, query: &str, with: &[&str]) -> io::Result<Vec<Vec<Cell>>> {
    seen::read(database);
    for _ in 0..TRIES {
        let before = State::of(database)?;
        let found = before.open(database).and_then(|opened| asked(&opened, query, with));
        // With a log it was a transaction's view.
        if (found.is_ok() && before.log.is_some()) || State::of(database)? == before {
            return found.map_err(io::Error::other);
        }
    }
    Err(io::Error::other("it changes all the time"))
}

/// What tells whether a database was changed.
#[derive(Debug, PartialEq, Eq)]
struct State {
    file: (u64, u64, i64, i64),
    /// None if there is nothing in it.
    log: Option<(u64, u64, i64, i64)>,
}

impl State {
    fn of(database: &Path) -> io::Result<Self> {
        let stamp = |path: &Path| {
            look::at(path).map(|at| (at.ino(), at.len(), at.mtime(), at.mtime_nsec()))
        };
        let log = stamp(&log_of(database)).ok().filter(|(_, length, _, _)| *length > 0);
        Ok(Self { file: stamp(database)?, log })
    }

    /// To read a log, SQLite needs the index of it that whoever writes keeps in shared memory; it may not make one. Where
    /// there is no log yet, it would make both, unless it is told that nobody writes: who begins to do so is seen
    /// afterwards. A database that is written without a log is locked meanwhile.
    fn open(&self, database: &Path) -> rusqlite::Result<Connection> {
        let how = match self.log {
            Some(_) => "&readonly_shm=1",
            None if is_written_with_log(database) => "&immutable=1",
            None => "",
        };
        let mut name = "file:".to_owned();
        for byte in database.as_os_str().as_bytes() {
            if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
                name.push(char::from(*byte));
            } else {
                let _ = write!(name, "%{byte:02X}");
            }
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(format!("{name}?mode=ro{how}"), flags)?;
        opened.busy_timeout(BUSY)?;
        opened.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        Ok(opened)
    }
}

/// Whether a database says so of itself, in its header.
fn is_written_with_log(database: &Path) -> bool {
    const READ_VERSION: usize = 19;
    let head = files::head(database, 100).ok().flatten();
    head.is_some_and(|head| head.get(READ_VERSION) == Some(&2))
}

fn asked(opened: &Connection, query: &str, with: &[&str]) -> rusqlite::Result<Vec<Vec<Cell>>> {
    let mut statement = opened.prepare(query)?;
    let columns = statement.column_count();
    let mut found = statement.query(params_from_iter(with))?;
    let (mut rows, mut size) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        let cells = (0..columns).map(|place| Ok(cell(row.get_ref(place)?, &mut size)));
        rows.push(cells.collect::<rusqlite::Result<Vec<Cell>>>()?);
        if size > MAX_ALL {
            let why = format!("there are more than {MAX_ALL} bytes");
            return Err(rusqlite::Error::ToSqlConversionFailure(why.into()));
        }
    }
    Ok(rows)
}

fn cell(value: ValueRef<'_>, size: &mut usize) -> Cell {
    match value {
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) if bytes.len() <= MAX_CELL => {
            *size += bytes.len();
            Cell::Text(String::from_utf8_lossy(bytes).into_owned())
        }
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => Cell::Null,
    }
}
