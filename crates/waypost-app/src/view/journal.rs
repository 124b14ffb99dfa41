//! Local logs of lines, which nobody depends on.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_store::{files, os};

/// Adds a line. A log that has grown beyond `most` bytes is begun anew; the one before is kept.
pub(super) fn append(path: &Path, entry: &impl Serialize, most: u64) -> io::Result<()> {
    append_all(path, std::slice::from_ref(entry), most)
}

/// Adds lines, all of them at once.
pub(super) fn append_all(path: &Path, entries: &[impl Serialize], most: u64) -> io::Result<()> {
    let mut lines = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut lines, entry)?;
        lines.push(b'\n');
    }
    let open = || OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let mut file = match (open(), path.parent()) {
        (Err(error), Some(folder)) if os::is_absent(&error) => {
            files::make_dir(folder).map_err(io::Error::other)?;
            open()?
        }
        (opened, _) => opened?,
    };
    if file.metadata()?.len() > most {
        std::fs::rename(path, before(path))?;
        file = open()?;
    }
    file.write_all(&lines)
}

/// Where the log before this one is.
pub(super) fn before(path: &Path) -> PathBuf {
    path.with_extension("1.jsonl")
}
