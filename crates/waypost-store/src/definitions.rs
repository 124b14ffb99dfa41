//! Definitions of workflows and protocols that tracks run, each in a file that is named by the hash
//! of its content. The records hold them too: a file that is missing or damaged loses nothing.

use std::path::Path;

use waypost_core::track::Definition;

use crate::{StoreError, kept};

const FOLDER: &str = "definitions";

/// Keeps a definition and returns its hash.
pub fn keep(root: &Path, definition: &Definition) -> Result<String, StoreError> {
    let (text, hash) = definition.encode()?;
    kept::keep(root, FOLDER, &hash, &text)?;
    Ok(hash)
}

/// Reads a definition; `None` if what is there is not what was kept.
pub fn load(root: &Path, hash: &str) -> Option<Definition> {
    let (_, content) = kept::read(root, FOLDER, hash).ok()?;
    Definition::decode(&content, hash)
}
