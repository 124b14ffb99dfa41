//! The files and folders that `init` may touch, and how it reads and writes them.
//!
//! They are named by what they are, never by a path out of a file: a forged manifest cannot lead
//! anywhere else. Symbolic links are never followed, and a file keeps its mode.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waypost_core::key::hex;
use waypost_store::files;

use crate::error::AppError;
use crate::project::Project;

const MAX_FILE: u64 = 4 * 1024 * 1024;

/// A file that `init` may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Item {
    /// `waypost.toml`
    Config,
    /// `.claude/settings.local.json`: this user's.
    LocalSettings,
    /// `.claude/settings.json`: everyone's.
    SharedSettings,
    /// `.waypost/hook`: what everyone's settings call.
    Wrapper,
    /// `info/exclude` of the repository, shared by its work trees.
    Exclude,
}

/// A folder that `init` may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Folder {
    /// `.claude`
    Claude,
    /// `.waypost`
    Waypost,
    /// `info` of the repository, shared by its work trees.
    GitInfo,
    /// The folder of the streams, shared by the work trees.
    Store,
}

/// A file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Existing {
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
}

impl Item {
    /// Whether all work trees of the repository share it.
    pub(super) fn is_common(self) -> bool {
        self == Self::Exclude
    }

    /// Where it lies; none if this project cannot have it.
    pub(super) fn path(self, project: &Project) -> Option<PathBuf> {
        Some(match self {
            Self::Config => project.config_file(),
            Self::LocalSettings => local_settings(&project.root),
            Self::SharedSettings => project.root.join(".claude/settings.json"),
            Self::Wrapper => project.root.join(".waypost/hook"),
            Self::Exclude => project.git.as_ref()?.common.join("info/exclude"),
        })
    }

    /// The folder that it needs; none if that is there anyway.
    pub(super) fn folder(self) -> Option<Folder> {
        match self {
            Self::Config => None,
            Self::LocalSettings | Self::SharedSettings => Some(Folder::Claude),
            Self::Wrapper => Some(Folder::Waypost),
            Self::Exclude => Some(Folder::GitInfo),
        }
    }

    /// The mode of a new one, before the user's umask.
    pub(super) fn new_mode(self) -> u32 {
        if self == Self::Wrapper { 0o755 } else { 0o644 }
    }
}

impl Folder {
    /// Whether all work trees of the repository share it.
    pub(super) fn is_common(self) -> bool {
        matches!(self, Self::GitInfo | Self::Store)
    }

    /// Where it lies; none if this project cannot have it.
    pub(super) fn path(self, project: &Project) -> Option<PathBuf> {
        Some(match self {
            Self::Claude => project.root.join(".claude"),
            Self::Waypost => project.root.join(".waypost"),
            Self::GitInfo => project.git.as_ref()?.common.join("info"),
            Self::Store => project.store.clone(),
        })
    }
}

/// The settings of Claude Code for this user in a work tree.
pub(super) fn local_settings(root: &Path) -> PathBuf {
    root.join(".claude/settings.local.json")
}

/// A file as it is now. Refuses links and everything else that is no plain file in a plain folder.
pub(super) fn look(path: &Path) -> Result<Option<Existing>, AppError> {
    if let Some(folder) = path.parent()
        && let Ok(metadata) = fs::symlink_metadata(folder)
        && !metadata.is_dir()
    {
        return Err(not_plain(folder, metadata.is_symlink(), "a folder"));
    }
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if files::is_absent(&error) => return Ok(None),
        Err(error) => return Err(failed("cannot look at", path)(error)),
    };
    if !metadata.is_file() {
        return Err(not_plain(path, metadata.is_symlink(), "a file"));
    }
    let bytes = files::read(path, MAX_FILE)?;
    Ok(bytes.map(|bytes| Existing { bytes, mode: metadata.mode() & 0o7777 }))
}

/// Replaces a file as a whole, by a rename. With `mode` it gets exactly that mode, else the usual
/// one of a new file.
pub(super) fn write(
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
pub(super) fn failed(action: &str, path: &Path) -> impl FnOnce(io::Error) -> AppError {
    move |error| AppError::refused(format!("{action} {}: {error}", path.display()))
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
