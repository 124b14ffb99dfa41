//! Which commits came to be since a conversation's turn began, and are its own, told by facts: what its repository's
//! branches name now and named then, git's own logs, what git's hook noted, and when the conversation's calls ran.
//!
//! A commit that was fetched is not new, one that was pushed still is, and one that somebody else made while nothing
//! of the conversation ran is not its own. Nothing is recorded here.

use std::collections::{BTreeMap, BTreeSet};

use waypost_core::gate::action::NewCommit;
use waypost_core::session::SessionState;

use crate::machine::git::{self, Deadline, GitError};
use crate::machine::git_refs::{self, LogEntry, Ref};
use crate::machine::process;
use crate::machine::project::Project;
use crate::view::View;
use crate::view::calls::Calls;
use crate::view::refs::{RefUpdate, RefUpdates};
use crate::view::registry::Registration;
use crate::view::tips::{self, Tips};

/// How many commits of a branch are looked at, and how many of them that changed something.
const MAX_LISTED: usize = 20_000;
const MAX_COMMITS: usize = 2000;
/// How many that changed nothing against their parents: of these, only that they are there is asked.
const MAX_EMPTY: usize = 50;
/// How many branches.
const MAX_BRANCHES: usize = 1000;
const SECOND: u64 = 1_000_000_000;

/// Commits that came to be on one branch, in the work tree where they are best looked at.
#[derive(Debug)]
pub struct OnBranch {
    /// The work tree in which the branch is checked out; the conversation's own where none is.
    pub project: Project,
    /// The commits, those that changed something first, the newest of both first.
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
    let known: BTreeSet<&str> = then.ids.iter().chain(&then.tags).map(String::as_str).collect();
    let moved = refs.iter().filter(|one| one.branch().is_some());
    let moved = moved.filter(|one| !known.contains(one.id.as_str())).take(MAX_BRANCHES);
    let moved: Vec<&Ref> = moved.collect();
    if moved.is_empty() {
        return Ok(Vec::new());
    }
    let history = History::of(view, &refs, &then, &known);
    let owner = Owner::of(view, registration, &history, then.at);
    let listing = Listing { view, history: &history, known: &known, deadline };
    let (mut found, mut by_tip) = (Vec::new(), BTreeMap::<&str, Vec<String>>::new());
    for branch in moved {
        // A commit may be on several branches, and gates may be about one of them.
        let new = if let Some(known) = by_tip.get(branch.id.as_str()) {
            known.clone()
        } else {
            let mut new = listing.new_on(branch)?;
            new.retain(|sha| owner.may_have_made(sha));
            by_tip.insert(&branch.id, new.clone());
            new
        };
        if !new.is_empty() {
            let changed = view.place().trees(view).changed_by(&new)?;
            let is_empty = |sha: &String| changed.get(sha).is_some_and(Vec::is_empty);
            found.push(on_branch(view, &history.projects, branch, new, is_empty));
        }
    }
    Ok(found)
}

/// Lists what is new.
struct Listing<'a> {
    view: &'a View<'a>,
    history: &'a History,
    known: &'a BTreeSet<&'a str>,
    deadline: Deadline,
}

impl Listing<'_> {
    /// The commits of a branch that nothing led to, without what was fetched; what was made here is new all the same.
    fn new_on(&self, branch: &Ref) -> Result<Vec<String>, GitError> {
        let list = |without: &[&str]| {
            let from = [branch.id.as_str()];
            git_refs::commits(&self.view.project, &from, without, MAX_LISTED, self.deadline)
        };
        let known: Vec<&str> = self.known.iter().copied().collect();
        let brought = &self.history.brought;
        let mut all = list(&known)?;
        if brought.is_empty() {
            return Ok(all);
        }
        let without: Vec<&str> =
            known.iter().copied().chain(brought.iter().map(String::as_str)).collect();
        let not_brought: BTreeSet<String> = list(&without)?.into_iter().collect();
        let made = self.history.made();
        all.retain(|sha| not_brought.contains(sha) || made.contains(sha.as_str()));
        Ok(all)
    }
}

fn on_branch(
    view: &View<'_>,
    projects: &[Project],
    branch: &Ref,
    new: Vec<String>,
    is_empty: impl Fn(&String) -> bool,
) -> OnBranch {
    let name = branch.branch().unwrap_or_default();
    let is_out = |project: &&Project| git_refs::checked_out(project).as_deref() == Some(name);
    let here = projects.iter().find(is_out);
    let commit = |sha: String| NewCommit {
        sha,
        tip: Some(branch.id.clone()),
        branch: Some(name.to_owned()),
        away: here.is_none(),
    };
    let (empty, mut commits): (Vec<String>, Vec<String>) = new.into_iter().partition(is_empty);
    commits.truncate(MAX_COMMITS);
    let commits = commits.into_iter().chain(empty.into_iter().take(MAX_EMPTY)).map(commit);
    OnBranch { project: here.unwrap_or(&view.project).clone(), commits: commits.collect() }
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
    Tips { at: 0, ids, tags: Vec::new() }
}

