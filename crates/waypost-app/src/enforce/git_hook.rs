//! What git's own hooks ask before a commit or a push: the second line, for what no harness' hook saw.
//!
//! The same gates rule as for an agent's tool call, and the ruling is recorded in the same way. It
//! never runs a hook itself, and never changes the index.

use std::path::Path;

use waypost_core::gate::Gate;
use waypost_core::gate::action::Action;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::Outcome;
use waypost_core::text::one_line;

use crate::error::AppError;
use crate::machine::git_midway;
use crate::machine::host::Host;
use crate::machine::project::{self, Project};
use crate::rulings::judge;
use crate::sessions::begin::Begin;
use crate::setup::init::git_hooks::GitHook;
use crate::view::{Session, View};

/// What git is told.
#[derive(Debug, Default)]
pub struct GitHookAnswer {
    /// Why it may not go on.
    pub held: Option<String>,
    /// What somebody should know.
    pub warnings: Vec<String>,
}

/// Rules on what git is about to do. `index` is the one that git names for the commit.
pub fn ask(host: &Host, hook: GitHook, index: Option<&Path>) -> Result<GitHookAnswer, AppError> {
    let Some(project) = project::find(&host.cwd)?.filter(Project::is_initialised) else {
        return Ok(GitHookAnswer::default());
    };
    let view = View::with(host, project, host.keyring()?);
    let calling = view.calling_conversation();
    let in_force = view.policy_for_caller()?;
    let (policy, mut warnings) = (Policy::clone(&in_force.policy), in_force.warnings.clone());
    let standing = |gate: &&Gate| gate.before.contains(&hook.before());
    let mut gates = policy.gates.iter().filter(standing).peekable();
    if gates.peek().is_none() {
        return Ok(GitHookAnswer { held: None, warnings });
    }
    let asks_for_paths = gates.any(|gate| gate.when.paths.is_some());
    let session = match &calling {
        Some(calling) => view.session(Some(calling.session.as_str()))?,
        None => session_here(&view)?,
    };
    let hash = in_force.hash.clone();
    let conversation = match &calling {
        Some(calling) => calling.conversation.clone(),
        None => session.state.latest_conversation(),
    };
    let mut action = Action::new(vec![hook.before()], conversation);
    if hook == GitHook::PreCommit && asks_for_paths {
        action.paths = staged(&view, index)?;
    }
    let voice = view.voice();
    let ruling = judge::settle(&view, &session, hash, policy, action)?;
    let mut held = None;
    if let Some(ruling) = ruling {
        match ruling.outcome {
            Outcome::Deny => held = Some(ruling.for_agent(voice)),
            Outcome::Warn | Outcome::Allow => warnings.push(ruling.for_agent(voice)),
        }
    }
    Ok(GitHookAnswer { held, warnings })
}

/// The active session that a person's commit belongs to: one of this branch rather than another, the
/// one where something happened last. Where there is none, a new one without a name.
fn session_here(view: &View<'_>) -> Result<Session, AppError> {
    let branch = view.branch();
    let best = view
        .active_sessions()?
        .into_iter()
        .max_by_key(|entry| (entry.branch == branch, entry.updated_at));
    if let Some(best) = best {
        return view.session(Some(best.id.as_str()));
    }
    let id = view.start(&view.actor(), &Begin::default())?;
    let state = view.load(&id)?;
    Ok(Session { id, state })
}

/// The files that the commit would change.
fn staged(view: &View<'_>, index: Option<&Path>) -> Result<Vec<String>, AppError> {
    // Git names it as seen from the folder that it calls its hooks in.
    let index = index.map(|index| view.host.cwd.join(index));
    let listed = git_midway::staged(&view.project.root, index.as_deref()).map_err(|error| {
        AppError::refused(format!("the staged files cannot be told: {error}"))
            .because(error)
            .hint("see what `git diff --cached --name-only` says, then commit again")
    })?;
    Ok(listed.iter().map(|name| one_line(name)).collect())
}
