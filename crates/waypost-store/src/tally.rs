//! Counts what is read from the disk, for tests that show that a call looks at each thing once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

thread_local! {
    static READ: RefCell<Option<BTreeMap<PathBuf, usize>>> = const { RefCell::new(None) };
}

/// Runs `call` and tells which files this thread read meanwhile, and how often each.
pub fn of<T>(call: impl FnOnce() -> T) -> (T, BTreeMap<PathBuf, usize>) {
    READ.set(Some(BTreeMap::new()));
    let value = call();
    (value, READ.take().unwrap_or_default())
}

/// A file is read, or something as dear as that is worked out.
pub fn note(path: &Path) {
    READ.with_borrow_mut(|read| {
        if let Some(read) = read {
            *read.entry(path.to_owned()).or_default() += 1;
        }
    });
}
