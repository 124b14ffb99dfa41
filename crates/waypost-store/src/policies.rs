//! Policies, each in a file that is named by the hash of its content.

use std::path::Path;

use waypost_core::gate::Before;
use waypost_core::gate::before::Details;
use waypost_core::gate::policy::{Excerpt, Policy};

use crate::{StoreError, kept};

const FOLDER: &str = "policies";

/// Keeps a policy and returns its hash.
pub fn keep(root: &Path, policy: &Policy) -> Result<String, StoreError> {
    let (text, hash) = policy.encode()?;
    kept::keep(root, FOLDER, &hash, &text)?;
    Ok(hash)
}

/// Reads a whole policy.
pub fn load(root: &Path, hash: &str) -> Result<Policy, StoreError> {
    let (path, content) = kept::read(root, FOLDER, hash)?;
    Policy::decode(&content, hash).map_err(|source| StoreError::Policy { path, source })
}

/// Reads the part of a policy that stands before an action that is `kinds`, and made of `details`.
pub fn excerpt(
    root: &Path,
    hash: &str,
    kinds: &[Before],
    details: Details<'_>,
) -> Result<Excerpt, StoreError> {
    let (path, content) = kept::read(root, FOLDER, hash)?;
    Policy::excerpt(&content, hash, kinds, details)
        .map_err(|source| StoreError::Policy { path, source })
}
