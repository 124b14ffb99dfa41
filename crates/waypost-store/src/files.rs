//! Small files: read with a limit, replaced as a whole, readable by their owner only.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::disk::{Disk, RealDisk};
use crate::{StoreError, look, os};

/// Makes a folder and those above it, for its owner only.
pub fn make_dir(path: &Path) -> Result<(), StoreError> {
    RealDisk.make_folders(path).map_err(StoreError::io("cannot make the folder", path))
}

/// Reads a file of at most `max` bytes; `None` if it is not there.
pub fn read(path: &Path, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
    os::read_without_waiting(path, max).map_err(StoreError::io("cannot read", path))
}

/// The first bytes of a file, at most `max`; `None` if it is not there.
pub fn head(path: &Path, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
    os::read_beginning(path, max).map_err(StoreError::io("cannot read", path))
}

/// Reads a file that only its owner should: no link is followed, and others' access is an error.
pub fn read_own(path: &Path, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let found = os::read_with(path, max, OFlags::NONBLOCK | OFlags::NOFOLLOW)
        .map_err(StoreError::io("cannot read", path))?;
    match found {
        Some((_, mode)) if mode & 0o077 != 0 => {
            Err(StoreError::LooseMode { path: path.to_owned(), mode })
        }
        found => Ok(found.map(|(content, _)| content)),
    }
}

/// Makes a file for its owner only, and its folder. Whether it was not there; nothing is replaced.
pub fn create_own(path: &Path, content: &[u8]) -> Result<bool, StoreError> {
    if let Some(folder) = path.parent() {
        make_dir(folder)?;
    }
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(StoreError::io("cannot create", path)(error)),
    };
    let written = file.write_all(content).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // Half a file would be taken for damage, and stand in the way of trying again.
        let _ = RealDisk.remove(path);
        return Err(StoreError::io("cannot write", path)(error));
    }
    sync_folder_of(path)?;
    Ok(true)
}

/// Replaces a file as a whole. With `durable`, it is on disk when this returns.
pub fn replace(path: &Path, content: &[u8], durable: bool) -> Result<(), StoreError> {
    replace_on(&RealDisk, path, content, durable)
}

/// The same on any disk.
pub(crate) fn replace_on<D: Disk>(
    disk: &D,
    path: &Path,
    content: &[u8],
    durable: bool,
) -> Result<(), StoreError> {
    let temporary = temporary_name(path);
    let put = |written: D::Written| {
        if durable {
            return disk.sync(&written).and_then(|()| disk.rename(&temporary, path));
        }
        disk.rename_loosely(&temporary, path)
    };
    let written = disk
        .write_new(&temporary, content)
        .and_then(put)
        .map_err(StoreError::io("cannot replace", path));
    if written.is_err() {
        // The error is what counts; a leftover temporary file is harmless.
        let _ = disk.remove(&temporary);
        return written;
    }
    match path.parent() {
        Some(folder) if durable => {
            disk.sync_folder(folder).map_err(StoreError::io("cannot sync", folder))
        }
        _ => Ok(()),
    }
}

/// Whether something could be written in a folder: two system calls, nothing is tried.
pub fn check_writable(folder: &Path) -> Result<(), StoreError> {
    use rustix::fs::{Access, access, statvfs};
    let denied = |error: rustix::io::Errno| StoreError::io("cannot write in", folder)(error.into());
    access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(denied)?;
    let space = statvfs(folder).map_err(denied)?;
    if space.f_blocks > 0 && space.f_bavail == 0 {
        return Err(denied(rustix::io::Errno::NOSPC));
    }
    Ok(())
}

/// Whether a file is one that can be read and written.
pub(crate) fn check_own(path: &Path) -> Result<(), StoreError> {
    use rustix::fs::{Access, access};
    let wrong = |error: io::Error| StoreError::io("cannot use", path)(error);
    if !std::fs::metadata(path).map_err(wrong)?.is_file() {
        return Err(wrong(io::Error::other("it is no file")));
    }
    access(path, Access::READ_OK | Access::WRITE_OK).map_err(|error| wrong(error.into()))
}

/// Removes a file if it is there.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    RealDisk.remove(path).map_err(StoreError::io("cannot remove", path))
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

/// Removes what processes that were killed left of files that they were about to replace. For a folder
/// in which nobody else writes just now.
pub fn sweep_temporary(folder: &Path) {
    for entry in look::folder(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_temporary) {
            // The next one tries again; nothing reads it.
            let _ = RealDisk.remove(&entry.path());
        }
    }
}

/// Whether a name is one that `temporary_name` gives.
fn is_temporary(name: &str) -> bool {
    let made = name.strip_suffix(".tmp").and_then(|name| name.rsplit_once('.'));
    let parts = made.and_then(|(_, made)| made.split_once('-'));
    parts.is_some_and(|(process, random)| {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        !process.is_empty() && digits(process) && random.len() == 16 && hex(random)
    })
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut random = [0; 8];
    // Without randomness the process id still tells processes apart; `create_new` refuses the rest.
    let _ = getrandom::fill(&mut random);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{}.tmp", std::process::id(), waypost_core::key::hex(&random)));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_killed_process_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let left = temporary_name(&folder.path().join("state.json"));
        let others = ["state.json", "a.tmp", "notes.12-34.tmp", "x.1-0123456789abcdeg.tmp"];
        for name in others.map(|name| folder.path().join(name)).iter().chain([&left]) {
            std::fs::write(name, "x").unwrap();
        }
        sweep_temporary(folder.path());
        assert!(!left.exists());
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_else_is_left_of_it() {
        for durable in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let names = || {
                let entries = std::fs::read_dir(folder.path()).unwrap();
                let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
                names.sort();
                names
            };
            let (file, link) = (folder.path().join("file"), folder.path().join("link"));
            std::os::unix::fs::symlink("nowhere", &link).unwrap();
            for path in [&file, &file, &link] {
                replace(path, path.as_os_str().as_encoded_bytes(), durable).unwrap();
                assert!(std::fs::symlink_metadata(path).unwrap().is_file());
                assert_eq!(std::fs::read(path).unwrap(), path.as_os_str().as_encoded_bytes());
            }
            assert_eq!(names(), ["file", "link"]);
            let taken = folder.path().join("taken");
            std::fs::create_dir(&taken).unwrap();
            std::fs::write(taken.join("inside"), "x").unwrap();
            assert!(replace(&taken, b"new", durable).is_err());
            assert_eq!(std::fs::read(taken.join("inside")).unwrap(), b"x");
            assert_eq!(names(), ["file", "link", "taken"]);
        }
    }
}
