//! The index as it was opened a moment ago, for whoever asks next: opening one takes longer than most questions to it.
//!
//! What nobody used lately is closed, so that an index that lies still is as it would be without a server: whoever opens
//! it then sees whether somebody else wrote into it.

use std::ops::Deref;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use waypost_store::look;

use crate::error::AppError;
use crate::index::Rows;
use crate::machine::host::Host;

/// How many are kept at once: each has memory of its own.
const MOST: usize = 2;
/// For how long one is kept that nobody uses.
const LASTS: Duration = Duration::from_secs(2);

/// The indexes that nobody uses just now.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    kept: Mutex<Vec<Kept>>,
}

#[derive(Debug)]
struct Kept {
    rows: Rows,
    of: File,
    since: Instant,
}

/// A file, and what tells it from another one of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct File(PathBuf, u64, u64);

impl File {
    fn of(host: &Host) -> Option<Self> {
        let path = Rows::file(host)?;
        let found = look::at(&path).ok()?;
        Some(Self(path, found.dev(), found.ino()))
    }
}

/// The rows of the index, until this is dropped.
#[derive(Debug)]
pub struct Lent {
    kept: Option<(Rows, File)>,
    shelf: Arc<Shelf>,
}

impl Shelf {
    /// The index of this machine, if there is one that can be used.
    pub(super) fn lend(self: &Arc<Self>, host: &Host) -> Result<Option<Lent>, AppError> {
        let Some(of) = File::of(host) else { return Ok(None) };
        let rows = match self.take(&of) {
            Some(rows) => Some(rows),
            None => Rows::open(host)?,
        };
        Ok(rows.map(|rows| Lent { kept: Some((rows, of)), shelf: Arc::clone(self) }))
    }

    fn take(&self, of: &File) -> Option<Rows> {
        let mut kept = self.lock();
        // One that was made anew took the place of all others.
        kept.retain(|one| one.of == *of);
        kept.pop().map(|one| one.rows)
    }

    /// Closes what nobody used lately.
    pub(super) fn tidy(&self) {
        let old: Vec<Kept> =
            self.lock().extract_if(.., |one| one.since.elapsed() >= LASTS).collect();
        // Closing may take a while, and nobody waits for it.
        drop(old);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Lent {
    type Target = Rows;

    #[expect(clippy::panic, reason = "it is taken out by dropping alone")]
    fn deref(&self) -> &Rows {
        match &self.kept {
            Some((rows, _)) => rows,
            None => panic!("the index was given back"),
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some((rows, of)) = self.kept.take().filter(|(rows, _)| rows.is_sound()) else { return };
        let mut kept = self.shelf.lock();
        if kept.len() < MOST {
            kept.push(Kept { rows, of, since: Instant::now() });
        }
    }
}
