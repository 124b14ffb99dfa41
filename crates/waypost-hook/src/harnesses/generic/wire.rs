//! Events in Waypost's own form.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;
use waypost_app::error::AppError;
use waypost_app::harness::{
    Does, Event, Input, Task, TaskKind, Tool, ToolEnd, asks_who_calls, digest_of,
};

use crate::harnesses::shape::mcp;

/// The events, by their names.
pub(super) const EVENTS: [(&str, Event); 10] = [
    ("start", Event::Start),
    ("prompt", Event::Prompt),
    ("before-tool", Event::BeforeTool),
    ("after-tool", Event::AfterTool),
    ("stop", Event::Stop),
    ("subagent-start", Event::SubagentStart),
    ("subagent-stop", Event::SubagentStop),
    ("task-done", Event::TaskDone),
    ("compact", Event::Compaction),
    ("end", Event::End),
];

/// What a tool does, by its name.
pub(super) const KINDS: [&str; 7] = ["edit", "shell", "read", "look", "skill", "ask", "other"];

/// Kinds that change nothing, so that they go on when nothing can be decided.
const HARMLESS: [&str; 3] = ["read", "look", "ask"];

#[derive(Deserialize)]
struct Wire<'i> {
    #[serde(borrow)]
    event: Option<Cow<'i, str>>,
    #[serde(borrow)]
    conversation: Option<Cow<'i, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'i, str>>,
    #[serde(borrow)]
    subagent: Option<Cow<'i, str>>,
    #[serde(borrow)]
    subagent_type: Option<Cow<'i, str>>,
    #[serde(borrow)]
    source: Option<Cow<'i, str>>,
    #[serde(borrow)]
    prompt: Option<Cow<'i, str>>,
    #[serde(borrow)]
    reason: Option<Cow<'i, str>>,
    #[serde(borrow)]
    said: Option<Cow<'i, str>>,
    #[serde(default)]
    held_before: bool,
    #[serde(borrow, default)]
    background: Vec<Cow<'i, str>>,
    #[serde(borrow)]
    call: Option<Cow<'i, str>>,
    #[serde(borrow)]
    tool: Option<&'i RawValue>,
    #[serde(borrow)]
    result: Option<&'i RawValue>,
}

#[derive(Deserialize)]
struct Called<'i> {
    #[serde(borrow)]
    name: Cow<'i, str>,
    #[serde(borrow)]
    kind: Option<Cow<'i, str>>,
    #[serde(default)]
    files: Vec<PathBuf>,
    command: Option<String>,
    #[serde(default)]
    background: bool,
    skill: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'i RawValue>,
}

#[derive(Deserialize, Default)]
struct Ended<'i> {
    status: Option<i32>,
    failed: Option<bool>,
    #[serde(default)]
    interrupted: bool,
    #[serde(borrow)]
    output: Option<Cow<'i, str>>,
}

/// Reads an event. One that cannot be read as a whole is none.
pub(super) fn read(bytes: &[u8]) -> (Input<'_>, Option<String>) {
    let wire: Wire<'_> = match serde_json::from_slice(bytes) {
        Ok(wire) => wire,
        Err(error) => return (Input::default(), Some(error.to_string())),
    };
    let event = |name: &str| {
        EVENTS.iter().find(|(known, _)| *known == name).map_or(Event::Other, |(_, event)| *event)
    };
    let called = wire.tool.and_then(|raw| serde_json::from_str::<Called<'_>>(raw.get()).ok());
    let is_harmless =
        |called: &Called<'_>| called.kind.as_deref().is_some_and(|kind| HARMLESS.contains(&kind));
    // Of what runs it tells the names alone.
    let task = |id: Cow<'_, str>| Task { id: id.into_owned(), kind: TaskKind::Other, agent: None };
    let input = Input {
        event: wire.event.as_deref().map(event),
        named: wire.event,
        conversation: wire.conversation,
        cwd: wire.cwd,
        subagent: wire.subagent,
        agent_type: wire.subagent_type,
        source: wire.source,
        trigger: wire.reason.clone(),
        reason: wire.reason,
        task: wire.prompt.clone(),
        prompt: wire.prompt,
        said: wire.said,
        held_before: wire.held_before,
        tasks: wire.background.into_iter().map(task).collect(),
        harmless: called.as_ref().is_some_and(is_harmless),
        tool: called.map(|called| called.name),
        call: wire.call,
        arguments: wire.tool,
        response: wire.result,
        ..Input::default()
    };
    (input, None)
}

/// The tool that an event is about.
pub(super) fn tool(input: &Input<'_>) -> Result<Tool, AppError> {
    let missing = |what: &str| AppError::refused(format!("the hook's input has no {what}"));
    let raw = input.arguments.ok_or_else(|| missing("tool"))?;
    let called: Called<'_> = serde_json::from_str(raw.get())
        .map_err(|error| AppError::refused(format!("`tool` cannot be read: {error}")))?;
    let name = called.name.clone().into_owned();
    let asks = name.rsplit("__").next().is_some_and(asks_who_calls);
    let given = called.arguments.filter(|_| asks).and_then(|raw| digest_of(raw.get()));
    let (does, others) = does(called)?;
    let call = input.call.as_deref().map(str::to_owned);
    Ok(Tool { name, call, does, others, starts: None, subagent: None, given })
}

fn does(called: Called<'_>) -> Result<(Does, Vec<PathBuf>), AppError> {
    let missing = |what: &str| AppError::refused(format!("`tool` has no {what}"));
    let Some(kind) = called.kind.as_deref() else {
        let input = Input { arguments: called.arguments, ..Input::default() };
        return Ok(mcp::does(&called.name, &input));
    };
    let mut files = called.files.into_iter();
    let does = match kind {
        "edit" => files.next().map_or(Does::EditUnnamed, Does::Edit),
        "shell" => Does::Shell {
            command: called.command.ok_or_else(|| missing("command"))?,
            background: called.background,
        },
        "read" => Does::Read(files.next().ok_or_else(|| missing("files"))?),
        "look" => files.next().map_or(Does::Other, Does::Look),
        "skill" => Does::Skill(called.skill.ok_or_else(|| missing("skill"))?),
        "ask" => Does::Ask,
        "other" => Does::Other,
        unknown => {
            let kinds = KINDS.join(", ");
            return Err(AppError::refused(format!("there is no kind of tool {unknown:?}"))
                .hint(format!("choose one of {kinds}, or leave it out")));
        }
    };
    let others = if kind == "edit" { files.collect() } else { Vec::new() };
    Ok((does, others))
}

/// How the call ended.
pub(super) fn ended(input: &Input<'_>) -> ToolEnd {
    let ended = result(input);
    match (ended.interrupted, ended.status, ended.failed) {
        (true, ..) => ToolEnd::Unclear,
        (_, Some(0), None | Some(false)) | (_, None, Some(false)) => ToolEnd::Succeeded,
        (_, Some(status), _) if status != 0 => ToolEnd::Failed(status),
        (_, _, Some(true)) => ToolEnd::Failed(1),
        _ => ToolEnd::Unclear,
    }
}

/// What a command line printed.
pub(super) fn printed<'i>(input: &Input<'i>) -> Vec<Cow<'i, str>> {
    result(input).output.into_iter().collect()
}

fn result<'i>(input: &Input<'i>) -> Ended<'i> {
    input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}
