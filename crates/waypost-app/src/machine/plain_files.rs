//! Plain files and folders of the work tree. Symbolic links are never followed, files are replaced as
//! a whole, and a file keeps its mode.

use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use waypost_core::key::hex;
use waypost_store::{files, look, os};

use crate::error::AppError;

const MAX_FILE: u64 = 4 * 1024 * 1024;

/// A file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Existing {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
}

/// A file as it is now. Refuses links and everything else that is no plain file in a plain folder.
pub(crate) fn look(path: &Path) -> Result<Option<Existing>, AppError> {
    look_at(path, MAX_FILE)
}

/// The same for a file of at most `max` bytes.
pub(crate) fn look_at(path: &Path, max: u64) -> Result<Option<Existing>, AppError> {
    if let Some(folder) = path.parent()
        && let Ok(metadata) = look::link(folder)
        && !metadata.is_dir()
    {
        return Err(not_plain(folder, metadata.is_symlink(), "a folder"));
    }
    let metadata = match look::link(path) {
        Ok(metadata) => metadata,
        Err(error) if os::is_absent(&error) => return Ok(None),
        Err(error) => return Err(failed("cannot look at", path)(error)),
    };
    let bytes = read_seen(path, &metadata, max)?;
    Ok(bytes.map(|bytes| Existing { bytes, mode: metadata.mode() & 0o7777 }))
}

/// What stands in a file of at most `max` bytes in a plain folder, by what was just seen of it without following links.
pub(crate) fn read_seen(
    path: &Path,
    seen: &Metadata,
    max: u64,
) -> Result<Option<Vec<u8>>, AppError> {
    if !seen.is_file() {
        return Err(not_plain(path, seen.is_symlink(), "a file"));
    }
    Ok(files::read(path, max)?)
}

/// Makes the folder `below` the top folder `root`, where no part of the way is a link.
pub(crate) fn make_folder(root: &Path, below: &Path) -> Result<PathBuf, AppError> {
    let mut folder = root.to_owned();
    for part in below.components() {
        folder.push(part);
        match look::link(&folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) => return Err(not_plain(&folder, metadata.is_symlink(), "a folder")),
            Err(error) if os::is_absent(&error) => {
                match fs::create_dir(&folder) {
                    // Somebody else was quicker.
                    Err(error)
                        if error.kind() == io::ErrorKind::AlreadyExists && is_dir(&folder) => {}
                    made => made.map_err(failed("cannot make the folder", &folder))?,
                }
            }
            Err(error) => return Err(failed("cannot look at", &folder)(error)),
        }
    }
    Ok(folder)
}

fn is_dir(folder: &Path) -> bool {
    look::link(folder).is_ok_and(|metadata| metadata.is_dir())
}

/// Whether `below` is a folder below `root`, and no part of the way is a link.
pub(crate) fn is_folder(root: &Path, below: &Path) -> bool {
    let mut folder = root.to_owned();
    below.components().all(|part| {
        folder.push(part);
        look::link(&folder).is_ok_and(|metadata| metadata.is_dir())
    })
}

/// Replaces a file as a whole, by a rename. With `mode` it gets exactly that mode, else the usual
/// one of a new file.
pub(crate) fn write(
    path: &Path,
    bytes: &[u8],
    mode: Option<u32>,
    new_mode: u32,
) -> Result<(), AppError> {
    let temporary = temporary_name(path);
    let written = (|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode.unwrap_or(new_mode))
            .open(&temporary)
            .map_err(failed("cannot create", &temporary))?;
        if let Some(mode) = mode {
            file.set_permissions(Permissions::from_mode(mode))
                .map_err(failed("cannot set the mode of", &temporary))?;
        }
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(failed("cannot write", &temporary))?;
        fs::rename(&temporary, path).map_err(failed("cannot replace", path))?;
        Ok(files::sync_folder_of(path)?)
    })();
    if written.is_err() {
        // The error is what counts.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Says what could not be done, and to what.
pub(crate) fn failed(action: &str, path: &Path) -> impl FnOnce(io::Error) -> AppError {
    move |error| {
        AppError::refused(format!("{action} {}: {error}", path.display()))
            .because(error)
            .hint("see that it can be read and written and that its disk has space")
    }
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut random = [0; 8];
    // Without randomness the process id still tells processes apart; `create_new` refuses the rest.
    let _ = getrandom::fill(&mut random);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{}.tmp", std::process::id(), hex(&random)));
    path.with_file_name(name)
}

fn not_plain(path: &Path, is_link: bool, wanted: &str) -> AppError {
    let what = if is_link {
        "is a symbolic link, and Waypost does not write through links".to_owned()
    } else {
        format!("is not {wanted}")
    };
    AppError::configuration(format!("{} {what}", path.display()))
        .hint(format!("put {wanted} of its own there, then run this again; nothing was changed"))
}
