//! `install.json`: what `init` found in each file, and what it left there.
//!
//! It is written before the files are, so that a crash in between loses nothing: an entry whose
//! file is not what `init` meant to leave is treated like one that the user edited.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waypost_core::key::{hex, sha256_hex, unhex};
use waypost_core::next_step::{Mend, amid};
use waypost_store::{files, look};

use super::items::{Folder, Item, is_common_file, is_common_folder};
use crate::error::AppError;
use crate::machine::plain_files::Existing;
use crate::machine::project::Project;

const FORMAT: &str = "waypost-install";
const VERSION: u32 = 1;
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Everything that `init` did to a repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: String,
    version: u32,
    files: Vec<FileEntry>,
    folders: Vec<FolderEntry>,
    /// Whether somebody wanted no hooks of git's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) declined: bool,
}

/// What `init` did to a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FileEntry {
    /// The linked work tree that it lies in; none is the main one, or all.
    worktree: Option<String>,
    /// What the file is: see [`Item::key`].
    file: String,
    /// What was in it; none if it was not there.
    original: Option<Content>,
    /// The SHA-256 of what `init` left.
    after: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct FolderEntry {
    worktree: Option<String>,
    /// What the folder is: see [`Folder::key`].
    folder: String,
}

/// Bytes, readable where they are text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Content {
    Text(String),
    Hex(String),
}

impl FileEntry {
    /// What was in the file; none if it was not there.
    pub(super) fn original(&self) -> Option<Vec<u8>> {
        match self.original.as_ref()? {
            Content::Text(text) => Some(text.as_bytes().to_vec()),
            Content::Hex(text) => unhex(text),
        }
    }

    /// Whether `init` made the file.
    pub(super) fn is_new(&self) -> bool {
        self.original.is_none()
    }

    /// Whether the file is exactly what `init` left.
    pub(super) fn is_untouched(&self, now: Option<&Existing>) -> bool {
        now.is_some_and(|now| self.left(&now.bytes))
    }

    /// Whether these bytes are exactly what `init` left.
    pub(super) fn left(&self, bytes: &[u8]) -> bool {
        sha256_hex(&[bytes]) == self.after
    }
}

impl Manifest {
    /// Reads it; an empty one if there is none.
    pub(super) fn load(project: &Project) -> Result<Self, AppError> {
        let path = path(project);
        let Some(bytes) = files::read(&path, MAX_FILE)? else {
            let format = FORMAT.to_owned();
            let (files, folders) = (Vec::new(), Vec::new());
            return Ok(Self { format, version: VERSION, files, folders, declined: false });
        };
        let version = serde_json::from_slice::<Version>(&bytes).map_err(|_| damaged(&path))?;
        if version.version > VERSION {
            return Err(AppError::configuration(format!(
                "{} was written by a newer Waypost",
                path.display()
            ))
            .hint("use that one, or a newer one still"));
        }
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|_| damaged(&path))?;
        if manifest.format == FORMAT { Ok(manifest) } else { Err(damaged(&path)) }
    }

    /// Writes it, if it says anything new.
    pub(super) fn save(&self, project: &Project) -> Result<(), AppError> {
        let path = path(project);
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|error| {
            AppError::refused(format!("{}: {error}", path.display())).because(error)
        })?;
        bytes.push(b'\n');
        if files::read(&path, MAX_FILE)?.as_deref() != Some(&bytes) {
            files::replace(&path, &bytes, true)?;
        }
        Ok(())
    }

    /// Removes it from the disk.
    pub(super) fn delete(project: &Project) -> Result<(), AppError> {
        Ok(files::remove(&path(project))?)
    }

    /// What `init` did to a file of this work tree.
    pub(super) fn entry(&self, project: &Project, file: Item<'_>) -> Option<&FileEntry> {
        let worktree = owner(project, is_common_file(file.key()));
        self.files.iter().find(|entry| entry.file == file.key() && entry.worktree == worktree)
    }

    /// Keeps what was in a file and what is about to be left there.
    pub(super) fn record(
        &mut self,
        project: &Project,
        file: Item<'_>,
        original: Option<Vec<u8>>,
        after: &[u8],
    ) {
        let (file, is_common) = (file.key().to_owned(), is_common_file(file.key()));
        let worktree = owner(project, is_common);
        let original = original.map(|bytes| match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(error) => Content::Hex(hex(error.as_bytes())),
        });
        let after = sha256_hex(&[after]);
        let entry = FileEntry { worktree, file, original, after };
        let same = |old: &&mut FileEntry| old.file == entry.file && old.worktree == entry.worktree;
        match self.files.iter_mut().find(same) {
            Some(old) => *old = entry,
            None => self.files.push(entry),
        }
    }

    /// Forgets what was done to a file.
    pub(super) fn drop_entry(&mut self, project: &Project, file: Item<'_>) {
        let worktree = owner(project, is_common_file(file.key()));
        self.files.retain(|entry| entry.file != file.key() || entry.worktree != worktree);
    }

    /// Keeps that a folder is about to be made.
    pub(super) fn record_folder(&mut self, project: &Project, folder: Folder<'_>) {
        let folder = folder.key().to_owned();
        let worktree = owner(project, is_common_folder(&folder));
        if !self.folders.iter().any(|old| old.folder == folder && old.worktree == worktree) {
            self.folders.push(FolderEntry { worktree, folder });
        }
    }

    /// What the folders are that were made for this work tree alone, the last first.
    pub(super) fn own_folders(&self, project: &Project) -> Vec<String> {
        let worktree = owner(project, false);
        let own =
            |entry: &&FolderEntry| !is_common_folder(&entry.folder) && entry.worktree == worktree;
        self.folders.iter().rev().filter(own).map(|entry| entry.folder.clone()).collect()
    }

    /// What the folders are that were made for all work trees, the last first.
    pub(super) fn common_folders(&self) -> Vec<String> {
        let common = |entry: &&FolderEntry| is_common_folder(&entry.folder);
        self.folders.iter().rev().filter(common).map(|entry| entry.folder.clone()).collect()
    }

    /// Whether another work tree that still exists was set up too.
    pub(super) fn has_others(&self, project: &Project) -> bool {
        let own = owner(project, false);
        let others = self.files.iter().filter(|entry| !is_common_file(&entry.file));
        others.into_iter().any(|entry| entry.worktree != own && is_alive(project, entry))
    }

    /// Forgets what was done to this work tree, and to those that are gone.
    pub(super) fn forget(&mut self, project: &Project) {
        let own = owner(project, false);
        self.files.retain(|entry| {
            is_common_file(&entry.file) || (entry.worktree != own && is_alive(project, entry))
        });
        self.folders.retain(|entry| is_common_folder(&entry.folder) || entry.worktree != own);
    }
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

fn path(project: &Project) -> PathBuf {
    project.store.join("install.json")
}

fn owner(project: &Project, is_common: bool) -> Option<String> {
    if is_common { None } else { project.worktree() }
}

fn is_alive(project: &Project, entry: &FileEntry) -> bool {
    let Some(name) = &entry.worktree else {
        return true;
    };
    let plain_name = Path::new(name).components().count() == 1;
    let git = project.git.as_ref();
    plain_name && git.is_some_and(|git| look::is_folder(git.common.join("worktrees").join(name)))
}

fn damaged(path: &Path) -> AppError {
    let what = "is damaged: it holds what files were before `init`";
    AppError::integrity(format!("{} {what}", path.display())).hint(amid(
        "move it away and run this again: files as they are now then count as the originals, and ",
        Mend::TakeOut,
        " still takes Waypost's entries out of them",
    ))
}
