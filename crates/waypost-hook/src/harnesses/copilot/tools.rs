//! Copilot CLI's tools, as the gates see them, and how their calls ended. Their names are translated to those that are
//! known everywhere, as it does itself for hooks of this form; the names of their fields are its own.

use std::borrow::Cow;

use serde::Deserialize;
use waypost_app::harness::{Event, Input, ToolEnd};

use crate::harnesses::shape::tools::{
    Line, Row, asks, edits, harmless, looks, other, patches, reads, runs, skill,
};

const LINE: Line = Line { command: "command", folder: "cwd", background: "mode" };

pub(super) const ROWS: &[Row] = &[
    runs("Bash", LINE),
    reads("Read", "path"),
    edits("Write", "Write", "path"),
    edits("Edit", "Edit", "path"),
    patches("apply_patch", "input"),
    looks("Grep", "Grep", "path"),
    looks("Glob", "Glob", "path"),
    skill("Skill", "skill"),
    asks("ask_user", "AskUserQuestion"),
    asks("AskUserQuestion", "AskUserQuestion"),
    asks("exit_plan_mode", "ExitPlanMode"),
    other("Agent", "Agent"),
    other("Task", "Agent"),
    harmless("TodoWrite", "TodoWrite"),
    harmless("WebFetch", "WebFetch"),
    harmless("WebSearch", "WebSearch"),
    harmless("list_agents", "ListAgents"),
    harmless("list_bash", "list_bash"),
    harmless("read_agent", "TaskOutput"),
    harmless("read_bash", "BashOutput"),
    harmless("report_intent", "report_intent"),
    harmless("stop_bash", "TaskStop"),
    harmless("update_todo", "TodoWrite"),
    harmless("view", "Read"),
];

#[derive(Deserialize, Default)]
struct Response {
    result_type: Option<String>,
    text_result_for_llm: Option<String>,
}

/// How the tool call ended, where the status is really known.
pub(super) fn ended(input: &Input<'_>) -> ToolEnd {
    if input.event == Some(Event::AfterFailure) {
        return ToolEnd::Failed(1);
    }
    let response = response(input);
    if response.result_type.as_deref() != Some("success") {
        return ToolEnd::Unclear;
    }
    if input.tool.as_deref() != Some("Bash") {
        return ToolEnd::Succeeded;
    }
    match told(&response.text_result_for_llm.unwrap_or_default()) {
        Some((_, 0)) => ToolEnd::Succeeded,
        Some((_, status)) => ToolEnd::Failed(status),
        None => ToolEnd::Unclear,
    }
}

/// What a command line printed.
pub(super) fn printed<'i>(input: &Input<'i>) -> Vec<Cow<'i, str>> {
    if input.event == Some(Event::AfterFailure) {
        return input.error.clone().into_iter().collect();
    }
    let text = response(input).text_result_for_llm.unwrap_or_default();
    told(&text).map(|(output, _)| Cow::Owned(output.to_owned())).into_iter().collect()
}

/// What a command printed, and its status: `<shellId: 0 completed with exit code 1>` stands in the last line.
fn told(text: &str) -> Option<(&str, i32)> {
    let text = text.trim_end();
    let (output, line) = text.rsplit_once('\n').unwrap_or(("", text));
    let line = line.strip_prefix("<shellId: ")?.strip_suffix('>')?;
    let (_, status) = line.split_once(" completed with exit code ")?;
    Some((output, status.parse().ok()?))
}

fn response(input: &Input<'_>) -> Response {
    input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}
