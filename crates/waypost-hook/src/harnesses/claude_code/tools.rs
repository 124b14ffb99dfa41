//! Claude Code's tools, as the gates see them.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::harness::ToolEnd;
use waypost_app::harness::{Does, Tool, asks_who_calls, digest_of};
use waypost_app::harness::{Event, Input};
use waypost_core::event::{AgentUsage, SubagentCalled};

use crate::harnesses::shape::mcp;

/// Tools that change nothing, which go on when nothing can be decided.
const HARMLESS: &[&str] = &[
    "AskUserQuestion",
    "BashOutput",
    "CronList",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "LS",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "NotebookRead",
    "Read",
    "ReadMcpResourceTool",
    "ReportFindings",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
];

/// Tools that put something to the user and wait for the answer.
const ASKING: &[&str] = &["AskUserQuestion", "ExitPlanMode"];

/// How the tools of Waypost's own server begin: where a project registers it, and where a plugin brings it.
const OWN: [&str; 2] = ["mcp__waypost__", "mcp__plugin_waypost_waypost__"];

/// Tools that neither run a command line nor change a file by themselves, whatever they are given: what they start
/// calls tools of its own, and is seen when it does.
const STARTING: &[&str] = &[
    "Agent",
    "CronCreate",
    "ScheduleWakeup",
    "SendMessage",
    "Task",
    "TaskCreate",
    "TaskUpdate",
    "Workflow",
];

/// Tools that read or change files, or run something, and how they do is known.
const KNOWN: &[&str] =
    &["Bash", "Edit", "Grep", "MultiEdit", "NotebookEdit", "Read", "Skill", "Write"];

/// Tools that may leave something running when they are done, and tell its name.
const BACKGROUNDING: &[&str] = &["Agent", "Bash", "Monitor", "PowerShell", "Task", "Workflow"];

#[derive(Deserialize, Default)]
struct ToolInput {
    file_path: Option<String>,
    notebook_path: Option<String>,
    path: Option<String>,
    command: Option<String>,
    run_in_background: Option<bool>,
    skill: Option<String>,
    description: Option<String>,
    subagent_type: Option<String>,
}

#[derive(Deserialize, Default)]
struct ToolResponse {
    stdout: Option<String>,
    stderr: Option<String>,
    interrupted: Option<bool>,
    #[serde(rename = "persistedOutputPath")]
    rest: Option<String>,
    #[serde(rename = "backgroundTaskId")]
    background_task: Option<String>,
    #[serde(rename = "taskId")]
    task: Option<String>,
    #[serde(rename = "agentId")]
    agent: Option<String>,
    #[serde(rename = "isAsync")]
    is_async: Option<bool>,
    #[serde(rename = "returnCodeInterpretation")]
    interpretation: Option<String>,
    file: Option<FileRead>,
}

/// What the client tells of a subagent when the call that started it returns.
#[derive(Deserialize, Default)]
struct AgentResponse {
    #[serde(rename = "agentId")]
    agent: Option<String>,
    #[serde(rename = "agentType")]
    agent_type: Option<String>,
    #[serde(rename = "isAsync")]
    is_async: Option<bool>,
    #[serde(rename = "totalTokens")]
    tokens: Option<u64>,
    #[serde(rename = "totalDurationMs")]
    duration_ms: Option<u64>,
    #[serde(rename = "totalToolUseCount")]
    tool_calls: Option<u64>,
}

/// What was shown of a file.
#[derive(Deserialize)]
struct FileRead {
    #[serde(rename = "numLines")]
    shown: Option<u64>,
    #[serde(rename = "totalLines")]
    total: Option<u64>,
}

impl FileRead {
    /// Whether nothing of it was shown although there is something.
    fn showed_nothing(&self) -> bool {
        self.shown == Some(0) && self.total.is_some_and(|total| total > 0)
    }
}

/// The tool that an event is about.
pub(super) fn tool(input: &Input<'_>) -> Result<Tool, AppError> {
    let name = input
        .tool
        .as_deref()
        .ok_or_else(|| AppError::refused("the hook's input has no tool_name"))?;
    let call = input.call.as_deref().map(str::to_owned);
    let (does, others) = match does(name, input)? {
        Some(does) => (does, Vec::new()),
        None => mcp::does(name, input),
    };
    let (starts, subagent) = (starts(name, input), subagent(name, input));
    let asks = name.rsplit("__").next().is_some_and(asks_who_calls);
    let given = input.arguments.filter(|_| asks).and_then(|raw| digest_of(raw.get()));
    Ok(Tool { name: name.to_owned(), call, does, others, starts, subagent, given })
}

/// What a tool of the client's own does; none for others, and for those that it may have some day.
fn does(name: &str, input: &Input<'_>) -> Result<Option<Does>, AppError> {
    if ASKING.contains(&name) {
        return Ok(Some(Does::Ask));
    }
    if !KNOWN.contains(&name) {
        let is_other = STARTING.contains(&name) || HARMLESS.contains(&name);
        return Ok(is_other.then_some(Does::Other));
    }
    known_does(name, input).map(Some)
}

