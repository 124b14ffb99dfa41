//! OpenCode's tools, as the gates see them, and how their calls ended.

use std::borrow::Cow;

use serde::Deserialize;
use waypost_app::harness::{Input, ToolEnd};

use crate::harnesses::shape::tools::{
    Line, Row, asks, edits, harmless, looks, other, patches, reads, runs, skill,
};

const SHELL: &str = "bash";

const LINE: Line = Line { command: "command", folder: "workdir", background: "background" };

pub(super) const ROWS: &[Row] = &[
    runs(SHELL, LINE),
    reads("read", "filePath"),
    edits("write", "Write", "filePath"),
    edits("edit", "Edit", "filePath"),
    edits("multiedit", "MultiEdit", "filePath"),
    patches("apply_patch", "patchText"),
    patches("patch", "patchText"),
    looks("grep", "Grep", "path"),
    looks("glob", "Glob", "path"),
    looks("list", "LS", "path"),
    skill("skill", "name"),
    asks("question", "AskUserQuestion"),
    asks("plan_exit", "ExitPlanMode"),
    other("batch", "batch"),
    other("task", "Agent"),
    harmless("invalid", "invalid"),
    harmless("lsp", "LSP"),
    harmless("plan_enter", "EnterPlanMode"),
    harmless("todoread", "TodoRead"),
    harmless("todowrite", "TodoWrite"),
    harmless("webfetch", "WebFetch"),
    harmless("websearch", "WebSearch"),
    harmless("codesearch", "codesearch"),
];

/// What the plugin tells of a result.
#[derive(Deserialize, Default)]
struct Response {
    output: Option<String>,
    exit: Option<i32>,
    truncated: Option<bool>,
    #[serde(rename = "isError")]
    is_error: Option<bool>,
}

/// How the tool call ended, where the status is really known. Of one that failed, the plugin hears nothing.
pub(super) fn ended(input: &Input<'_>) -> ToolEnd {
    let response = response(input);
    if response.is_error == Some(true) {
        return ToolEnd::Failed(1);
    }
    if input.tool.as_deref() != Some(SHELL) {
        return ToolEnd::Succeeded;
    }
    match response.exit {
        Some(0) => ToolEnd::Succeeded,
        Some(status) => ToolEnd::Failed(status),
        None => ToolEnd::Unclear,
    }
}

/// What a command line printed, where all of it is told.
pub(super) fn printed<'i>(input: &Input<'i>) -> Vec<Cow<'i, str>> {
    let response = response(input);
    let output = response.output.filter(|_| response.truncated != Some(true));
    output.map(Cow::Owned).into_iter().collect()
}

fn response(input: &Input<'_>) -> Response {
    input.response.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}
