//! The folder that an index lies in.
//!
//! Each index that is made anew gets a file with the next number: nobody who reads the one before is disturbed, and
//! whoever is killed leaves a file that nobody takes for an index. Who writes holds a lock; readers need none.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::sqlite::{LEFT, Sqlite, beside};
use super::{Index, IndexError};
use crate::disk::{Disk, RealDisk};
use crate::{Patience, StoreError, files, look, os};

const NAME: &str = "index-";
const ENDING: &str = ".db";
const UNFINISHED: &str = ".new";
const DAMAGED: &str = ".damaged";
/// What is put beside a database.
const COMPANIONS: [&str; 4] = ["-wal", "-shm", "-journal", LEFT];
/// How often somebody looks again because the index was made anew just then.
const TRIES: usize = 8;

/// The folder that an index lies in.
#[derive(Debug, Clone)]
pub struct IndexPlace {
    folder: PathBuf,
}

/// As long as it is there, nobody else writes.
#[derive(Debug)]
pub struct IndexHold {
    _file: File,
}

/// An index that is being made anew.
#[derive(Debug)]
pub struct Building {
    /// It.
    pub index: Sqlite,
    number: u64,
}

impl IndexPlace {
    /// The one in this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The database, if there is one.
    pub fn file(&self) -> Option<PathBuf> {
        self.newest().map(|number| self.file_of(number))
    }

    /// Waits until nobody else writes.
    pub fn hold(&self, patience: Patience) -> Result<IndexHold, StoreError> {
        files::make_dir(&self.folder)?;
        let path = self.folder.join("lock");
        let locked =
            RealDisk.lock(&path, patience).map_err(StoreError::io("cannot lock", &path))?;
        let Some(file) = locked else {
            return Err(StoreError::Locked { path, waited: patience.limit });
        };
        Ok(IndexHold { _file: file })
    }

    /// The index, if there is one.
    pub fn open(&self) -> Result<Option<Box<dyn Index>>, IndexError> {
        for _ in 1..TRIES {
            let Some(number) = self.newest() else { return Ok(None) };
            match Sqlite::open(&self.file_of(number)) {
                // It was made anew in between, and the old one is gone.
                Err(_) if self.newest() != Some(number) => {}
                opened => return opened.map(|index| Some(Box::new(index) as Box<dyn Index>)),
            }
        }
        Ok(None)
    }

    /// Begins a new one, for whoever holds it.
    pub fn begin(&self, _hold: &IndexHold) -> Result<Building, IndexError> {
        self.sweep();
        // Names are never used twice: whoever still reads an old one tidies up by its name.
        let number = self.names().filter_map(|name| number_in(&name)).max().unwrap_or_default() + 1;
        Ok(Building { index: Sqlite::create(&self.unfinished(number))?, number })
    }

    /// Puts the new one in the place of the old.
    pub fn finish(&self, building: Building) -> Result<(), IndexError> {
        let Building { index, number } = building;
        index.finish()?;
        let (from, to) = (self.unfinished(number), self.file_of(number));
        RealDisk.rename(&from, &to).map_err(StoreError::io("cannot replace", &to))?;
        files::sync_folder_of(&to)?;
        self.sweep();
        Ok(())
    }

    /// Moves what is damaged out of the way, for whoever holds it. Where it lies then.
    pub fn set_aside(&self, _hold: &IndexHold) -> Result<Option<PathBuf>, StoreError> {
        let Some(number) = self.newest() else { return Ok(None) };
        let from = self.file_of(number);
        let to = beside(&from, DAMAGED);
        for older in self.names().filter(|name| name.ends_with(DAMAGED)) {
            clear(&self.folder.join(older));
        }
        std::fs::rename(&from, &to).map_err(StoreError::io("cannot move", &from))?;
        for companion in COMPANIONS {
            let _ = RealDisk.remove(&beside(&from, companion));
        }
        Ok(Some(to))
    }

    /// Removes what was left unfinished, and what was replaced.
    fn sweep(&self) {
        let newest = self.newest();
        for name in self.names() {
            let is_of = |number| name.starts_with(&format!("{NAME}{number}{ENDING}"));
            let is_kept = name.ends_with(DAMAGED) || newest.is_some_and(is_of);
            if name.starts_with(NAME) && !is_kept {
                clear(&self.folder.join(name));
            }
        }
    }

    fn newest(&self) -> Option<u64> {
        let number = |name: String| name.strip_prefix(NAME)?.strip_suffix(ENDING)?.parse().ok();
        self.names().filter_map(number).max()
    }

    fn names(&self) -> impl Iterator<Item = String> {
        let entries = look::folder(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok())
    }

    fn file_of(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{NAME}{number}{ENDING}"))
    }

    fn unfinished(&self, number: u64) -> PathBuf {
        beside(&self.file_of(number), UNFINISHED)
    }
}

/// The number in a name, whatever follows it.
fn number_in(name: &str) -> Option<u64> {
    name.strip_prefix(NAME)?.split('.').next()?.parse().ok()
}

/// Removes what somebody left there. Where that fails, the next one tries again: nobody reads it.
fn clear(path: &Path) {
    if let Err(error) = std::fs::remove_file(path)
        && !os::is_absent(&error)
    {
        let _ = std::fs::remove_dir_all(path);
    }
}
