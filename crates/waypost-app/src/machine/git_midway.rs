//! Whether somebody is in the middle of something with git: between staging and commit, or between the
//! steps of a merge or a rebase. What changes files then changes what a commit leaves behind.

use std::path::Path;

use waypost_store::look;

use crate::machine::git::{self, Deadline, GitError};
use crate::machine::project::Project;

/// What is in a work tree's git folder while commits are put on top of others, one after another.
const REPLAYING: &[&str] =
    &["rebase-merge", "rebase-apply", "sequencer", "CHERRY_PICK_HEAD", "REVERT_HEAD"];
/// What is there while something else is under way. The lock: a commit keeps what it stages by itself
/// behind it until it is done.
const UNDER_WAY: &[&str] = &["index.lock", "MERGE_HEAD", "BISECT_LOG"];

/// What else tells that git does something in several steps.
const IN_STEPS: &[&str] = &["MERGE_HEAD", "BISECT_LOG"];

/// Whether git is between the steps of something, by what lies in a work tree's own git folder.
pub(crate) fn has_begun(own: &Path) -> bool {
    let mut names = REPLAYING.iter().chain(IN_STEPS);
    names.any(|name| look::link(own.join(name)).is_ok())
}

/// Whether commits are being put on top of others.
pub(crate) fn is_replaying(project: &Project) -> bool {
    has_any(project, REPLAYING)
}

/// Whether anything is under way, or staged. Where git cannot tell, nothing is.
pub(crate) fn is_midway(project: &Project) -> bool {
    if project.git.is_none() {
        return false;
    }
    is_replaying(project)
        || has_any(project, UNDER_WAY)
        || staged(&project.root, None).is_ok_and(|names| !names.is_empty())
}

/// The files that a commit of what is staged would change, from the top folder. `index` is another one
/// than the work tree's own.
pub(crate) fn staged(root: &Path, index: Option<&Path>) -> Result<Vec<String>, GitError> {
    let mut command = git::command(root);
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    let args = ["diff", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff"];
    let listed = git::output(command, args, Deadline::after(git::LIMIT))?;
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

fn has_any(project: &Project, names: &[&str]) -> bool {
    let Some(git) = &project.git else { return false };
    names.iter().any(|name| look::link(git.own.join(name)).is_ok())
}
