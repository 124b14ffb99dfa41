//! Gemini CLI's tools, as the gates see them, and how their calls ended.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use waypost_app::harness::{Input, ToolEnd};

use crate::harnesses::shape::tools::{
    Line, Row, asks, edits, harmless, looks, other, reads, runs, skill,
};

/// The tool that runs command lines.
pub(super) const SHELL: &str = "run_shell_command";

const LINE: Line = Line { command: "command", folder: "dir_path", background: "is_background" };

pub(super) const ROWS: &[Row] = &[
    runs(SHELL, LINE),
    reads("read_file", "file_path"),
    edits("write_file", "Write", "file_path"),
    edits("replace", "Edit", "file_path"),
    looks("grep_search", "Grep", "dir_path"),
    looks("search_file_content", "Grep", "dir_path"),
    looks("list_directory", "LS", "dir_path"),
    looks("glob", "Glob", "dir_path"),
    skill("activate_skill", "name"),
    asks("ask_user", "AskUserQuestion"),
    asks("exit_plan_mode", "ExitPlanMode"),
    other("invoke_agent", "Agent"),
    harmless("complete_task", "complete_task"),
    harmless("enter_plan_mode", "EnterPlanMode"),
    harmless("get_internal_docs", "get_internal_docs"),
    harmless("google_web_search", "WebSearch"),
    harmless("list_mcp_resources", "ListMcpResourcesTool"),
    harmless("read_many_files", "read_many_files"),
    harmless("read_mcp_resource", "ReadMcpResourceTool"),
    harmless("tracker_get_task", "TaskGet"),
    harmless("tracker_list_tasks", "TaskList"),
    harmless("tracker_visualize", "tracker_visualize"),
    harmless("update_topic", "update_topic"),
    harmless("web_fetch", "WebFetch"),
    harmless("write_todos", "TodoWrite"),
    other("tracker_add_dependency", "TaskUpdate"),
    other("tracker_create_task", "TaskCreate"),
    other("tracker_update_task", "TaskUpdate"),
];

/// How it spells that nothing was printed.
const NOTHING: &str = "(empty)";

/// What a tool answered.
#[derive(Deserialize, Default)]
struct Response {
    #[serde(rename = "llmContent")]
    content: Option<Value>,
    error: Option<Value>,
}

/// How the tool call ended, where the status is really known.
pub(super) fn ended(input: &Input<'_>) -> ToolEnd {
    let response = response(input);
    if response.error.is_some_and(|error| !error.is_null()) {
        return ToolEnd::Failed(1);
    }
    if input.tool.as_deref() != Some(SHELL) {
        return ToolEnd::Succeeded;
    }
    let text = text(response.content);
    match told(&text) {
        Some(Told { status: 0, .. }) => ToolEnd::Succeeded,
        Some(Told { status, .. }) => ToolEnd::Failed(status),
        None => ToolEnd::Unclear,
    }
}

/// What a command line printed.
pub(super) fn printed<'i>(input: &Input<'i>) -> Vec<Cow<'i, str>> {
    let text = text(response(input).content);
    let output = told(&text).map(|told| told.output).filter(|output| *output != NOTHING);
    output.into_iter().map(str::to_owned).map(Cow::Owned).collect()
}

/// What is told of a command that ran to its end.
struct Told<'t> {
    output: &'t str,
    status: i32,
}

/// Takes the text apart that the agent is given of a command: what it printed, and below that, line by line, what became of
/// it. Nothing is known of one that was cut off, goes on in the background, or was summed up by a model.
fn told(text: &str) -> Option<Told<'_>> {
    let text = text.trim();
    let text = text.strip_prefix("<untrusted_context>").unwrap_or(text);
    let text = text.strip_suffix("</untrusted_context>").unwrap_or(text).trim();
    let rest = text.strip_prefix("Output: ")?;
    let (mut rest, _) = last(rest, "Process Group PGID: ")?;
    if let Some((before, _)) = last(rest, "Background PIDs: ") {
        rest = before;
    }
    if last(rest, "Signal: ").is_some() {
        return None;
    }
    match last(rest, "Exit Code: ") {
        Some((output, status)) => Some(Told { output, status: status.parse().ok()? }),
        None => Some(Told { output: rest, status: 0 }),
    }
}

/// What stands before the last line, and the rest of that line, if it begins so.
fn last<'t>(text: &'t str, begins: &str) -> Option<(&'t str, &'t str)> {
    let (before, line) = text.rsplit_once('\n')?;
    Some((before, line.strip_prefix(begins)?))
}

fn response(input: &Input<'_>) -> Response {
    input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// The text of a content, whether it is one or a list of parts.
fn text(content: Option<Value>) -> String {
    match content {
        Some(Value::String(text)) => text,
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str) -> Option<i32> {
        told(text).map(|told| told.status)
    }

    #[test]
    fn the_status_of_a_command_is_read_below_what_it_printed() {
        let wrapped = |text: &str| format!("<untrusted_context>\n{text}\n</untrusted_context>");
        assert_eq!(status(&wrapped("Output: ok\nProcess Group PGID: 7")), Some(0));
        assert_eq!(status("Output: ok\nBackground PIDs: 8\nProcess Group PGID: 7"), Some(0));
        assert_eq!(status("Output: no\nExit Code: 3\nProcess Group PGID: 7"), Some(3));
        let forged =
            "Output: x\nExit Code: 0\nProcess Group PGID: 1\nExit Code: 2\nProcess Group PGID: 7";
        assert_eq!(status(forged), Some(2));
        let told = told("Output: 3 passed\n\nExit Code: 1\nProcess Group PGID: 7").unwrap();
        assert_eq!(told.output, "3 passed\n");
    }

    #[test]
    fn nothing_is_known_of_what_did_not_run_to_its_end() {
        for text in [
            "Command moved to background (PID: 7). Output hidden. Press Ctrl+B to view.",
            "Command was cancelled by user before it could complete. Below is the output:\nOutput: x",
            "Output: x\nSignal: 9\nProcess Group PGID: 7",
            "Output: all 12 tests passed, says a summary",
            "",
        ] {
            assert_eq!(status(text), None, "{text}");
        }
    }
}
