//! Before a tool runs: may it? This is the hot path, run on every tool call.

use std::path::PathBuf;

use waypost_core::command::Command;
use waypost_core::gate::Before;
use waypost_core::gate::engine::{self, Action, Verdict};
use waypost_core::gate::policy::Excerpt;
use waypost_core::gate::ruling::{Outcome, Ruling};
use waypost_core::id::RulingId;
use waypost_core::key::sha256_hex;
use waypost_core::session::SessionState;
use waypost_core::shell::{self, Analysis};
use waypost_store::{files, policies};

use super::{Answer, Call, attach, locate, protect};
use crate::error::AppError;
use crate::facts;
use crate::host::Host;
use crate::registry::{Pending, Registration};
use crate::workspace::{Workspace, agent};

/// A tool that an agent calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The harness' name for this call.
    pub call: Option<String>,
    /// What it does.
    pub does: Does,
}

/// What a tool does, as far as gates care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Does {
    /// It reads a file.
    Read(PathBuf),
    /// It changes a file.
    Edit(PathBuf),
    /// It runs a command line.
    Shell {
        /// The command line.
        command: String,
        /// Whether it goes on in the background.
        background: bool,
    },
    /// Anything else.
    Other,
}

/// Rules on a tool call.
pub fn before(host: &Host, call: &Call, tool: &Tool) -> Result<Answer, AppError> {
    let Some((workspace, registration)) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let forbidden = match &tool.does {
        Does::Edit(path) => protect::from_writing(&workspace, &call.cwd, path),
        Does::Read(path) => protect::from_reading(&workspace, &call.cwd, path),
        Does::Shell { .. } | Does::Other => None,
    };
    if let Some(reason) = forbidden {
        return Ok(Answer::Deny(reason));
    }
    if !matches!(tool.does, Does::Read(_)) {
        // What could not be recorded afterwards does not go ahead.
        files::check_writable(workspace.log.root())?;
    }
    let registration = match registration {
        Some(registration) => registration,
        None => attach::late(&workspace, call)?,
    };
    let state = workspace.load(&registration.session)?;
    let analysis = match &tool.does {
        Does::Shell { command, .. } => Some(shell::analyse(command)),
        Does::Edit(_) | Does::Read(_) | Does::Other => None,
    };
    let action =
        Action { kinds: kinds(tool, analysis.as_ref()), conversation: call.conversation.clone() };
    let (hash, excerpt) = excerpt(&workspace, &state, &action)?;
    let is_own = analysis.as_ref().is_some_and(Analysis::is_waypost_alone);
    if !excerpt.gates.is_empty() && !is_own {
        let answer = rule(&workspace, call, &registration, &state, &excerpt, (hash, action))?;
        if answer != Answer::Silence {
            return Ok(answer);
        }
    }
    if let (Some(analysis), false) = (&analysis, is_own) {
        note_run(&workspace, call, tool, &registration, (analysis, &excerpt.patterns))?;
    }
    Ok(Answer::Silence)
}

/// The policy that is pinned for the conversation, as far as the action needs it.
pub(super) fn excerpt(
    workspace: &Workspace<'_>,
    state: &SessionState,
    action: &Action,
) -> Result<(String, Excerpt), AppError> {
    let known = state.conversations.get(&action.conversation);
    let hash = known.and_then(|known| known.policy.clone()).ok_or_else(|| {
        AppError::refused("no policy is pinned for this conversation")
            .hint("the user's next prompt pins one")
    })?;
    let excerpt = policies::excerpt(workspace.log.root(), &hash, &action.kinds)?;
    Ok((hash, excerpt))
}

fn kinds(tool: &Tool, analysis: Option<&Analysis>) -> Vec<Before> {
    let mut kinds = Vec::new();
    if matches!(tool.does, Does::Edit(_)) || analysis.is_some_and(|found| found.opaque.is_some()) {
        kinds.push(Before::Edit);
    }
    if analysis.is_some_and(Analysis::commits) {
        kinds.push(Before::Commit);
    }
    if analysis.is_some_and(Analysis::pushes) {
        kinds.push(Before::Push);
    }
    kinds.push(Before::Tool(tool.name.clone()));
    kinds
}

fn rule(
    workspace: &Workspace<'_>,
    call: &Call,
    registration: &Registration,
    state: &SessionState,
    excerpt: &Excerpt,
    (hash, action): (String, Action),
) -> Result<Answer, AppError> {
    let facts = facts::gather(workspace, &engine::needs(&excerpt.gates, state, &action));
    let verdict = engine::rule(excerpt.enforcement, &excerpt.gates, state, &facts, &action);
    let outcome = verdict.outcome;
    if outcome == Outcome::Allow {
        return Ok(Answer::Silence);
    }
    let ruling = ruling(workspace, verdict, state, facts, (hash, action))?;
    let text = ruling.for_agent();
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    workspace.execute(&registration.session, &actor, Command::Rule(ruling))?;
    Ok(if outcome == Outcome::Deny { Answer::Deny(text) } else { Answer::Context(text) })
}

/// Gives a verdict its name and everything that it depended on.
pub(super) fn ruling(
    workspace: &Workspace<'_>,
    verdict: Verdict,
    state: &SessionState,
    facts: waypost_core::gate::engine::Facts,
    (policy, action): (String, Action),
) -> Result<Ruling, AppError> {
    Ok(Ruling {
        id: RulingId::new(workspace.host.random()?),
        action,
        outcome: verdict.outcome,
        gave_way: verdict.gave_way,
        stop_block: verdict.stop_block,
        policy,
        state_version: state.version,
        facts,
        findings: verdict.findings,
    })
}

/// If a gate waits for this command: what the work tree is before it runs.
fn note_run(
    workspace: &Workspace<'_>,
    call: &Call,
    tool: &Tool,
    registration: &Registration,
    (analysis, patterns): (&Analysis, &[String]),
) -> Result<(), AppError> {
    let (Does::Shell { command, background: false }, Some(id)) = (&tool.does, &tool.call) else {
        return Ok(());
    };
    if !patterns.iter().any(|pattern| matches!(shell::ran(analysis, pattern), Some(Ok(())))) {
        return Ok(());
    }
    let pending = Pending {
        checked: call.is_checked(registration),
        sha256: sha256_hex(&[command.as_bytes()]),
        tree: facts::tree(workspace),
    };
    workspace.registry().begin(registration, id, &pending)
}
