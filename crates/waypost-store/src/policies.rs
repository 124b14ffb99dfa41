//! Policies, each in a file that is named by the hash of its content.

use std::path::Path;

use waypost_core::gate::Before;
use waypost_core::gate::before::Details;
use waypost_core::gate::policy::{Excerpt, Policy, PolicyError};

use crate::{StoreError, kept};

const FOLDER: &str = "policies";

/// Keeps a policy's text under its hash.
pub fn keep(root: &Path, hash: &str, text: &str) -> Result<(), StoreError> {
    kept::keep(root, FOLDER, hash, text)
}

/// Reads a policy's bytes.
pub fn read(root: &Path, hash: &str) -> Result<Vec<u8>, StoreError> {
    kept::read(root, FOLDER, hash).map(|(_, bytes)| bytes)
}

/// The whole policy that these bytes are.
pub fn decode(root: &Path, hash: &str, bytes: &[u8]) -> Result<Policy, StoreError> {
    Policy::decode(bytes, hash).map_err(|source| wrong(root, hash, source))
}

/// The part of these bytes that stands before an action that is `kinds`, and made of `details`.
pub fn excerpt(
    root: &Path,
    hash: &str,
    bytes: &[u8],
    (kinds, details): (&[Before], Details<'_>),
) -> Result<Excerpt, StoreError> {
    Policy::excerpt(bytes, hash, kinds, details).map_err(|source| wrong(root, hash, source))
}

fn wrong(root: &Path, hash: &str, source: PolicyError) -> StoreError {
    StoreError::Policy { path: kept::path_of(root, FOLDER, hash), source }
}
