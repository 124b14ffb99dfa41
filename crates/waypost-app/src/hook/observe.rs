//! After a tool ran: what was seen is recorded, as far as a gate cares.

use waypost_core::command::Command;
use waypost_core::evidence::{Provenance, Run, Tree};
use waypost_core::gate::engine::Action;
use waypost_core::key::sha256_hex;
use waypost_core::shell;

use super::tool::{Does, Tool, excerpt};
use super::{Answer, Call, attach, locate};
use crate::error::AppError;
use crate::host::Host;
use crate::registry::Registration;
use crate::workspace::{Workspace, agent};
use crate::{activity, facts, place};

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The harness reports success.
    Succeeded,
    /// The harness reports failure, with this status.
    Failed(i32),
    /// It was interrupted, or its status cannot be told.
    Unclear,
}

/// Records what a tool call did.
pub fn after(host: &Host, call: &Call, tool: &Tool, ended: Ended) -> Result<Answer, AppError> {
    if matches!(tool.does, Does::Read(_) | Does::Other) {
        return Ok(Answer::Silence);
    }
    let Some((workspace, registration)) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let registration = match registration {
        Some(registration) => registration,
        None => attach::late(&workspace, call)?,
    };
    match &tool.does {
        Does::Edit(path) if ended == Ended::Succeeded => {
            let state = workspace.load(&registration.session)?;
            if state.edit_matters(&call.conversation) {
                let path = workspace.project.relative(&call.cwd.join(path));
                let command = Command::ObserveEdit {
                    conversation: call.conversation.clone(),
                    tool: tool.name.clone(),
                    path,
                };
                let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
                workspace.execute(&registration.session, &actor, command)?;
            }
            Ok(Answer::Silence)
        }
        Does::Shell { command, background } => {
            after_shell(&workspace, call, tool, &registration, (command, *background, ended))
        }
        Does::Edit(_) | Does::Read(_) | Does::Other => Ok(Answer::Silence),
    }
}

fn after_shell(
    workspace: &Workspace<'_>,
    call: &Call,
    tool: &Tool,
    registration: &Registration,
    (command, background, ended): (&str, bool, Ended),
) -> Result<Answer, AppError> {
    let state = workspace.load(&registration.session)?;
    let action = Action { kinds: Vec::new(), conversation: call.conversation.clone() };
    let (_, excerpt) = excerpt(workspace, &state, &action)?;
    let analysis = shell::analyse(command);
    if analysis.is_waypost_alone() {
        return Ok(Answer::Silence);
    }
    let mut fitting = Vec::new();
    let mut why_not = None;
    for pattern in &excerpt.patterns {
        match shell::ran(&analysis, pattern) {
            Some(Ok(())) if background => {
                why_not = Some((pattern, "it runs in the background".to_owned()));
            }
            Some(Ok(())) => {
                let folder = place::folder_after(&call.cwd, &analysis);
                match folder
                    .map(|folder| place::objection(&workspace.project.root, &folder, pattern))
                {
                    Some(None) => fitting.push(pattern.clone()),
                    Some(Some(reason)) => why_not = Some((pattern, reason)),
                    None => why_not = Some((pattern, "where it ran cannot be told".to_owned())),
                }
            }
            Some(Err(reason)) => why_not = Some((pattern, reason)),
            None => {}
        }
    }
    let status = match ended {
        Ended::Succeeded => 0,
        Ended::Failed(status) => status,
        Ended::Unclear => return Ok(Answer::Silence),
    };
    if fitting.is_empty() {
        let Some((pattern, reason)) = why_not else {
            return Ok(Answer::Silence);
        };
        return Ok(Answer::Context(format!(
            "Waypost: this does not count as a run of `{pattern}`: {reason}. \
             Run it alone, or through `waypost run -- COMMAND`, which may be piped."
        )));
    }
    activity::note(workspace, &registration.session, command, status);
    let run = run(workspace, call, tool, registration, (command, fitting, status));
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    workspace.execute(&registration.session, &actor, Command::RecordRun(run))?;
    Ok(Answer::Silence)
}

fn run(
    workspace: &Workspace<'_>,
    call: &Call,
    tool: &Tool,
    registration: &Registration,
    (command, patterns, status): (&str, Vec<String>, i32),
) -> Run {
    let sha256 = sha256_hex(&[command.as_bytes()]);
    let id = tool.call.as_deref().unwrap_or_default();
    let pending =
        workspace.registry().finish(registration, id).filter(|pending| pending.sha256 == sha256);
    let seen =
        pending.as_ref().is_some_and(|pending| pending.checked) && call.is_checked(registration);
    let unseen = || Tree::Unknown("no hook saw it begin".to_owned());
    Run {
        command: shell::analyse(command)
            .commands
            .iter()
            .find_map(|simple| simple.name().map(str::to_owned))
            .unwrap_or_default(),
        sha256,
        patterns,
        status,
        tree_before: pending.map_or_else(unseen, |pending| pending.tree),
        tree_after: facts::tree(workspace),
        provenance: if seen { Provenance::Observed } else { Provenance::Reported },
    }
}
