//! The files that belong to a session, copied beside it. The manifest comes last, so that a folder that has one is
//! whole. A file that is still as an earlier import wrote it follows its source; whatever else is there stays.

use std::collections::BTreeMap;
use std::path::Path;

use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_store::{files, look};

use crate::documents::artifacts;
use crate::error::AppError;
use crate::machine::plain_files;
use crate::view::View;
use crate::view::copy::{self, EVENTS, MANIFEST};

/// A larger file is not copied, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Files by their paths in the session's folder, with the SHA-256 of what is in them.
pub(super) type Hashes = BTreeMap<String, String>;

/// What was copied.
#[derive(Debug, Default)]
pub(super) struct Copied {
    /// How many files.
    pub(super) number: usize,
    /// The files that are as their sources are.
    pub(super) files: Hashes,
    /// What was not copied, and why.
    pub(super) remarks: Vec<String>,
}

/// What lies in the folder of a session elsewhere.
pub(super) fn hashes(folder: &Path) -> Hashes {
    let hash = |file: &Path| {
        let content = plain_files::look_at(&folder.join(file), MAX_BYTES).ok().flatten()?;
        Some((file.to_str()?.to_owned(), sha256_hex(&[&content.bytes])))
    };
    artifacts::all(folder).0.iter().filter_map(|file| hash(file)).collect()
}

/// Copying for one session.
pub(super) struct Copying<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) id: &'a SessionId,
    /// What an earlier import wrote.
    pub(super) before: &'a Hashes,
    pub(super) dry_run: bool,
}

impl Copying<'_> {
    /// Copies the files of a folder to where this session's files are here. Nothing is done where they are there.
    pub(super) fn folder(&self, from: &Path, with_manifest: bool) -> Copied {
        let to = self.view.project.root.join(copy::folder_of(self.view, self.id));
        let is_same = match (look::real(from), look::real(&to)) {
            (Ok(from), Ok(to)) => from == to,
            _ => false,
        };
        let mut copied = Copied::default();
        if is_same {
            return copied;
        }
        if !self.dry_run && look::is_folder(&to) && !look::is_link(&to) {
            // Whoever was killed while it copied would leave them for git to take.
            files::sweep_temporary(&to);
        }
        let (mut found, left) = artifacts::all(from);
        copied.remarks.extend(left);
        // Records are taken over, not copied.
        found.retain(|file| file.as_os_str() != EVENTS);
        found.retain(|file| with_manifest || file.as_os_str() != MANIFEST);
        found.sort_by_key(|file| (file.as_os_str() == MANIFEST, file.clone()));
        for file in found {
            match plain_files::look_at(&from.join(&file), MAX_BYTES) {
                Ok(Some(content)) => self.put(&file, &content.bytes, &mut copied),
                Ok(None) => {}
                Err(error) => copied.remarks.push(format!("not copied: {}", error.message)),
            }
        }
        copied
    }

    /// Writes a file that belongs to the session, unless another one is there.
    pub(super) fn put(&self, name: &Path, bytes: &[u8], copied: &mut Copied) {
        let below = copy::folder_of(self.view, self.id).join(name);
        match self.try_put(&below, name, bytes) {
            Ok(Put::There) => {}
            Ok(Put::Written) => copied.number += 1,
            Ok(Put::Other) => {
                let told = format!("{} is there with other content, and stays", below.display());
                return copied.remarks.push(told);
            }
            Err(error) => {
                let told = format!("not copied: {}: {}", below.display(), error.message);
                return copied.remarks.push(told);
            }
        }
        if let Some(name) = name.to_str() {
            copied.files.insert(name.to_owned(), sha256_hex(&[bytes]));
        }
    }

    fn try_put(&self, below: &Path, name: &Path, bytes: &[u8]) -> Result<Put, AppError> {
        let root = &self.view.project.root;
        let path = root.join(below);
        let there = plain_files::look_at(&path, MAX_BYTES)?;
        let before = name.to_str().and_then(|name| self.before.get(name));
        let mode = match &there {
            Some(there) if there.bytes == bytes => return Ok(Put::There),
            Some(there) if before == Some(&sha256_hex(&[&there.bytes])) => Some(there.mode),
            Some(_) => return Ok(Put::Other),
            None => None,
        };
        if !self.dry_run {
            plain_files::make_folder(root, below.parent().unwrap_or(Path::new("")))?;
            plain_files::write(&path, bytes, mode, 0o644)?;
        }
        Ok(Put::Written)
    }
}

/// What became of a file.
enum Put {
    /// It was there just so.
    There,
    /// It is there now.
    Written,
    /// Another one is there, and stays.
    Other,
}
