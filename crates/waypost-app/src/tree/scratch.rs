//! A folder for one call: its own index, and git's lock on that.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::lock;

const PREFIX: &str = "scratch-";

/// A folder that nobody else uses, removed at the end.
pub(super) struct Scratch {
    folder: PathBuf,
    _held: File,
}

impl Scratch {
    /// A new folder below `parent`.
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        // A sweep may take the lock file in the moment before it is locked, so there is a second
        // try, and a third. It takes a hundred sweeps in a hundred such moments to fail.
        for _ in 0..100 {
            let folder = parent.join(format!("{PREFIX}{}", random_name()?));
            if let Some(held) = lock::make(&folder)? {
                let scratch = Self { folder, _held: held };
                fs::create_dir(&scratch.folder)?;
                return Ok(scratch);
            }
        }
        Err(io::Error::other("no folder of its own could be locked"))
    }

    /// The path of a file in it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        lock::remove(&self.folder);
    }
}

/// Removes what killed processes left behind.
pub(super) fn sweep(parent: &Path) {
    for name in lock::folders(parent, PREFIX) {
        lock::remove_unused(&parent.join(format!("{PREFIX}{name}")));
    }
}

fn random_name() -> io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(format!("{:016x}", u64::from_ne_bytes(random)))
}

#[cfg(test)]
mod tests {
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
        sweep(parent.path());
        assert!(used.file("index").is_file());
        assert!(!left.exists());
        drop(used);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn sweeps_at_the_same_time_never_take_what_is_in_use() {
        let parent = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let scratch = Scratch::new(parent.path()).unwrap();
                        fs::write(scratch.file("index"), "x").unwrap();
                        sweep(parent.path());
                        assert!(scratch.file("index").is_file());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
