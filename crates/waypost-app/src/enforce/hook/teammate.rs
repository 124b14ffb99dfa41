//! Those who work beside an agent, with conversations of their own: what they did is an invocation too.

use waypost_core::command::{Command, Completion, OrchestrationCommand};
use waypost_core::event::AgentInvoked;
use waypost_core::text::{one_line, shortened};

use super::{Call, locate};
use crate::error::AppError;
use crate::machine::host::Host;
use crate::view::agent;

/// What the agent is called that keeps a list of tasks of its own.
const ITSELF: &str = "orchestrator";

/// A task is done, or a teammate has nothing more to do.
pub fn worked(
    host: &Host,
    call: &Call,
    teammate: Option<&str>,
    task: Option<&str>,
) -> Result<(), AppError> {
    let Some((view, Some(registration))) = locate(host, call)? else { return Ok(()) };
    let named = teammate.or(call.agent_type.as_deref()).filter(|name| !name.trim().is_empty());
    let name = shortened(&one_line(named.unwrap_or(ITSELF)), 60);
    let state = view.load(&registration.session)?;
    if state.lifecycle.is_over() {
        return Ok(());
    }
    let is_open = state.orchestration.latest_open(&name).is_some();
    let about = task.map(|task| shortened(&one_line(task), 400)).filter(|task| !task.is_empty());
    let (prompt, summary) = match (task, about) {
        (Some(_), about) => {
            let about = about.unwrap_or_else(|| "a task".to_owned());
            (Some(about.clone()), format!("done: {about}"))
        }
        // Whoever is idle has only done something if it was given something.
        (None, _) if !is_open => return Ok(()),
        (None, _) => (None, "nothing more to do".to_owned()),
    };
    let invoke = prompt.filter(|_| !is_open).map(|prompt| {
        OrchestrationCommand::Invoke(AgentInvoked {
            agent: name.clone(),
            prompt,
            context: serde_json::Map::new(),
            artifacts: Vec::new(),
            handoff_from: None,
        })
    });
    let complete = Completion { agent: name.clone(), summary, ..Completion::default() };
    let commands = invoke.into_iter().chain([OrchestrationCommand::Complete(complete)]);
    let actor = agent(call.harness, &call.conversation, call.subagent.as_deref());
    let commands = commands.map(|command| Command::Orchestrate(Box::new(command)));
    view.execute_all(&registration.session, &actor, commands.collect::<Vec<_>>())?;
    Ok(())
}
