//! Files that are locked as long as something beside them is in use.
//!
//! Process ids mean nothing in another container that shares the file system; a lock does, and the
//! kernel lets go of it when its holder ends, however that happens.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use waypost_store::look;

use rustix::fs::{FlockOperation, flock};

use super::private;

/// How a lock file's name ends.
const ENDING: &str = ".lock";

/// The lock file of a folder lies beside it, so that it can outlive the folder.
pub(super) fn file_of(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(ENDING);
    PathBuf::from(name)
}

/// The folders below `parent` that have a lock file and whose names begin with `prefix`, by what
/// follows it.
pub(super) fn folders(parent: &Path, prefix: &str) -> Vec<String> {
    let entries = look::folder(parent).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter_map(|name| Some(name.strip_prefix(prefix)?.strip_suffix(ENDING)?.to_owned()))
        .collect()
}

/// Makes a new lock file and locks it. `None` if somebody else has it, or took it for left behind
/// before it was locked.
pub(super) fn make(folder: &Path) -> io::Result<Option<File>> {
    let file = private::file(&file_of(folder))?;
    locked(file, FlockOperation::NonBlockingLockExclusive)
}

/// Keeps a folder from being removed. `None` if it is gone, or being removed.
pub(super) fn share(folder: &Path) -> io::Result<Option<File>> {
    match File::options().read(true).write(true).open(file_of(folder)) {
        Ok(file) => locked(file, FlockOperation::NonBlockingLockShared),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes a folder that nobody uses, then its lock file. Ended in between, it is done by the next. What
/// is to be saved of it is saved first.
pub(super) fn remove_unused(folder: &Path, save: impl FnOnce()) {
    let file = File::options().write(true).open(file_of(folder));
    let Ok(Some(_held)) =
        file.and_then(|file| locked(file, FlockOperation::NonBlockingLockExclusive))
    else {
        return;
    };
    save();
    remove(folder);
}

/// Removes a folder and, once it is gone, its lock file, which the caller holds.
pub(super) fn remove(folder: &Path) {
    let removed = fs::remove_dir_all(folder);
    if removed.is_ok() || removed.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        let _ = fs::remove_file(file_of(folder));
    }
}

/// Locks a file that is still in its folder: a lock on one that was removed keeps nobody away.
fn locked(file: File, operation: FlockOperation) -> io::Result<Option<File>> {
    match rustix::io::retry_on_intr(|| flock(&file, operation)) {
        Ok(()) => Ok((file.metadata()?.nlink() > 0).then_some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_locked_stays_and_what_is_not_goes() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("scratch-1");
        let held = make(&folder).unwrap().unwrap();
        fs::create_dir_all(folder.join("deep")).unwrap();
        remove_unused(&folder, || {});
        assert!(folder.is_dir(), "its maker holds it");
        let second = share(&folder).unwrap();
        assert!(second.is_none(), "and holds it alone");
        drop(held);
        let (one, two) = (share(&folder).unwrap(), share(&folder).unwrap());
        drop(one);
        remove_unused(&folder, || {});
        assert!(folder.is_dir(), "one of two that share it is left");
        drop(two);
        remove_unused(&folder, || {});
        assert!(!folder.exists() && !file_of(&folder).exists());
        assert!(share(&folder).unwrap().is_none());
    }

    #[test]
    fn a_lock_on_a_file_that_was_removed_meanwhile_does_not_count() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("scratch-1");
        fs::write(file_of(&folder), "").unwrap();
        let early = File::options().write(true).open(file_of(&folder)).unwrap();
        remove_unused(&folder, || {});
        let late = locked(early, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert!(late.is_none());
    }

    #[test]
    fn a_removal_that_was_cut_short_is_finished() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("scratch-1");
        fs::write(file_of(&folder), "").unwrap();
        assert_eq!(folders(parent.path(), "scratch-"), ["1"]);
        remove_unused(&folder, || {});
        assert!(folders(parent.path(), "scratch-").is_empty());
    }
}
