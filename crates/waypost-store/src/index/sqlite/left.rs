//! How a database was left: its length and time, in a small file beside it. Where it is otherwise when it is opened,
//! somebody else wrote into it, and all of it is looked at.

use std::fs::{Metadata, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::beside;

/// What the name of the small file ends with.
pub(crate) const LEFT: &str = ".left";

/// Notes how a database is left. Dropped behind the connection, by which SQLite puts everything in its place.
#[derive(Debug)]
pub(super) struct Leaving(pub(super) PathBuf);

impl Drop for Leaving {
    fn drop(&mut self) {
        let Some(now) = stamp(&self.0).filter(|now| noted(&self.0).as_ref() != Some(now)) else {
            return;
        };
        let mut options = OpenOptions::new();
        let opened = options.write(true).create(true).truncate(true).mode(0o600);
        // Where it cannot be noted, the next one looks at everything.
        let _ = opened.open(beside(&self.0, LEFT)).and_then(|mut file| file.write_all(&now));
    }
}

/// Whether somebody else wrote into it since. Not where it was never noted, or is being written.
pub(super) fn is_touched(path: &Path) -> bool {
    let noted = noted(path).filter(|_| !beside(path, "-wal").exists());
    noted.is_some_and(|noted| stamp(path).as_ref() != Some(&noted))
}

fn noted(path: &Path) -> Option<Vec<u8>> {
    std::fs::read(beside(path, LEFT)).ok()
}

fn stamp(path: &Path) -> Option<Vec<u8>> {
    let of =
        |found: Metadata| format!("{} {} {}\n", found.len(), found.mtime(), found.mtime_nsec());
    std::fs::metadata(path).ok().map(|found| of(found).into_bytes())
}
