//! A folder for one call: its own index, git's lock on that, and the objects that it writes.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{lock, objects, private};

const PREFIX: &str = "scratch-";
const OBJECTS: &str = "objects";

/// A folder that nobody else uses, removed at the end.
pub(super) struct Scratch {
    folder: PathBuf,
    held: File,
}

impl Scratch {
    /// A new folder below `parent`.
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        // A sweep may take the lock file in the moment before it is locked, so there is a second
        // try, and a third. It takes a hundred sweeps in a hundred such moments to fail.
        for _ in 0..100 {
            let folder = parent.join(format!("{PREFIX}{}", random_name()?));
            if let Some(held) = lock::make(&folder)? {
                let scratch = Self { folder, held };
                private::folder(&scratch.folder)?;
                private::folder(&scratch.objects())?;
                return Ok(scratch);
            }
        }
        Err(io::Error::other("no folder of its own could be locked"))
    }

    /// The second in which it was made, by the clock of the file system.
    pub(super) fn began(&self) -> io::Result<u32> {
        Ok(u32::try_from(self.held.metadata()?.mtime()).unwrap_or(0))
    }

    /// The path of a file in it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Where the objects are that this call writes.
    pub(super) fn objects(&self) -> PathBuf {
        self.folder.join(OBJECTS)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        lock::remove(&self.folder);
    }
}

/// Removes what killed processes left behind. The objects that they had finished go to the others: else a
/// call that is killed because it takes too long would never get any further.
pub(super) fn sweep(parent: &Path, objects: &Path) {
    for name in lock::folders(parent, PREFIX) {
        let folder = parent.join(format!("{PREFIX}{name}"));
        lock::remove_unused(&folder, || {
            // What cannot be saved is written again.
            let _ = objects::salvage(&folder.join(OBJECTS), objects);
        });
    }
}

fn random_name() -> io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(format!("{:016x}", u64::from_ne_bytes(random)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_sweep_leaves_what_is_in_use_and_takes_what_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let used = Scratch::new(parent.path()).unwrap();
        fs::write(used.file("index"), "x").unwrap();
        let left = parent.path().join("scratch-left");
        fs::write(lock::file_of(&left), "").unwrap();
        fs::create_dir(&left).unwrap();
        fs::write(left.join("index.lock"), "").unwrap();
        fs::create_dir_all(left.join("objects/aa")).unwrap();
        fs::write(left.join("objects/aa/whole"), "").unwrap();
        let objects = tempfile::tempdir().unwrap();
        sweep(parent.path(), objects.path());
        assert!(used.file("index").is_file());
        assert!(!left.exists());
        assert!(objects.path().join("aa/whole").is_file());
        drop(used);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn sweeps_at_the_same_time_never_take_what_is_in_use() {
        let (parent, objects) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let scratch = Scratch::new(parent.path()).unwrap();
                        fs::write(scratch.file("index"), "x").unwrap();
                        sweep(parent.path(), objects.path());
                        assert!(scratch.file("index").is_file());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
