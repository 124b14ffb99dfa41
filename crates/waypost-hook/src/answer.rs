//! One event of a harness, from its bytes to its answer. Knows no harness.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use waypost_app::enforce::hook::stop::Ending;
use waypost_app::enforce::hook::{
    Call, attach, observe, settings, stop, subagent, teammate, tool, turn,
};
use waypost_app::error::AppError;
use waypost_app::harness::Answer;
use waypost_app::harness::{Event, Harness, Input, Output, Role, ToolEnd};
use waypost_app::machine::deadline;
use waypost_app::machine::process;
use waypost_app::machine::project::{self, Project};
use waypost_app::setup::init::{self, HarnessRegistration, Started};
use waypost_app::transcripts::tail;
use waypost_core::next_step::{Look, amid};
use waypost_core::surrogates;

use crate::{MAX_INPUT, Setting, Through, failed, mended, transcripts};

/// Answers one event.
pub fn answer(setting: &Setting, bytes: &[u8], complete: bool) -> Output {
    let (text, broken) = text(bytes);
    let (input, problem) = setting.harness.read(text.as_bytes());
    let (harness, input, problem) = match sender(setting, &input) {
        None => (setting.harness, input, problem),
        Some(sender) => {
            let (input, problem) = sender.read(text.as_bytes());
            (sender, input, problem)
        }
    };
    let problem = match broken.or(problem) {
        _ if !complete => Some(format!("it is longer than {} MB", MAX_INPUT >> 20)),
        problem => problem,
    };
    let Some(event) = input.event else {
        return failed::no_event(harness, problem.as_deref().unwrap_or("it names no event"));
    };
    if event == Event::Other {
        return harness.render(event, &input, &Answer::Silence);
    }
    (setting.guard)(limit(event), failed::too_late(harness, event, &input));
    if let Some(problem) = problem {
        let error =
            AppError::refused(format!("the hook's input cannot be read: {problem}")).hint(amid(
                "if it is long, do it in smaller pieces; if not, ",
                Look::Installation,
                " tests the hook",
            ));
        return failed::failed(harness, event, &input, &error);
    }
    match dispatch(setting, harness, event, &input) {
        Ok(answer) => {
            let answer = mended::with_mended(spelt_out(setting, &input, answer));
            harness.render(event, &input, &answer)
        }
        Err(error) => failed::failed(harness, event, &input, &error),
    }
}

/// The text of an event as far as it is text, and what is wrong with the rest. A character of which
/// the harness cut off half is none: it would spoil whatever it stands in, also what is read later.
fn text(bytes: &[u8]) -> (Cow<'_, str>, Option<String>) {
    let (valid, problem) = match std::str::from_utf8(bytes) {
        Ok(valid) => (valid, None),
        Err(error) => {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            (valid, Some("it is not UTF-8".to_owned()))
        }
    };
    (surrogates::mended(valid), problem)
}

