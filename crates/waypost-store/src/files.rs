//! Small files: read with a limit, replaced as a whole, readable by their owner only.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::StoreError;

/// Makes a folder and those above it, for its owner only.
pub fn make_dir(path: &Path) -> Result<(), StoreError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(StoreError::io("cannot make the folder", path))
}

/// Reads a file of at most `max` bytes; `None` if it is not there.
pub fn read(path: &Path, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
    // Without waiting: a pipe that somebody put in a file's place must not hang the hook.
    read_with(path, max, OFlags::NONBLOCK).map(|found| found.map(|(content, _)| content))
}

/// Reads a file that only its owner should: no link is followed, and its mode is told.
pub(crate) fn read_secret(path: &Path, max: u64) -> Result<Option<(Vec<u8>, u32)>, StoreError> {
    read_with(path, max, OFlags::NONBLOCK | OFlags::NOFOLLOW)
}

fn read_with(path: &Path, max: u64, flags: OFlags) -> Result<Option<(Vec<u8>, u32)>, StoreError> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | flags;
    let file = match rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from) {
        Ok(file) => File::from(file),
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(StoreError::io("cannot open", path)(error)),
    };
    let metadata = file.metadata().map_err(StoreError::io("cannot read", path))?;
    if metadata.len() > max {
        let error = io::Error::other(format!("it is larger than {max} bytes"));
        return Err(StoreError::io("cannot read", path)(error));
    }
    // Room for one byte more, so that a single read also sees the end.
    let size = usize::try_from(metadata.len()).unwrap_or(0);
    let mut content = Vec::with_capacity(size + 1);
    file.take(max).read_to_end(&mut content).map_err(StoreError::io("cannot read", path))?;
    Ok(Some((content, metadata.mode() & 0o777)))
}

/// Replaces a file as a whole. With `durable`, it is on disk when this returns.
pub fn replace(path: &Path, content: &[u8], durable: bool) -> Result<(), StoreError> {
    let temporary = temporary_name(path);
    let written = (|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .map_err(StoreError::io("cannot create", &temporary))?;
        file.write_all(content).map_err(StoreError::io("cannot write", &temporary))?;
        if durable {
            file.sync_all().map_err(StoreError::io("cannot sync", &temporary))?;
        }
        fs::rename(&temporary, path).map_err(StoreError::io("cannot replace", path))
    })();
    if written.is_err() {
        // The error is what counts; a leftover temporary file is swept later.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    if durable { sync_folder_of(path) } else { Ok(()) }
}

/// Removes a file if it is there.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if !is_absent(&error) => Err(StoreError::io("cannot remove", path)(error)),
        _ => Ok(()),
    }
}

/// Makes sure that a new name in a folder survives a crash.
pub fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent() else {
        return Ok(());
    };
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(StoreError::io("cannot sync", folder))
}

/// Whether an error only says that something is not there.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut random = [0; 8];
    // Without randomness the process id still tells processes apart; `create_new` refuses the rest.
    let _ = getrandom::fill(&mut random);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{}.tmp", std::process::id(), waypost_core::key::hex(&random)));
    path.with_file_name(name)
}
