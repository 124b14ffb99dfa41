//! What git tells its `reference-transaction` hook: every change of a branch, before and after it is made.
//!
//! Changes that were made are noted. A change that is about to be made is refused in one case alone: an agent gives a
//! branch a commit that is new, that a must-gate stands before, and that nothing proves. Whatever cannot be told is let
//! go ahead, and so is everything that git does in several steps, where a refusal would leave half of it behind: the
//! end of the turn finds those. It never changes the repository.

use std::path::Path;

use waypost_core::command::Command;
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::{Before, Level};
use waypost_store::look;

use crate::error::AppError;
use crate::machine::called_in::CalledIn;
use crate::machine::git::{self, Deadline};
use crate::machine::git_caller::{self, GitCommand};
use crate::machine::git_midway;
use crate::machine::host::Host;
use crate::machine::process;
use crate::machine::project::{self, Project};
use crate::rulings::judge::Rules;
use crate::rulings::new_commits;
use crate::view::refs::{self, Doer, RefChange};
use crate::view::registry::{Registration, Registry};
use crate::view::{View, agent};

/// Git commands that put a commit on a branch and do nothing else before: refusing them leaves nothing half done.
const WHOLE: &[&str] = &["commit", "receive-pack", "update-ref"];
/// Git commands of several steps, which call the ones above for some of them.
const IN_STEPS: &[&str] = &[
    "am",
    "bisect",
    "checkout",
    "cherry-pick",
    "clone",
    "fetch",
    "filter-branch",
    "filter-repo",
    "lfs",
    "merge",
    "p4",
    "pull",
    "quiltimport",
    "rebase",
    "replay",
    "reset",
    "revert",
    "stash",
    "submodule",
    "subtree",
    "svn",
    "switch",
    "worktree",
];

/// How many commits are looked at that come onto a branch at once.
const MAX_COMMITS: usize = 200;

/// Notes changes that were made in a repository which Waypost keeps.
pub fn made<'c>(host: &Host, place: &CalledIn, changes: impl Iterator<Item = RefChange<'c>>) {
    let command = git_caller::nearest();
    let from_here = command.as_ref().is_some_and(|command| takes_from(host, place, command));
    let conversation = conversation(host);
    let terminal = || process::terminal(std::process::id());
    let terminal = if conversation.is_none() { terminal() } else { None };
    let doer = Doer {
        by: command.map(|command| command.name).unwrap_or_default(),
        from_here,
        worktree: place.worktree.clone(),
        conversation,
        terminal,
    };
    refs::note(&host.state_dir, &place.store(), &doer, changes);
}

/// The conversation whose agent called git, by the environment, else by the processes above.
fn conversation(host: &Host) -> Option<String> {
    if let Some((_, conversation)) = &host.conversation {
        return Some(conversation.to_string());
    }
    if !Registry::knows_process_above(&host.state_dir) {
        return None;
    }
    let ring = host.keyring().ok()?;
    let found = Registry::new(&host.state_dir, &ring).above(|_| true)?;
    Some(found.conversation.to_string())
}

/// Whether a command takes what it brings from the repository that it brings it to.
fn takes_from(host: &Host, place: &CalledIn, command: &GitCommand) -> bool {
    let Some(source) =
        command.object().filter(|_| matches!(command.name.as_str(), "fetch" | "pull"))
    else {
        return false;
    };
    let source = Path::new(source.strip_prefix("file://").unwrap_or(source));
    let Ok(source) = look::real(host.cwd.join(source)) else { return false };
    let own = [Some(place.common.clone()), Some(place.own.clone()), place.root()];
    own.into_iter().flatten().any(|own| look::real(own).is_ok_and(|own| own == source))
}

