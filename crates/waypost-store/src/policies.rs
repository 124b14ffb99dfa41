//! Policies, each in a file that is named by the hash of its content.

use std::path::{Path, PathBuf};

use waypost_core::gate::Before;
use waypost_core::gate::before::Details;
use waypost_core::gate::policy::{Excerpt, Policy};

use crate::{StoreError, files};

const MAX_POLICY: u64 = 4 * 1024 * 1024;

/// Keeps a policy and returns its hash.
pub fn keep(root: &Path, policy: &Policy) -> Result<String, StoreError> {
    let (text, hash) = policy.encode()?;
    let path = path_of(root, &hash);
    if files::read(&path, MAX_POLICY).ok().flatten().as_deref() != Some(text.as_bytes()) {
        files::make_dir(&root.join("policies"))?;
        files::replace(&path, text.as_bytes(), true)?;
    }
    Ok(hash)
}

/// Reads a whole policy.
pub fn load(root: &Path, hash: &str) -> Result<Policy, StoreError> {
    let path = path_of(root, hash);
    let content = content_of(&path)?;
    Policy::decode(&content, hash).map_err(|source| StoreError::Policy { path, source })
}

/// Reads the part of a policy that stands before an action that is `kinds`, and made of `details`.
pub fn excerpt(
    root: &Path,
    hash: &str,
    kinds: &[Before],
    details: Details<'_>,
) -> Result<Excerpt, StoreError> {
    let path = path_of(root, hash);
    let content = content_of(&path)?;
    Policy::excerpt(&content, hash, kinds, details)
        .map_err(|source| StoreError::Policy { path, source })
}

fn content_of(path: &Path) -> Result<Vec<u8>, StoreError> {
    files::read(path, MAX_POLICY)?.ok_or_else(|| {
        StoreError::io("cannot read", path)(std::io::Error::from(std::io::ErrorKind::NotFound))
    })
}

fn path_of(root: &Path, hash: &str) -> PathBuf {
    // Hashes come out of signed records; still, only their plain form may become a file name.
    let plain = waypost_core::key::unhex(hash).is_some();
    root.join("policies").join(if plain { hash } else { "malformed-hash" })
}
