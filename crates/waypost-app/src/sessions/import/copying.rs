//! The files that belong to a session, copied beside it. The manifest comes last, so that a folder that has one is
//! whole; whatever is there already stays, and a file that says something else is not written over.

use std::path::Path;

use waypost_core::id::SessionId;
use waypost_store::look;

use crate::documents::artifacts;
use crate::error::AppError;
use crate::machine::plain_files;
use crate::view::View;
use crate::view::copy::{self, EVENTS, MANIFEST};

/// A larger file is not copied, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What was copied.
#[derive(Debug, Default)]
pub(super) struct Copied {
    /// How many files.
    pub(super) files: usize,
    /// What was not, and why.
    pub(super) remarks: Vec<String>,
}

/// Copies the files of a folder to where this session's files are here. Nothing is done where they are there.
pub(super) fn copy_folder(
    view: &View<'_>,
    id: &SessionId,
    from: &Path,
    with_manifest: bool,
    dry_run: bool,
) -> Result<Copied, AppError> {
    let below = copy::folder_of(view, id);
    let to = view.project.root.join(&below);
    let is_same = match (look::real(from), look::real(&to)) {
        (Ok(from), Ok(to)) => from == to,
        _ => false,
    };
    let mut copied = Copied::default();
    if is_same {
        return Ok(copied);
    }
    let (mut found, left) = artifacts::all(from);
    copied.remarks.extend(left);
    // Records are taken over, not copied.
    found.retain(|file| file.as_os_str() != EVENTS);
    found.retain(|file| with_manifest || file.as_os_str() != MANIFEST);
    found.sort_by_key(|file| (file.as_os_str() == MANIFEST, file.clone()));
    for file in found {
        let content = plain_files::look_at(&from.join(&file), MAX_BYTES);
        match content {
            Ok(Some(content)) => {
                put(view, &below.join(&file), &content.bytes, dry_run, &mut copied)?;
            }
            Ok(None) => {}
            Err(error) => copied.remarks.push(format!("not copied: {}", error.message)),
        }
    }
    Ok(copied)
}

/// Writes a file that belongs to a session, unless one is there.
pub(super) fn put(
    view: &View<'_>,
    below: &Path,
    bytes: &[u8],
    dry_run: bool,
    copied: &mut Copied,
) -> Result<(), AppError> {
    let root = &view.project.root;
    let path = root.join(below);
    let known = plain_files::look_at(&path, MAX_BYTES)?;
    match known {
        Some(known) if known.bytes == bytes => return Ok(()),
        Some(_) => {
            let told = format!("{} is there with other content, and stays", below.display());
            copied.remarks.push(told);
            return Ok(());
        }
        None => {}
    }
    copied.files += 1;
    if !dry_run {
        plain_files::make_folder(root, below.parent().unwrap_or(Path::new("")))?;
        plain_files::write(&path, bytes, None, 0o644)?;
    }
    Ok(())
}
