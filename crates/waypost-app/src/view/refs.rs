//! What happened to a repository's branches, its own and those of its remotes, as git told it: which git command moved
//! what to where, and whether an agent had called it. Local, unsigned and short, like all activity: nothing is proven
//! by it, and losing it loses nothing but that.
//!
//! By it are told apart what was fetched from what was made here, and what people committed from what agents did.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waypost_core::key::sha256_hex;
use waypost_core::redact::redact;
use waypost_store::{files, look};

use crate::view::calls::now;
use crate::view::{View, journal};

/// A log that has grown beyond this is begun anew; the one before is kept.
const MAX_BYTES: u64 = 1024 * 1024;
/// A first fetch may bring thousands of branches. What is fetched is seen in the repository, too.
const MAX_AT_ONCE: usize = 2000;
/// Git commands that bring what others have made.
const FETCHING: &[&str] = &["clone", "fetch", "pull"];

/// One change of a ref, as git tells its hook of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefChange<'a> {
    /// The commit that it was; zeros if it was not there.
    pub old: &'a str,
    /// The commit that it becomes; zeros if it goes away.
    pub new: &'a str,
    /// Its full name.
    pub name: &'a str,
}

impl<'a> RefChange<'a> {
    /// Reads what git tells, line by line; only branches, own ones and those of remotes, matter.
    pub fn read(told: &'a [u8]) -> impl Iterator<Item = Self> + Clone {
        told.split(|byte| *byte == b'\n').filter_map(|line| {
            let mut words = std::str::from_utf8(line).ok()?.splitn(3, ' ');
            let (old, new, name) = (words.next()?, words.next()?, words.next()?);
            let matters = name.starts_with("refs/heads/") || name.starts_with("refs/remotes/");
            // Of a branch that goes away, git may not say what it was.
            (matters && (old != new || is_none(new))).then_some(Self { old, new, name })
        })
    }

    /// Whether a branch of one's own gets a commit.
    pub fn gives_branch(&self) -> bool {
        self.name.starts_with("refs/heads/") && !is_none(self.new)
    }
}

/// A commit's name that stands for none.
fn is_none(commit: &str) -> bool {
    !commit.bytes().any(|byte| byte != b'0')
}

/// One change of a ref that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefUpdate {
    /// When, in nanoseconds since 1970, by the clock of [`calls`](crate::view::calls).
    pub at: u64,
    /// Its full name: `refs/heads/main`.
    #[serde(rename = "ref")]
    pub name: String,
    /// The commit that it was; none if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The commit that it became; none if it went away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// The git command that did it, by its first word; empty where that could not be told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Whether that was told to take it from this very repository.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_here: bool,
    /// The linked work tree that it was done in; none is the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The conversation whose agent called git; none is a person, or nobody that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The terminal that git had, where nothing above it is known to be an agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<u64>,
}

impl RefUpdate {
    /// Whether it brought what lies in another repository.
    pub fn is_fetch(&self) -> bool {
        FETCHING.contains(&self.by.as_str()) && !self.from_here
    }

    /// Whether it notes what a remote was given.
    pub fn is_push(&self) -> bool {
        self.by == "push" && self.name.starts_with("refs/remotes/")
    }
}

/// Who changes refs, and where.
#[derive(Debug, Clone, Default)]
pub struct Doer {
    /// The git command, by its first word.
    pub by: String,
    /// Whether it takes them from this very repository.
    pub from_here: bool,
    /// The linked work tree.
    pub worktree: Option<String>,
    /// The conversation.
    pub conversation: Option<String>,
    /// The terminal that git has, where nothing above it is known to be an agent's.
    pub terminal: Option<u64>,
}

/// Notes changes that were made. Failing to is no failure of anything else.
pub fn note<'c>(
    state_dir: &Path,
    store: &Path,
    doer: &Doer,
    changes: impl Iterator<Item = RefChange<'c>>,
) {
    let (at, known) = (now(), |commit: &str| (!is_none(commit)).then(|| commit.to_owned()));
    let updates = changes.take(MAX_AT_ONCE).map(|change| RefUpdate {
        at,
        name: redact(change.name).into_owned(),
        old: known(change.old),
        new: known(change.new),
        by: doer.by.clone(),
        from_here: doer.from_here,
        worktree: doer.worktree.clone(),
        conversation: doer.conversation.clone(),
        terminal: doer.terminal,
    });
    let updates: Vec<RefUpdate> = updates.collect();
    let _ = journal::append_all(&path(state_dir, store), &updates, MAX_BYTES);
}

