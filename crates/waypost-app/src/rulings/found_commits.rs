//! Which commits came to be since a conversation's turn began, and are its own, told by facts: what its repository's
//! branches name now and named then, git's own logs, what git's hook noted, and when the conversation's calls ran.
//!
//! A commit that was fetched is not new, one that was pushed still is, and one that somebody else made while nothing
//! of the conversation ran is not its own. Nothing is recorded here.

use std::collections::BTreeSet;

use waypost_core::gate::action::NewCommit;
use waypost_core::id::ConversationId;
use waypost_core::session::SessionState;

use crate::machine::git::{self, Deadline, GitError};
use crate::machine::git_refs::{self, LogEntry, Ref};
use crate::machine::project::Project;
use crate::view::View;
use crate::view::calls::Calls;
use crate::view::refs::{RefUpdate, RefUpdates};
use crate::view::registry::Registration;
use crate::view::tips::{self, Tips};

/// How many commits of a branch are looked at.
const MAX_COMMITS: usize = 200;
/// How many branches.
const MAX_BRANCHES: usize = 64;
const SECOND: u64 = 1_000_000_000;

/// Commits that came to be on one branch, in the work tree where they are best looked at.
#[derive(Debug)]
pub struct OnBranch {
    /// The work tree in which the branch is checked out; the conversation's own where none is.
    pub project: Project,
    /// The commits, the newest first.
    pub commits: Vec<NewCommit>,
}

/// The commits that came to be since the turn began, by the branches that they are on now.
pub fn since_turn(
    view: &View<'_>,
    registration: &Registration,
    state: &SessionState,
) -> Result<Vec<OnBranch>, GitError> {
    if view.project.git.is_none() {
        return Ok(Vec::new());
    }
    let deadline = Deadline::after(git::LIMIT);
    let refs = git_refs::all(&view.project, deadline)?;
    let then = tips::known(view, registration).unwrap_or_else(|| stand_in(state, &refs));
    let known: BTreeSet<&str> = then.ids.iter().map(String::as_str).collect();
    let moved: Vec<&Ref> = refs
        .iter()
        .filter(|one| one.branch().is_some() && !known.contains(one.id.as_str()))
        .take(MAX_BRANCHES)
        .collect();
    if moved.is_empty() {
        return Ok(Vec::new());
    }
    let history = History::of(view, &refs, &then, &known);
    let fetched = history.fetched();
    let without: Vec<&str> =
        known.iter().copied().chain(fetched.iter().map(String::as_str)).collect();
    let owner = Owner::of(view, &registration.conversation, &history);
    let (mut found, mut told) = (Vec::new(), BTreeSet::new());
    for branch in moved {
        let from = [branch.id.as_str()];
        let new = git_refs::commits(&view.project, &from, &without, MAX_COMMITS, deadline)?;
        let new: Vec<String> =
            new.into_iter().filter(|sha| owner.may_have_made(sha) && !told.contains(sha)).collect();
        told.extend(new.iter().cloned());
        if !new.is_empty() {
            found.push(on_branch(view, &history.projects, branch, new));
        }
    }
    Ok(found)
}

fn on_branch(view: &View<'_>, projects: &[Project], branch: &Ref, new: Vec<String>) -> OnBranch {
    let name = branch.branch().unwrap_or_default();
    let is_out = |project: &&Project| git_refs::checked_out(project).as_deref() == Some(name);
    let here = projects.iter().find(is_out);
    let not_here = here.is_none().then(|| name.to_owned());
    let commits = new.into_iter().map(|sha| NewCommit {
        sha,
        tip: Some(branch.id.clone()),
        branch: not_here.clone(),
    });
    let project = here.unwrap_or(&view.project).clone();
    OnBranch { project, commits: commits.collect() }
}