/// Why changes may not be made; none if nothing is known that speaks against them. `begin` is called before anything
/// that may take long.
pub fn objection<'c>(
    host: &Host,
    place: &CalledIn,
    changes: impl Iterator<Item = RefChange<'c>>,
    begin: fn(),
) -> Option<String> {
    let new: Vec<&str> = changes.filter(RefChange::gives_branch).map(|change| change.new).collect();
    if new.is_empty() || !is_agent(host) || git_midway::has_begun(&place.own) {
        return None;
    }
    let commands = git_caller::commands();
    let (nearest, others) = commands.split_first()?;
    let is = |command: &GitCommand, known: &[&str]| known.contains(&command.name.as_str());
    if !is(nearest, WHOLE) || others.iter().any(|one| is(one, IN_STEPS)) {
        return None;
    }
    begin();
    // What cannot be told is no reason to stop anybody here.
    look_closer(host, place, nearest, &new).ok().flatten()
}

/// Whether an agent may be calling, as cheaply as that can be told.
fn is_agent(host: &Host) -> bool {
    host.conversation.is_some() || Registry::knows_process_above(&host.state_dir)
}

fn look_closer(
    host: &Host,
    place: &CalledIn,
    command: &GitCommand,
    new: &[&str],
) -> Result<Option<String>, AppError> {
    let Some(project) = place.root().map(|root| project::find(&root)).transpose()?.flatten() else {
        return Ok(None);
    };
    if !project.is_initialised() {
        return Ok(None);
    }
    let view = View::with(host, project, host.keyring()?);
    let Some(registration) = caller(&view) else { return Ok(None) };
    if !has_gate(&view, &registration)? {
        return Ok(None);
    }
    let commits = if command.name == "commit" {
        new.iter().map(|&commit| commit.to_owned()).collect()
    } else {
        on_no_branch(&view, new)?
    };
    let Some(ruling) = new_commits::objection(&view, &registration, &commits)? else {
        return Ok(None);
    };
    let text = ruling.for_agent(registration.voice());
    let actor = agent(&registration.harness, &registration.conversation, None);
    view.execute(&registration.session, &actor, Command::Rule(ruling))?;
    Ok(Some(text))
}

/// The conversation that calls, wherever in this repository it began.
fn caller(view: &View<'_>) -> Option<Registration> {
    let here = |found: &Registration| {
        let project = |root: &Path| project::find(root).ok().flatten();
        found.root == view.project.root
            || project(&found.root).is_some_and(|other: Project| other.store == view.project.store)
    };
    let named = view.host.conversation.as_ref();
    let named = named.and_then(|(harness, id)| view.registered(harness, id).ok().flatten());
    let named = named.filter(here);
    let lives = named.as_ref().is_some_and(|named| named.process.is_some());
    if lives { named } else { view.registry().above(here).or(named) }
}

/// Whether anything could hold a commit of the conversation.
fn has_gate(view: &View<'_>, registration: &Registration) -> Result<bool, AppError> {
    let state = view.load(&registration.session)?;
    let hash = if registration.root == view.project.root {
        view.policy_for_call(&state, registration)?
    } else {
        view.policy_for(&state, &registration.conversation)?.hash.clone()
    };
    let excerpt = view.excerpt(&hash, &[Before::Commit], ActionParts::default())?;
    let rules = Rules::of_excerpt(excerpt, &registration.session, &state);
    Ok(rules.gates.iter().any(|gate| gate.level == Level::Must))
}

/// Those of the commits, and of what they stand on, that are on no branch, no remote's either, and under no tag.
fn on_no_branch(view: &View<'_>, new: &[&str]) -> Result<Vec<String>, AppError> {
    let most = format!("--max-count={MAX_COMMITS}");
    let args = ["rev-list", &most].into_iter().chain(new.iter().copied());
    let args = args.chain(["--not", "--branches", "--remotes", "--tags"]);
    let deadline = Deadline::after(git::LIMIT);
    let listed = git::output(git::command(&view.project.root), args, deadline)
        .map_err(|error| AppError::refused(error.to_string()).because(error))?;
    let listed = String::from_utf8_lossy(&listed);
    Ok(listed.lines().map(str::to_owned).collect())
}
