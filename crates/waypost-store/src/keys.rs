//! The key file: one small file in the user's configuration folder, for its owner only.

use std::path::Path;

use waypost_core::key::{Key, Keyring};

use crate::disk::{Disk, Patience, RealDisk};
use crate::{StoreError, files};

const MAX_KEY_FILE: u64 = 64 * 1024;

/// The keyring: the secret from the environment first, where there is one, then the key file.
pub fn load(path: &Path, secret: Option<&str>) -> Result<Keyring, StoreError> {
    let bad = |source| StoreError::Key { path: path.to_owned(), source };
    let secret = secret.map(Key::from_secret).transpose().map_err(bad)?;
    let file = files::read_own(path, MAX_KEY_FILE).map_err(|error| match error {
        error @ StoreError::Io { .. } if error.is_of_what_lies_there() => {
            StoreError::KeyUnreadable(Box::new(error))
        }
        error => error,
    })?;
    let file = file.map(|content| Keyring::from_file(&content)).transpose().map_err(bad)?;
    match (secret, file) {
        (Some(secret), Some(mut ring)) => {
            ring.make_current(secret);
            Ok(ring)
        }
        (Some(secret), None) => Ok(Keyring::new(secret)),
        (None, Some(ring)) => Ok(ring),
        (None, None) => Err(StoreError::NoKey { path: path.to_owned() }),
    }
}

/// Makes a key file with a random key, if there is none. Returns whether it made one.
pub fn create(path: &Path) -> Result<bool, StoreError> {
    let mut secret = vec![0; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| StoreError::io("cannot make a key for", path)(error.into()))?;
    let content = Keyring::new(Key::from_bytes(secret)).to_file();
    files::create_own(path, content.as_bytes())
}

/// Changes the key file's keyring, one process at a time.
pub fn change<T>(
    path: &Path,
    patience: Patience,
    change: impl FnOnce(&mut Keyring) -> T,
) -> Result<T, StoreError> {
    let lock = path.with_extension("lock");
    let locked = RealDisk.lock(&lock, patience).map_err(StoreError::io("cannot lock", &lock))?;
    let _locked = locked.ok_or(StoreError::Locked { path: lock, waited: patience.limit })?;
    let mut ring = load(path, None)?;
    let value = change(&mut ring);
    files::replace(path, ring.to_file().as_bytes(), true)?;
    Ok(value)
}
