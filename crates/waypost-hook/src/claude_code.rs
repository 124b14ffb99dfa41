//! Claude Code: its events, its tools, its answers.

mod mcp;
mod render;
mod tools;

use std::path::{Path, PathBuf};
use std::time::Duration;

use waypost_app::error::AppError;
use waypost_app::hook::{Answer, Call, attach, observe, stop, subagent, tool, turn};
use waypost_app::{deadline, init, project};

use crate::input::{self, Input};
use crate::{Output, Setting};
use render::Event;

const HARNESS: &str = "claude-code";
/// Claude Code reports the end of background tasks as prompts; no human wrote those.
const NOTIFICATION: &str = "<task-notification>";

/// Answers one event.
pub fn answer(setting: &Setting, bytes: &[u8], complete: bool) -> Output {
    let (text, broken) = input::text(bytes);
    let (input, problem) = input::parse(&text);
    let problem = match broken.or(problem) {
        _ if !complete => Some(format!("it is longer than {} MB", crate::MAX_INPUT >> 20)),
        problem => problem,
    };
    let Some(event) = input.hook_event_name.as_deref().map(Event::from_name) else {
        return render::no_event(problem.as_deref().unwrap_or("it names no event"));
    };
    if event == Event::Other {
        return Output::default();
    }
    (setting.guard)(limit(event), render::too_late(event, &input));
    if let Some(problem) = problem {
        let error = AppError::refused(format!("the hook's input cannot be read: {problem}")).hint(
            "if it is long, do it in smaller pieces; if not, `waypost doctor` tests the hook",
        );
        return render::failed(event, &input, &error);
    }
    match dispatch(setting, event, &input) {
        Ok(answer) => render::answer(event, &spelt_out(setting, &input, answer)),
        Err(error) => render::failed(event, &input, &error),
    }
}

fn dispatch(setting: &Setting, event: Event, input: &Input<'_>) -> Result<Answer, AppError> {
    let call = call(setting, input)?;
    if setting.shared && has_local_registration(&call)? {
        return Ok(Answer::Silence);
    }
    let host = &setting.host;
    match event {
        Event::SessionStart => {
            attach::begin(host, &call, input.source.as_deref().unwrap_or("startup"))
        }
        Event::UserPromptSubmit => {
            if input.prompt.as_deref().is_some_and(|prompt| prompt.starts_with(NOTIFICATION)) {
                return Ok(Answer::Silence);
            }
            turn::begin(host, &call, input.prompt.as_deref().unwrap_or_default())
        }
        Event::UserPromptExpansion => match input.command_name.as_deref() {
            Some(name) => observe::expanded(host, &call, name),
            None => Ok(Answer::Silence),
        },
        Event::SubagentStart => {
            subagent::begin(host, &call, input.agent_type.as_deref().unwrap_or_default())
        }
        Event::SubagentStop => subagent::end(host, &call),
        Event::PreCompact => {
            attach::compacting(host, &call, input.trigger.as_deref().unwrap_or("unknown"))
        }
        Event::PreToolUse => tool::before(host, &call, &tools::tool(input)?),
        Event::PostToolUse | Event::PostToolUseFailure => {
            let ended = tools::ended(input, event == Event::PostToolUseFailure);
            observe::after(host, &call, &tools::tool(input)?, ended)
        }
        Event::Stop => stop::stop(host, &call, input.has_background_tasks),
        Event::SessionEnd => attach::end(host, &call, input.reason.as_deref().unwrap_or("other")),
        Event::Other => Ok(Answer::Silence),
    }
}

fn call(setting: &Setting, input: &Input<'_>) -> Result<Call, AppError> {
    let missing = |what: &str| AppError::refused(format!("the hook's input has no {what}"));
    let id = input.session_id.as_deref().ok_or_else(|| missing("session_id"))?;
    let cwd = input.cwd.as_deref().ok_or_else(|| missing("cwd"))?;
    Ok(Call {
        harness: HARNESS,
        conversation: id.parse().map_err(|error| AppError::refused(format!("{error}")))?,
        subagent: input.agent_id.as_deref().map(str::to_owned),
        cwd: PathBuf::from(cwd),
        project_dir: setting.project_dir.clone(),
        caller: setting.caller,
    })
}

/// Whether this user also has a registration of their own, which does the work.
fn has_local_registration(call: &Call) -> Result<bool, AppError> {
    let Some(project) = project::find(&call.cwd)? else {
        return Ok(false);
    };
    let shared = project.root.join(".claude/settings.json");
    Ok(init::registrations(&project)?.iter().any(|found| found.file != shared))
}

/// The next step as the agent's shell can take it: from the project's folder, and with the
/// program's path where the shell would not find `waypost`.
fn spelt_out(setting: &Setting, input: &Input<'_>, answer: Answer) -> Answer {
    let spell = |text: String| {
        let name = setting.host.own_name();
        let cwd = input.cwd.as_deref().map(Path::new);
        let root = cwd.and_then(|cwd| project::find(cwd).ok().flatten()).map(|found| found.root);
        match root.filter(|root| Some(root.as_path()) != cwd) {
            Some(root) => {
                let root = quoted(&root.to_string_lossy());
                text.replace("waypost run --", &format!("cd {root} && {name} run --"))
            }
            None if name == "waypost" => text,
            None => text.replace("waypost run --", &format!("{name} run --")),
        }
    };
    match answer {
        Answer::Silence => Answer::Silence,
        Answer::Deny(text) => Answer::Deny(spell(text)),
        Answer::Context(text) => Answer::Context(spell(text)),
        Answer::Message(text) => Answer::Message(spell(text)),
        Answer::Both { agent, user } => Answer::Both { agent: spell(agent), user: spell(user) },
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn limit(event: Event) -> Duration {
    match event {
        Event::SessionEnd => deadline::GOODBYE,
        Event::PreToolUse | Event::PostToolUse | Event::PostToolUseFailure => deadline::HOT,
        _ => deadline::COLD,
    }
}

#[cfg(test)]
mod tests;
