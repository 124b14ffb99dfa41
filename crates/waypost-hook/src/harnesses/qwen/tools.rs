//! Qwen Code's tools, as the gates see them, and how their calls ended.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use waypost_app::harness::{Event, Input, ToolEnd};

use crate::harnesses::shape::tools::{
    Line, Row, asks, edits, harmless, looks, other, reads, runs, skill,
};

/// The tool that runs command lines.
const SHELL: &str = "run_shell_command";

const LINE: Line = Line { command: "command", folder: "directory", background: "is_background" };
/// The one that watches what a line prints, which goes on.
const WATCHED: Line = Line { command: "command", folder: "directory", background: "command" };

pub(super) const ROWS: &[Row] = &[
    runs(SHELL, LINE),
    runs("monitor", WATCHED),
    reads("read_file", "file_path"),
    edits("write_file", "Write", "file_path"),
    edits("edit", "Edit", "file_path"),
    looks("grep_search", "Grep", "path"),
    looks("list_directory", "LS", "path"),
    looks("glob", "Glob", "path"),
    skill("skill", "skill"),
    asks("ask_user_question", "AskUserQuestion"),
    asks("exit_plan_mode", "ExitPlanMode"),
    other("agent", "Agent"),
    other("cron_create", "CronCreate"),
    other("cron_delete", "cron_delete"),
    other("save_memory", "save_memory"),
    other("send_message", "SendMessage"),
    harmless("cron_list", "CronList"),
    harmless("lsp", "LSP"),
    harmless("structured_output", "structured_output"),
    harmless("task_stop", "TaskStop"),
    harmless("todo_write", "TodoWrite"),
    harmless("tool_search", "ToolSearch"),
    harmless("web_fetch", "WebFetch"),
];

#[derive(Deserialize, Default)]
struct Response {
    #[serde(rename = "llmContent")]
    content: Option<Value>,
}

/// How the tool call ended, where the status is really known.
pub(super) fn ended(input: &Input<'_>) -> ToolEnd {
    if input.event == Some(Event::AfterFailure) {
        let status = input.error.as_deref().and_then(told).map(|(_, status)| status);
        return if input.interrupted {
            ToolEnd::Unclear
        } else {
            ToolEnd::Failed(status.filter(|status| *status != 0).unwrap_or(1))
        };
    }
    if input.tool.as_deref() != Some(SHELL) {
        return ToolEnd::Succeeded;
    }
    let text = text(input);
    match told(&text) {
        Some((_, 0)) => ToolEnd::Succeeded,
        Some((_, status)) => ToolEnd::Failed(status),
        None => ToolEnd::Unclear,
    }
}

/// What a command line printed.
pub(super) fn printed<'i>(input: &Input<'i>) -> Vec<Cow<'i, str>> {
    if input.event == Some(Event::AfterFailure) {
        let error = input.error.as_deref().unwrap_or_default();
        return vec![Cow::Owned(told(error).map_or(error, |(output, _)| output).to_owned())];
    }
    let text = text(input);
    let output = told(&text).map(|(output, _)| output.to_owned());
    output.into_iter().map(Cow::Owned).collect()
}

/// What a command printed, and its status, in the text that the agent is given of it. What the client adds below, such as
/// advice for commands that take long, stands behind an empty line.
fn told(text: &str) -> Option<(&str, i32)> {
    let (before, below) = text.rsplit_once("\nExit Code: ")?;
    let mut lines = below.lines();
    let status = lines.next()?.trim().parse().ok()?;
    let is_ended = lines.next()? == "Signal: (none)";
    let is_last = lines.next()?.starts_with("Process Group PGID: ");
    let is_all = lines.next().is_none_or(str::is_empty);
    let (output, _) = before.rsplit_once("\nError: ")?;
    let (_, output) = output.split_once("\nOutput: ")?;
    (is_ended && is_last && is_all).then_some((output, status))
}

fn text(input: &Input<'_>) -> String {
    let response: Response =
        input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    match response.content {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(output: &str, status: &str) -> String {
        format!(
            "Command: x\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {status}\n\
             Signal: (none)\nProcess Group PGID: 7"
        )
    }

    #[test]
    fn the_status_of_a_command_is_read_below_what_it_printed() {
        assert_eq!(told(&result("3 passed", "0")), Some(("3 passed", 0)));
        assert_eq!(told(&result("no\nmore", "2")), Some(("no\nmore", 2)));
        let advised = result("ok", "0") + "\n\nNote: this foreground command ran for 70s.";
        assert_eq!(told(&advised), Some(("ok", 0)));
        assert_eq!(told(&result(&result("x", "0"), "1")).map(|(_, status)| status), Some(1));
    }

    #[test]
    fn nothing_is_known_of_what_did_not_run_to_its_end() {
        let killed = result("x", "(none)");
        let signalled = result("x", "0").replace("Signal: (none)", "Signal: 15");
        let cut = result("x", "0") + "\nmore of the output";
        for text in [&*killed, &*signalled, &*cut, "Command timed out after 1ms", ""] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