/// What is known of the changes of refs.
#[derive(Debug, Default)]
pub struct RefUpdates;

impl RefUpdates {
    /// The changes that were made since then, the oldest first. Where git's hook was not there, or the log was begun
    /// anew meanwhile, some are missing.
    pub fn since(view: &View<'_>, at_ns: u64) -> Vec<RefUpdate> {
        let mut all = known(&view.host.state_dir, &view.project.store);
        all.retain(|update| update.at >= at_ns);
        all
    }
}

/// All that is still known, the oldest first.
fn known(state_dir: &Path, store: &Path) -> Vec<RefUpdate> {
    let path = path(state_dir, store);
    let older = path.with_extension("1.jsonl");
    [older, path].into_iter().flat_map(|path| read(&path)).collect()
}

fn read(path: &Path) -> Vec<RefUpdate> {
    let content = files::read(path, 4 * MAX_BYTES).ok().flatten().unwrap_or_default();
    let lines = content.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// One for each repository: all its work trees share its branches.
fn path(state_dir: &Path, store: &Path) -> PathBuf {
    let store = look::real(store).unwrap_or_else(|_| store.to_owned());
    let name = &sha256_hex(&[store.as_os_str().as_encoded_bytes()])[..16];
    state_dir.join("activity").join("refs").join(format!("{name}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_branches_that_change_matter() {
        let told = b"0000 1111 refs/heads/main\n1111 1111 refs/heads/same\n0000 1111 HEAD\n\
            0000 1111 refs/stash\n1111 2222 refs/remotes/o/main\n1111 0000 refs/heads/gone\n\
            0000 ref:refs/heads/x HEAD\n1111 2222 refs/tags/v1\n";
        let read: Vec<RefChange<'_>> = RefChange::read(told).collect();
        let names: Vec<&str> = read.iter().map(|change| change.name).collect();
        assert_eq!(names, ["refs/heads/main", "refs/remotes/o/main", "refs/heads/gone"]);
        let given: Vec<bool> = read.iter().map(RefChange::gives_branch).collect();
        assert_eq!(given, [true, false, false]);
    }

    #[test]
    fn what_is_noted_is_known_again_and_the_log_stays_short() {
        let folder = tempfile::tempdir().unwrap();
        let (state, store) = (folder.path().join("state"), folder.path().join("store"));
        let told = b"0000 1111 refs/heads/main\n1111 2222 refs/remotes/o/main\n1111 0000 refs/heads/gone\n";
        let mut doer = Doer { by: "fetch".to_owned(), ..Doer::default() };
        note(&state, &store, &doer, RefChange::read(told));
        let noted = known(&state, &store);
        let commits: Vec<_> =
            noted.iter().map(|one| (one.old.as_deref(), one.new.as_deref())).collect();
        assert_eq!(
            commits,
            [(None, Some("1111")), (Some("1111"), Some("2222")), (Some("1111"), None)]
        );
        assert!(noted.iter().all(|one| one.is_fetch() && !one.is_push() && one.at > 0));
        doer = Doer { by: "push".to_owned(), ..doer };
        note(&state, &store, &doer, RefChange::read(told));
        let pushed: Vec<bool> = known(&state, &store)[3..].iter().map(RefUpdate::is_push).collect();
        assert_eq!(pushed, [false, true, false]);
        let many = "0000 1111 refs/heads/main\n".repeat(MAX_AT_ONCE * 2);
        for _ in 0..20 {
            note(&state, &store, &doer, RefChange::read(many.as_bytes()));
        }
        let kept = look::folder(state.join("activity/refs")).unwrap();
        let sizes = kept.map(|entry| entry.unwrap().metadata().unwrap().len());
        assert!(sizes.sum::<u64>() < 4 * MAX_BYTES);
        assert!(known(&state, &store).len() >= MAX_AT_ONCE);
    }
}