/// Whoever else sent what the hook of this harness was told: one that runs the hooks of this one's settings too.
fn sender(setting: &Setting, input: &Input<'_>) -> Option<&'static dyn Harness> {
    let others = setting.host.harnesses.iter().map(|local| local.harness);
    let mut others = others.filter(|one| one.facts().name != setting.harness.facts().name);
    others.find(|one| one.sent(input))
}

fn dispatch(
    setting: &Setting,
    harness: &'static dyn Harness,
    event: Event,
    input: &Input<'_>,
) -> Result<Answer, AppError> {
    let host = &setting.host;
    let call = call(setting, harness, input)?;
    if yields(setting, harness, &call)? {
        return Ok(Answer::Silence);
    }
    match event {
        Event::Start => attach::begin(host, &call, input.source.as_deref().unwrap_or("startup")),
        Event::Prompt => turn::begin(host, &call, input.prompt.as_deref().unwrap_or_default()),
        Event::Expansion => match input.skill.as_deref() {
            Some(name) => observe::expanded(host, &call, name),
            None => Ok(Answer::Silence),
        },
        Event::SubagentStart => {
            subagent::begin(host, &call, input.agent_type.as_deref().unwrap_or_default())
        }
        Event::SubagentStop => subagent::end(host, &call),
        Event::Compaction => {
            attach::compacting(host, &call, input.trigger.as_deref().unwrap_or("unknown"))
        }
        Event::BeforeTool => tool::before(host, &call, &harness.tool(input)?),
        Event::AfterTool | Event::AfterFailure => {
            let (tool, ended) = (harness.tool(input)?, ended(harness, input));
            observe::after(host, &call, &tool, ended, &harness.printed(input))
        }
        Event::Stop => stop::stop(host, &call, Ending::Turn, &input.tasks, input.said.as_deref()),
        // Whoever says that something is done answers for what was changed for it.
        Event::TaskDone | Event::TeammateIdle => {
            let answer = if call.subagent.is_some() {
                subagent::work_done(host, &call)?
            } else {
                stop::stop(host, &call, Ending::Work, &[], input.said.as_deref())?
            };
            if !matches!(answer, Answer::Deny(_)) {
                let done =
                    (event == Event::TaskDone).then(|| input.task.as_deref().unwrap_or_default());
                teammate::worked(host, &call, input.teammate.as_deref(), done)?;
            }
            Ok(answer)
        }
        Event::ConfigChanged => {
            settings::changed(host, &call, input.file.as_deref().map(Path::new))
        }
        Event::End => attach::end(host, &call, input.reason.as_deref().unwrap_or("other")),
        Event::Other => Ok(Answer::Silence),
    }
}

fn call(
    setting: &Setting,
    harness: &'static dyn Harness,
    input: &Input<'_>,
) -> Result<Call, AppError> {
    let missing = |what: &str| AppError::refused(format!("the hook's input has no {what}"));
    let id = input.conversation.as_deref().ok_or_else(|| missing("session_id"))?;
    let cwd = input.cwd.as_deref().ok_or_else(|| missing("cwd"))?;
    Ok(Call {
        harness: harness.facts().name,
        conversation: id.parse().map_err(|error| AppError::refused(format!("{error}")))?,
        subagent: input.subagent.as_deref().map(str::to_owned),
        agent_type: input.agent_type.as_deref().map(str::to_owned),
        cwd: PathBuf::from(cwd),
        project_dir: setting.project_dir.clone(),
        caller: setting.caller,
        permissions: input.permissions.as_deref().map(str::to_owned),
        rewriting: harness.rewriting(),
        transcript: input.transcript.as_deref().map(PathBuf::from),
        readers: transcripts::ALL,
    })
}

/// How a call ended, by what the harness says or has written.
fn ended(harness: &dyn Harness, input: &Input<'_>) -> ToolEnd {
    match (harness.ended(input), input.transcript.as_deref()) {
        (ToolEnd::Unclear, Some(file)) => {
            let tail = |length| tail(Path::new(file), length);
            harness.ended_by(input, &tail).unwrap_or(ToolEnd::Unclear)
        }
        (ended, _) => ended,
    }
}

/// Whether another registration does the work, so that nothing is counted twice: where this is the one that a team
/// shares, the user's own; where it is a plugin's, any in settings; where another harness runs the hooks of this one,
/// its own.
fn yields(setting: &Setting, harness: &'static dyn Harness, call: &Call) -> Result<bool, AppError> {
    let is_another = harness.facts().name != setting.harness.facts().name;
    let is_borrowed = is_another || setting.through == Through::Borrowed;
    if setting.through == Through::Own && !is_borrowed {
        return Ok(false);
    }
    let Some(project) = project::find(&call.cwd)? else {
        return Ok(false);
    };
    let found = |harness| init::registrations(&setting.host, harness, &project);
    let is_own = |one: &HarnessRegistration| one.role != Role::Shared && !one.is_shared;
    let has_another = match setting.through {
        Through::Own | Through::Borrowed => false,
        Through::Shared => found(setting.harness)?.iter().any(is_own),
        Through::Plugin => is_in_settings(setting, call, &project),
    };
    Ok(has_another || (is_borrowed && !found(harness)?.is_empty()))
}

/// Whether settings that the harness reads, as it was started, have it call Waypost.
fn is_in_settings(setting: &Setting, call: &Call, project: &Project) -> bool {
    let arguments = (call.caller)().and_then(|client| process::arguments(client.pid));
    let started = Started { arguments, started_in: call.project_dir.as_deref() };
    init::calls_by_settings(&setting.host, setting.harness, project, &started)
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
                let there = format!("cd {root} && {name} run -- ");
                let in_folder = format!("cd {root} && {name} run -C ");
                if text.contains(" && waypost run") {
                    // Where to go is said already.
                    return text.replace("waypost run -", &format!("{name} run -"));
                }
                text.replace("waypost run -- ", &there)
                    .replace("waypost run -C ", &in_folder)
                    .replace("waypost run --gate", &format!("{name} run --gate"))
            }
            None if name == "waypost" => text,
            None => text.replace("waypost run -", &format!("{name} run -")),
        }
    };
    match answer {
        Answer::Silence => Answer::Silence,
        Answer::Deny(text) => Answer::Deny(spell(text)),
        Answer::Context(text) => Answer::Context(spell(text)),
        Answer::Message(text) => Answer::Message(spell(text)),
        Answer::Both { agent, user } => Answer::Both { agent: spell(agent), user: spell(user) },
        rewritten @ Answer::Rewrite { .. } => rewritten,
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
        Event::End => deadline::GOODBYE,
        Event::BeforeTool | Event::AfterTool | Event::AfterFailure => deadline::HOT,
        Event::Start
        | Event::Prompt
        | Event::Expansion
        | Event::Stop
        | Event::SubagentStart
        | Event::SubagentStop
        | Event::TaskDone
        | Event::TeammateIdle
        | Event::ConfigChanged
        | Event::Compaction
        | Event::Other => deadline::COLD,
    }
}
