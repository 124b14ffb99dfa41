//! One lock file for each stream, held while it is read, decided upon and appended to.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::StoreError;

/// Nobody waits longer than this for a lock.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(5);

/// Takes the lock, which is let go when the file is dropped or its process ends.
pub(crate) fn take(path: &Path) -> Result<File, StoreError> {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .map_err(StoreError::io("cannot open the lock", path))?;
    let begun = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
            Err(error) => return Err(StoreError::io("cannot lock", path)(error.into())),
        }
        if begun.elapsed() >= MAX_WAIT {
            return Err(StoreError::Locked { path: path.to_owned(), waited: MAX_WAIT });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(4));
    }
}
