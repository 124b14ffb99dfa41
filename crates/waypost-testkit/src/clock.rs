//! The clock that files are stamped with.

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::TestEnv;

#[expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot be set up has failed"
)]
impl TestEnv {
    /// Waits until the clock that files are stamped with has moved on: it ticks only so often, and what happens within
    /// one tick cannot be told apart.
    pub fn tick(&self) {
        let probe = self.home().join("tick");
        let stamp = || {
            fs::write(&probe, "").unwrap();
            let found = fs::metadata(&probe).unwrap();
            (found.ctime(), found.ctime_nsec())
        };
        let first = stamp();
        while stamp() == first {}
    }
}