/// What is known of how refs came to be what they are.
struct History {
    projects: Vec<Project>,
    /// What git's hook noted.
    noted: Vec<RefUpdate>,
    /// What git's logs say of what was checked out since the turn began, each with its work tree.
    heads: Vec<(usize, LogEntry)>,
    /// What was fetched, as far as refs and logs tell.
    brought: Vec<String>,
}

impl History {
    fn of(view: &View<'_>, refs: &[Ref], then: &Tips, known: &BTreeSet<&str>) -> Self {
        let projects = view.project.work_trees();
        let noted = RefUpdates::since(view, then.at);
        let since = then.at / SECOND;
        let heads = projects.iter().enumerate().flat_map(|(number, project)| {
            let log = git_refs::head_log(project).into_iter();
            log.filter(|entry| entry.at >= since).map(move |entry| (number, entry))
        });
        let heads: Vec<(usize, LogEntry)> = heads.collect();
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
        let made: BTreeSet<String> = made_in(&heads).map(str::to_owned).collect();
        brought.retain(|id| !made.contains(id));
        Self { projects, noted, heads, brought }
    }

    /// What was made here since the turn began, as far as git's logs tell.
    fn made(&self) -> BTreeSet<&str> {
        made_in(&self.heads).collect()
    }
}

fn made_in(heads: &[(usize, LogEntry)]) -> impl Iterator<Item = &str> {
    heads.iter().filter(|(_, entry)| entry.is_made()).map(|(_, entry)| entry.new.as_str())
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
    /// The conversation's calls, by work tree.
    calls: Vec<Calls>,
    history: &'a History,
    /// The terminal of the conversation's client.
    terminal: Option<u64>,
    /// Whether anything is known of what the conversation did in this turn.
    knows: bool,
    /// The commits that other sessions recorded.
    of_others: BTreeSet<String>,
}

impl<'a> Owner<'a> {
    fn of(view: &View<'_>, registration: &Registration, history: &'a History, since: u64) -> Self {
        let calls = history
            .projects
            .iter()
            .map(|project| view.within(project, || Calls::of(view, &registration.conversation)));
        let calls: Vec<Calls> = calls.collect();
        let knows = since > 0 && calls.iter().any(|calls| calls.knows_since(since));
        let terminal = registration.process.and_then(|process| process::terminal(process.pid));
        let of_others = recorded_by_others(view, registration);
        Self { calls, history, terminal, knows, of_others }
    }

    fn may_have_made(&self, commit: &str) -> bool {
        if self.of_others.contains(commit) {
            return false;
        }
        let noted = self.history.noted.iter().find(|one| one.new.as_deref() == Some(commit));
        if let Some(update) = noted {
            return match &update.conversation {
                Some(by) => self.calls.iter().any(|calls| calls.is_about(by)),
                // A person at another terminal than the client's.
                None if update.terminal.is_some() && update.terminal != self.terminal => false,
                None => {
                    !self.knows
                        || self.calls.iter().any(|calls| calls.ran_between(update.at, update.at))
                }
            };
        }
        let Some((place, entry)) = self.history.heads.iter().find(|(_, one)| one.new == commit)
        else {
            // Nobody knows when it was made: whoever ran nothing made nothing.
            return !self.knows || self.calls.iter().any(Calls::ran_any);
        };
        let (from, to) =
            (entry.at.saturating_mul(SECOND), entry.at.saturating_add(1).saturating_mul(SECOND));
        let there = self.calls.get(*place);
        if !self.knows || there.is_some_and(|calls| calls.ran_between(from, to)) {
            return true;
        }
        // A call may have gone there without saying so, unless somebody else was at work there.
        let is_others = there.is_some_and(|calls| calls.others_ran_between(from, to));
        !is_others && self.calls.iter().any(|calls| calls.ran_between(from, to))
    }
}

/// The commits that other sessions at work recorded.
fn recorded_by_others(view: &View<'_>, own: &Registration) -> BTreeSet<String> {
    let Ok(index) = view.index() else { return BTreeSet::new() };
    let others = index.open.iter().filter(|entry| entry.attached > 0 && entry.id != own.session);
    let states = others.filter_map(|entry| view.glance(&entry.id).ok());
    states.flat_map(|state| state.commits.clone()).collect()
}