/// What is taken for the beginning where nobody knows it any more: what the session began with, and what others have.
fn stand_in(state: &SessionState, refs: &[Ref]) -> Tips {
    let others = refs.iter().filter(|one| one.branch().is_none()).map(|one| one.id.clone());
    let own = state.commit.iter().chain(&state.commits).cloned();
    let mut ids: Vec<String> = own.chain(others).collect();
    // Without a beginning nothing can be told to be new.
    if state.commit.is_none() {
        ids.extend(refs.iter().map(|one| one.id.clone()));
    }
    Tips { at: 0, ids }
}

/// What is known of how refs came to be what they are.
struct History {
    projects: Vec<Project>,
    /// What git's hook noted.
    noted: Vec<RefUpdate>,
    /// What git's logs say of what was checked out.
    heads: Vec<LogEntry>,
    /// What was fetched, as far as refs and logs tell.
    brought: Vec<String>,
}

impl History {
    fn of(view: &View<'_>, refs: &[Ref], then: &Tips, known: &BTreeSet<&str>) -> Self {
        let projects = view.project.work_trees();
        let noted = RefUpdates::since(view, then.at);
        let heads: Vec<LogEntry> = projects.iter().flat_map(git_refs::head_log).collect();
        let mut brought: Vec<String> =
            projects.iter().flat_map(|project| git_refs::fetched_last(project, then.at)).collect();
        let moved = refs.iter().filter(|one| !known.contains(one.id.as_str()));
        for one in moved {
            let noted = noted.iter().filter(|update| update.name == one.name);
            let mut noted = noted.filter(|update| update.new.as_ref() == Some(&one.id)).peekable();
            let is_fetched = if noted.peek().is_some() {
                noted.any(RefUpdate::is_fetch)
            } else {
                is_fetched_by_log(&view.project, one)
            };
            if is_fetched {
                brought.push(one.id.clone());
            }
        }
        Self { projects, noted, heads, brought }
    }

    /// What was fetched and was not made here before.
    fn fetched(&self) -> Vec<String> {
        let made: BTreeSet<&str> = self
            .heads
            .iter()
            .filter(|entry| entry.is_made())
            .map(|entry| entry.new.as_str())
            .collect();
        self.brought.iter().filter(|id| !made.contains(id.as_str())).cloned().collect()
    }

    /// When a commit was put where it is, and by which conversation, as far as that is known: from when to when.
    fn made_at(&self, commit: &str) -> Option<(u64, u64, Option<&str>)> {
        let noted = self.noted.iter().find(|update| update.new.as_deref() == Some(commit));
        if let Some(update) = noted {
            return Some((update.at, update.at, update.conversation.as_deref()));
        }
        let entry = self.heads.iter().find(|entry| entry.new == commit)?;
        let from = entry.at.saturating_mul(SECOND);
        Some((from, from.saturating_add(SECOND), None))
    }
}

/// Whether git's log says that it came from elsewhere. A remote branch of which it keeps none did.
fn is_fetched_by_log(project: &Project, one: &Ref) -> bool {
    match git_refs::log(project, &one.name) {
        Some(log) => {
            let last = log.iter().rev().find(|entry| entry.new == one.id);
            last.is_some_and(LogEntry::is_fetch)
        }
        None => one.name.starts_with("refs/remotes/"),
    }
}

/// Whose commits are: the conversation's, unless somebody else is known to have made them.
struct Owner<'a> {
    conversation: String,
    calls: Vec<Calls>,
    history: &'a History,
}

impl<'a> Owner<'a> {
    fn of(view: &View<'_>, conversation: &ConversationId, history: &'a History) -> Self {
        let calls = history.projects.iter();
        let calls =
            calls.map(|project| view.within(project, || Calls::of(view, conversation))).collect();
        Self { conversation: conversation.to_string(), calls, history }
    }

    fn may_have_made(&self, commit: &str) -> bool {
        let Some((from, to, by)) = self.history.made_at(commit) else { return true };
        if let Some(by) = by {
            return by == self.conversation;
        }
        // Where nothing is known of its calls, nothing is given to others.
        let knows = self.calls.iter().any(Calls::knows_any);
        !knows || self.calls.iter().any(|calls| calls.ran_between(from, to))
    }
}
