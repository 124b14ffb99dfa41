//! Which files and folders below a path may hold sessions of other programs. Links are never followed, and what is
//! known to hold none (dependencies, what was built, Waypost's own store) is passed by.

use std::path::{Path, PathBuf};

use waypost_store::{files, look, os};

use crate::error::AppError;
use crate::foreign::session::{ForeignFile, MAX_BYTES, too_large};
use crate::foreign::session_folder;
use crate::view::copy::{EVENTS, MANIFEST};

/// Folders lie no deeper than this below what was named.
const MAX_DEPTH: usize = 16;
/// No more files than this are looked at.
const MAX_FILES: usize = 200_000;
/// Folders in which no session is looked for.
const PASSED_BY: &[&str] =
    &["node_modules", "target", ".venv", "venv", "__pycache__", "site-packages", ".waypost"];
/// What files that can hold a session end in.
const ENDINGS: &[&str] = &["json", "md", "markdown", "paused", "yaml", "yml"];
/// How much of records is read to know whether they are Waypost's, in bytes.
const PEEK: u64 = 64 * 1024;
/// What the first record of Waypost's has.
const OF_RECORDS: &[u8] = b"\"mac\":\"hmac-sha256:";

/// Something that may hold a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Where.
    pub(super) path: PathBuf,
    /// What it looks like.
    pub(super) kind: Kind,
    /// Whether the user named this path itself.
    pub(super) named: bool,
}

/// What a candidate looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A folder with a manifest.
    Folder,
    /// A folder with records of Waypost.
    Copy,
    /// A file.
    File,
}

/// What lies below a path.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What may hold a session, in order.
    pub(super) candidates: Vec<Candidate>,
    /// Folders that cannot be looked into: each with the reason.
    pub(super) closed: Vec<(PathBuf, String)>,
    /// Links, which are not followed.
    pub(super) links: Vec<PathBuf>,
    /// Whether there was more than is looked at.
    pub(super) more: bool,
}

/// Everything below a path that may hold a session.
pub(super) fn below(path: &Path) -> Result<Found, AppError> {
    let metadata = look::link(path).map_err(|error| {
        AppError::refused(format!("cannot look at {}: {error}", path.display()))
            .because(error)
            .hint("name a file or folder that is there")
    })?;
    let mut walk = Walk::default();
    if metadata.is_dir() {
        walk.folder(path, 0);
    } else if metadata.is_symlink() {
        let what = format!("{} is a symbolic link, which is not followed", path.display());
        return Err(AppError::refused(what).hint("name what it leads to"));
    } else {
        walk.named_file(path);
    }
    Ok(walk.found)
}

#[derive(Default)]
struct Walk {
    found: Found,
    looked_at: usize,
}

impl Walk {
    fn add(&mut self, path: PathBuf, kind: Kind, named: bool) {
        self.found.candidates.push(Candidate { path, kind, named });
    }

    /// A file that somebody named: the manifest of a folder stands for all of it.
    fn named_file(&mut self, path: &Path) {
        let is = |name: &str| path.file_name().is_some_and(|own| own == name);
        let folder = path.parent().filter(|_| is(MANIFEST) || is(EVENTS));
        match folder.and_then(|folder| Some((folder, session_folder(folder)?))) {
            Some((folder, kind)) => self.add(folder.to_owned(), kind, true),
            None => self.add(path.to_owned(), Kind::File, true),
        }
    }

    fn folder(&mut self, path: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            self.found.more = true;
            return;
        }
        if let Some(kind) = session_folder(path) {
            return self.add(path.to_owned(), kind, depth == 0);
        }
        let entries = match look::folder(path) {
            Ok(entries) => entries.flatten(),
            Err(error) if os::is_absent(&error) => return,
            Err(error) => return self.found.closed.push((path.to_owned(), error.to_string())),
        };
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names {
            self.looked_at += 1;
            if self.looked_at > MAX_FILES {
                self.found.more = true;
                return;
            }
            let below = path.join(&name);
            let Ok(metadata) = look::link(&below) else { continue };
            let name = name.to_string_lossy();
            if metadata.is_dir() && name == ".git" {
                // Of git's own folder, only what one of those programs keeps there.
                self.folder(&below.join("requirements"), depth + 1);
            } else if metadata.is_dir() && !PASSED_BY.contains(&&*name) {
                self.folder(&below, depth + 1);
            } else if metadata.is_file() && can_hold(&name) {
                self.add(below, Kind::File, false);
            } else if metadata.is_symlink() && (can_hold(&name) || look::is_folder(&below)) {
                self.found.links.push(below);
            }
        }
    }
}

/// What a folder is, if it is one session's. Other programs have a `state.json` too.
fn session_folder(path: &Path) -> Option<Kind> {
    let plain = |name: &str| {
        let file = path.join(name);
        look::link(&file).is_ok_and(|found| found.is_file()).then_some(file)
    };
    let head = plain(EVENTS).and_then(|file| files::head(&file, PEEK).ok().flatten());
    if head.is_some_and(|head| contains(&head, OF_RECORDS)) {
        return Some(Kind::Copy);
    }
    let manifest = plain(MANIFEST)?;
    let Ok(bytes) = content(&manifest) else {
        // It cannot be read, which has to be told.
        return Some(Kind::Folder);
    };
    let shown = manifest.to_string_lossy();
    let is_one = match ForeignFile::of(MANIFEST, &shown, &bytes) {
        Ok(file) => session_folder::is_one(&file),
        // It is broken: what else is in it and beside it tells.
        Err(_) => contains(&bytes, b"\"session_id\"") || plain("spec.md").is_some(),
    };
    is_one.then_some(Kind::Folder)
}

/// Whether bytes have others in them.
pub(super) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn can_hold(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Why a file cannot be read.
#[derive(Debug)]
pub(super) enum Unread {
    /// It is not what could be read: too large, or no text.
    Unfit(String),
    /// The disk, or its owner, does not give it.
    Withheld(String),
}

/// What is in a file that may hold a session.
pub(super) fn content(path: &Path) -> Result<Vec<u8>, Unread> {
    let size = look::link(path).map_or(0, |found| found.len());
    if size > MAX_BYTES as u64 {
        return Err(Unread::Unfit(too_large(size)));
    }
    match files::read(path, MAX_BYTES as u64) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Unread::Withheld("it is gone".to_owned())),
        Err(error) => Err(Unread::Withheld(error.to_string())),
    }
}
