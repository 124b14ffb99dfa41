//! The commits that a branch adds, as far as the checkout has them. A shallow one may know no base.

use serde::Serialize;
use waypost_core::text::{one_line, shortened};

use crate::error::AppError;
use crate::machine::git::{self, Deadline};
use crate::view::View;

/// Where the default branch may be found, the surest first.
const DEFAULTS: [&str; 5] = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];
/// No more commits than this are named.
const MAX_COMMITS: &str = "--max-count=1000";

/// The commits that a branch adds.
#[derive(Debug, Default, Serialize)]
pub struct Range {
    /// The commit where they begin; none if it cannot be told.
    pub base: Option<String>,
    /// How many there are that change more than published copies.
    pub commits: usize,
    /// Those that no session recorded.
    pub unrecorded: Vec<Commit>,
    /// The files that they change; none if it cannot be told.
    pub files: Option<Vec<String>>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// Its hash.
    pub sha: String,
    /// The first line of its message.
    pub subject: String,
}

/// The commits since `base`, or since the branch left the default one. `recorded` are the hashes that
/// sessions know.
pub(super) fn of(
    view: &View<'_>,
    base: Option<&str>,
    recorded: &[String],
) -> Result<Range, AppError> {
    if view.project.git.is_none() {
        return Ok(Range::default());
    }
    let base = match base {
        Some(named) => Some(merge_base(view, named).ok_or_else(|| {
            let named = shortened(&one_line(named), 80);
            AppError::configuration(format!("HEAD and `{named}` have no commit in common here"))
                .hint("fetch it, and enough of the history: git fetch --unshallow origin")
        })?),
        None => DEFAULTS.iter().find_map(|branch| merge_base(view, branch)),
    };
    let Some(base) = base else {
        return Ok(Range::default());
    };
    let sessions = format!(":(exclude,top){}", view.sessions_dir());
    let span = format!("{base}..HEAD");
    let log = ["log", "-z", "--format=%H %s", MAX_COMMITS, &span, "--", ".", &sessions];
    let commits: Vec<Commit> = listed(view, &log)?.iter().map(|line| commit(line)).collect();
    let diff = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", &base, "HEAD"];
    let files = listed(view, &[&diff[..], &["--", ".", &sessions]].concat())?;
    let is_new = |commit: &&Commit| !recorded.contains(&commit.sha);
    let unrecorded = commits.iter().filter(is_new).cloned().collect();
    Ok(Range { base: Some(base), commits: commits.len(), unrecorded, files: Some(files) })
}

fn commit(line: &str) -> Commit {
    let (sha, subject) = line.split_once(' ').unwrap_or((line, ""));
    Commit { sha: sha.to_owned(), subject: shortened(&one_line(subject), 100) }
}

fn merge_base(view: &View<'_>, named: &str) -> Option<String> {
    if named.is_empty() || named.starts_with('-') {
        return None;
    }
    listed(view, &["merge-base", "HEAD", named]).ok()?.pop()
}

/// What git lists, an entry a line or between zero bytes.
fn listed(view: &View<'_>, args: &[&str]) -> Result<Vec<String>, AppError> {
    let command = git::command(&view.project.root);
    let listed = git::output(command, args, Deadline::after(git::LIMIT)).map_err(|error| {
        AppError::refused(format!("the commits cannot be told: {error}"))
            .because(error)
            .hint("see that git works in this checkout: git log -1")
    })?;
    let text = String::from_utf8_lossy(&listed);
    let entries = text.split(['\0', '\n']).filter(|entry| !entry.is_empty());
    Ok(entries.map(str::to_owned).collect())
}
