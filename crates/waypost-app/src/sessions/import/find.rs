//! Which files and folders below a path may hold sessions of other programs. Links are never followed, and what is
//! known to hold none (dependencies, what was built, Waypost's own store) is passed by.

use std::path::{Path, PathBuf};

use waypost_store::{files, look};

use crate::error::AppError;
use crate::foreign::session::{MAX_BYTES, too_large};
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
/// How much of a file is read to know whether a folder is one session's, in bytes.
const PEEK: u64 = 64 * 1024;
/// What a manifest of a session folder has one of: other programs have a `state.json` too.
const OF_MANIFESTS: [&[u8]; 2] = [b"\"session_id\"", b"\"request\""];
/// What the first record of Waypost's has.
const OF_RECORDS: &[u8] = b"\"mac\":\"hmac-sha256:";

/// Something that may hold a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Where.
    pub(super) path: PathBuf,
    /// What it looks like.
    pub(super) kind: Kind,
    /// Whether somebody named it, and not only a folder that it lies in.
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

/// Everything below a path that may hold a session, in order; and whether there was more than is looked at.
pub(super) fn below(path: &Path) -> Result<(Vec<Candidate>, bool), AppError> {
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
    Ok((walk.found, walk.more))
}

#[derive(Default)]
struct Walk {
    found: Vec<Candidate>,
    looked_at: usize,
    more: bool,
}

impl Walk {
    fn add(&mut self, path: PathBuf, kind: Kind, named: bool) {
        self.found.push(Candidate { path, kind, named });
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
            self.more = true;
            return;
        }
        if let Some(kind) = session_folder(path) {
            return self.add(path.to_owned(), kind, depth == 0);
        }
        let entries = look::folder(path).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names {
            self.looked_at += 1;
            if self.looked_at > MAX_FILES {
                self.more = true;
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
            }
        }
    }
}

/// What a folder is, if it is one session's.
fn session_folder(path: &Path) -> Option<Kind> {
    let begins_with = |name: &str, marks: &[&[u8]]| {
        let file = path.join(name);
        let is_plain = look::link(&file).is_ok_and(|found| found.is_file());
        let head = is_plain.then(|| files::head(&file, PEEK).ok().flatten()).flatten();
        let has = |mark: &&[u8]| head.iter().any(|head| contains(head, mark));
        marks.iter().any(has)
    };
    if begins_with(EVENTS, &[OF_RECORDS]) {
        return Some(Kind::Copy);
    }
    begins_with(MANIFEST, &OF_MANIFESTS).then_some(Kind::Folder)
}

/// Whether bytes have others in them.
pub(super) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn can_hold(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// What is in a file that may hold a session; why it cannot be read, in words.
pub(super) fn content(path: &Path) -> Result<Vec<u8>, String> {
    let size = look::link(path).map_or(0, |found| found.len());
    if size > MAX_BYTES as u64 {
        return Err(too_large(size));
    }
    match files::read(path, MAX_BYTES as u64) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err("it is gone".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
