//! Documents that are never changed: each in a file that is named by the hash of its content.

use std::path::{Path, PathBuf};

use crate::{StoreError, files};

const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Keeps a document under its hash, below `folder`.
pub(crate) fn keep(root: &Path, folder: &str, hash: &str, text: &str) -> Result<(), StoreError> {
    let path = path_of(root, folder, hash);
    if files::read(&path, MAX_BYTES).ok().flatten().as_deref() != Some(text.as_bytes()) {
        files::make_dir(&root.join(folder))?;
        if path.is_dir() {
            // It was put there by somebody else. A file cannot take its place while it is there.
            let aside = path.with_extension("aside");
            std::fs::rename(&path, &aside).map_err(StoreError::io("cannot move away", &path))?;
        }
        files::replace(&path, text.as_bytes(), true)?;
    }
    Ok(())
}

/// Reads a document, and says where it lies.
pub(crate) fn read(
    root: &Path,
    folder: &str,
    hash: &str,
) -> Result<(PathBuf, Vec<u8>), StoreError> {
    let path = path_of(root, folder, hash);
    let content = files::read(&path, MAX_BYTES)?;
    let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
    let content = content.ok_or_else(|| StoreError::io("cannot read", &path)(missing()))?;
    Ok((path, content))
}

pub(crate) fn path_of(root: &Path, folder: &str, hash: &str) -> PathBuf {
    // Hashes come out of signed records; still, only their plain form may become a file name.
    let plain = waypost_core::key::unhex(hash).is_some();
    root.join(folder).join(if plain { hash } else { "malformed-hash" })
}