fn known_does(name: &str, input: &Input<'_>) -> Result<Does, AppError> {
    let given: ToolInput =
        input.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let missing = |what: &str| AppError::refused(format!("the input of {name} has no {what}"));
    if name == "Bash" {
        let command = given.command.ok_or_else(|| missing("command"))?;
        let background =
            given.run_in_background.unwrap_or(false) || response(input).background_task.is_some();
        return Ok(Does::Shell { command, background });
    }
    if name == "Skill" {
        return Ok(given.skill.map_or(Does::Other, Does::Skill));
    }
    if name == "Grep" {
        return Ok(given.path.map_or(Does::Other, |path| Does::Look(PathBuf::from(path))));
    }
    let path = given.file_path.or(given.notebook_path).ok_or_else(|| missing("file_path"))?;
    let path = PathBuf::from(path);
    Ok(if name == "Read" { Does::Read(path) } else { Does::Edit(path) })
}

/// The subagent that a call let work, once the call returned.
fn subagent(name: &str, input: &Input<'_>) -> Option<SubagentCalled> {
    let failed = input.event == Some(Event::AfterFailure);
    if !["Agent", "Task"].contains(&name) || (input.response.is_none() && !failed) {
        return None;
    }
    let given: ToolInput =
        input.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let response: AgentResponse =
        input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let (tokens, duration_ms) = (response.tokens, response.duration_ms);
    Some(SubagentCalled {
        // One that was interrupted or failed is not named.
        subagent: if failed { response.agent.unwrap_or_default() } else { response.agent? },
        agent_type: response.agent_type.or(given.subagent_type).unwrap_or_default(),
        about: given.description.unwrap_or_default(),
        call: input.call.as_deref().map(str::to_owned),
        usage: AgentUsage { tokens, duration_ms, tool_calls: response.tool_calls },
        background: response.is_async == Some(true),
        failed: false,
    })
}

/// What the call started that goes on, as the client lists it.
fn starts(name: &str, input: &Input<'_>) -> Option<String> {
    if input.response.is_none() || !BACKGROUNDING.contains(&name) {
        return None;
    }
    let response = response(input);
    match name {
        "Bash" | "PowerShell" => response.background_task,
        "Agent" | "Task" => response.agent.filter(|_| response.is_async == Some(true)),
        _ => response.task,
    }
}

/// What a call started, and which subagent it let work, by what is known of it once it returned.
pub(super) fn returned(tool: &Tool, input: &Input<'_>) -> (Option<String>, Option<SubagentCalled>) {
    (starts(&tool.name, input), subagent(&tool.name, input))
}

/// Whether it is known of a tool that does nothing with files or command lines. One of a server whose name says that it
/// changes something may do anything.
pub(super) fn is_known(name: &str) -> bool {
    const CHANGING: [&str; 12] = [
        "codemod", "edit", "exec", "execute", "format", "insert", "modify", "patch", "refactor",
        "rename", "replace", "write",
    ];
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    if name.starts_with("mcp__") {
        return is_harmless(name) || !words.any(|word| CHANGING.contains(&word));
    }
    is_harmless(name) || STARTING.contains(&name) || KNOWN.contains(&name)
}

/// How the tool call ended, where the status is really known.
pub(super) fn ended(input: &Input<'_>) -> ToolEnd {
    if input.event == Some(Event::AfterFailure) {
        let error = input.error.as_deref().unwrap_or_default();
        let status = error
            .strip_prefix("Exit code ")
            .and_then(|rest| rest.lines().next())
            .and_then(|status| status.trim().parse().ok());
        return if input.interrupted {
            ToolEnd::Unclear
        } else {
            ToolEnd::Failed(status.unwrap_or(1))
        };
    }
    let response = response(input);
    if response.interrupted == Some(true) || response.interpretation.is_some() {
        return ToolEnd::Unclear;
    }
    if response.file.as_ref().is_some_and(FileRead::showed_nothing) {
        return ToolEnd::Empty;
    }
    ToolEnd::Succeeded
}

/// What a command line printed. Of what failed, the client tells it behind the status.
pub(super) fn printed<'i>(input: &Input<'i>) -> Vec<Cow<'i, str>> {
    if input.event == Some(Event::AfterFailure) {
        return input.error.clone().into_iter().collect();
    }
    let response = response(input);
    // Of what is long, the client keeps the rest in a file.
    if response.rest.is_some() {
        return Vec::new();
    }
    [response.stdout, response.stderr].into_iter().flatten().map(Cow::Owned).collect()
}

fn response(input: &Input<'_>) -> ToolResponse {
    // Tools answer in many shapes; one that is not an object says nothing about a background task.
    input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// Whether the tool can do no harm, so that it goes on even if nothing can be decided.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name) || OWN.iter().any(|own| name.starts_with(own))
}
