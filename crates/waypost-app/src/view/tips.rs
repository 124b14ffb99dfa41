//! What all branches and remote branches named when a conversation's turn began, and tags when its first one did: a
//! commit that none of them led to is new. One signed file for each conversation, in the project's store; where it is missing, the session's
//! own records stand in for it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waypost_core::sealed;
use waypost_store::{StoreError, files, look};

use crate::error::AppError;
use crate::machine::git::{self, Deadline};
use crate::machine::git_refs::{self, Ref};
use crate::view::registry::Registration;
use crate::view::{View, calls};

const KIND: &str = "waypost-tips";
/// As many as a repository of half a million branches has.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Of more than these, the oldest are removed.
const MAX_FILES: usize = 256;

/// What was there when a turn began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tips {
    /// When, in nanoseconds since 1970, by the clock of the calls.
    pub at: u64,
    /// What branches named, own ones and those of remotes, each once.
    pub ids: Vec<String>,
    /// What tags named when the conversation's first turn began. A tag that came later makes nothing old.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// Notes what is there now, where a turn begins.
pub fn note(view: &View<'_>, registration: &Registration) -> Result<(), AppError> {
    if view.project.git.is_none() {
        return Ok(());
    }
    let at = calls::now();
    let Ok(refs) = git_refs::all(&view.project, Deadline::after(git::LIMIT)) else {
        // Without git there are no commits either.
        return Ok(());
    };
    let (tags, branches): (Vec<Ref>, Vec<Ref>) = refs.into_iter().partition(Ref::is_tag);
    let tags = || each_once(tags);
    let tags = known(view, registration).map_or_else(tags, |before| before.tags);
    keep(view, registration, &Tips { at, ids: each_once(branches), tags })
}

fn each_once(refs: Vec<Ref>) -> Vec<String> {
    let mut ids: Vec<String> = refs.into_iter().map(|one| one.id).collect();
    ids.sort();
    ids.dedup();
    ids
}

fn keep(view: &View<'_>, registration: &Registration, tips: &Tips) -> Result<(), AppError> {
    let (folder, name) = (folder(view), name(registration));
    files::make_dir(&folder)?;
    let ring = view.log.ring();
    let content = sealed::seal(ring.current(), KIND, &name, tips).map_err(StoreError::from)?;
    put(&folder.join(name), content.as_bytes(), MAX_BYTES)?;
    sweep(&folder);
    Ok(())
}

/// Puts it where it is read, or takes away what was there before where it could not be: another turn's beginning is none.
fn put(path: &Path, content: &[u8], max: u64) -> Result<(), StoreError> {
    if u64::try_from(content.len()).is_ok_and(|length| length <= max) {
        return files::replace(path, content, false);
    }
    files::remove(path)
}

/// What was there when the conversation's turn began; `None` where that is not known any more.
pub fn known(view: &View<'_>, registration: &Registration) -> Option<Tips> {
    let name = name(registration);
    let content = files::read(&folder(view).join(&name), MAX_BYTES).ok()??;
    sealed::open(view.log.ring(), KIND, &name, &content).ok()
}

/// One conversation goes on as another: what was there when its turn began still is the beginning.
pub fn hand_on(view: &View<'_>, from: &Registration, to: &Registration) -> Result<(), AppError> {
    // Of several that it goes on for, the earliest beginning counts.
    let since = known(view, to).map_or(u64::MAX, |tips| tips.at);
    match known(view, from).filter(|tips| tips.at < since) {
        Some(tips) => keep(view, to, &tips),
        None => Ok(()),
    }
}

fn folder(view: &View<'_>) -> PathBuf {
    view.project.store.join("tips")
}

fn name(registration: &Registration) -> String {
    format!("{}-{}", registration.harness, registration.conversation)
}

fn sweep(folder: &Path) {
    let entries = look::folder(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    if files.len() <= MAX_FILES {
        return;
    }
    files.sort();
    for (_, path) in files.iter().take(files.len() - MAX_FILES) {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_is_not_written_and_leaves_nothing_of_the_turn_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tips");
        put(&path, b"12345678", 8).unwrap();
        assert_eq!(files::read(&path, 8).unwrap().as_deref(), Some(&b"12345678"[..]));
        put(&path, b"123456789", 8).unwrap();
        assert_eq!(files::read(&path, 8).unwrap(), None);
        put(&path, b"123456789", 8).unwrap();
    }

    #[test]
    fn half_a_million_branches_can_be_read_again() {
        let ids = (0..500_000).map(|number| format!("{number:040x}")).collect();
        let key = waypost_core::key::Key::from_bytes(vec![3; 32]);
        let content =
            sealed::seal(&key, KIND, "x", &Tips { at: 1, ids, tags: Vec::new() }).unwrap();
        assert!(u64::try_from(content.len()).unwrap() <= MAX_BYTES);
    }
}
