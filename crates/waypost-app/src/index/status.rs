//! Where the index stands.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use waypost_core::tables::{ProjectRow, TABLES};
use waypost_store::index::{Index, IndexError, rows_of};
use waypost_store::look;

use super::making::place;
use crate::error::AppError;
use crate::machine::host::Host;

/// Whether there is an index, and whether it can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexState {
    /// There is none: the next scan makes it.
    Missing,
    /// It can be used.
    Ready,
    /// It cannot be used: the next scan makes it anew.
    Damaged,
    /// An older Waypost made it: the next scan makes it anew.
    Older,
    /// A newer Waypost made it.
    Newer,
}

/// Where the index stands.
#[derive(Debug, Serialize)]
pub struct Status {
    /// Whether it can be used.
    pub state: IndexState,
    /// Why not.
    pub why: Option<String>,
    /// Its file.
    pub file: Option<PathBuf>,
    /// How large that is.
    pub bytes: u64,
    /// How many rows each table has.
    pub rows: BTreeMap<&'static str, u64>,
    /// The projects.
    pub projects: Vec<ProjectRow>,
}

/// Where the index stands, as of the last scan; with `check`, after looking at all of it.
pub fn status(host: &Host, check: bool) -> Result<Status, AppError> {
    let place = place(host);
    let file = place.file();
    let bytes = file.as_ref().and_then(|file| look::at(file).ok()).map_or(0, |found| found.len());
    let mut status = Status {
        state: IndexState::Missing,
        why: None,
        file,
        bytes,
        rows: BTreeMap::new(),
        projects: Vec::new(),
    };
    let told = match place.open() {
        Ok(None) => return Ok(status),
        Ok(Some(index)) => status.tell(&*index, check),
        Err(error) => Err(error),
    };
    status.state = match &told {
        Ok(()) => IndexState::Ready,
        Err(IndexError::Older { .. }) => IndexState::Older,
        Err(IndexError::Newer { .. }) => IndexState::Newer,
        Err(error) if error.is_damage() => IndexState::Damaged,
        Err(_) => return told.map(|()| status).map_err(AppError::from),
    };
    status.why = told.err().map(|error| error.to_string());
    Ok(status)
}

impl Status {
    fn tell(&mut self, index: &dyn Index, check: bool) -> Result<(), IndexError> {
        if check {
            index.check()?;
        }
        for table in TABLES {
            self.rows.insert(table.name, index.count(table)?);
        }
        self.projects = rows_of(index, &[])?;
        Ok(())
    }
}
