//! Cursor's tools, as the gates see them, and how their calls ended.

use std::borrow::Cow;

use serde::Deserialize;
use waypost_app::harness::{Event, Input, ToolEnd};

use crate::harnesses::shape::tools::{Line, Row, edits, harmless, looks, other, reads, runs};

const SHELL: &str = "Shell";

const LINE: Line = Line { command: "command", folder: "cwd", background: "is_background" };

pub(super) const ROWS: &[Row] = &[
    runs(SHELL, LINE),
    reads("Read", "file_path"),
    edits("Write", "Write", "file_path"),
    edits("Delete", "Edit", "file_path"),
    looks("Grep", "Grep", "file_path"),
    looks("List", "LS", "file_path"),
    looks("ReadLints", "ReadLints", "file_path"),
    other("Task", "Agent"),
    harmless("Fetch", "WebFetch"),
    harmless("FetchMcpResource", "ReadMcpResourceTool"),
    harmless("ListMcpResources", "ListMcpResourcesTool"),
    harmless("TodoWrite", "TodoWrite"),
    harmless("WebFetch", "WebFetch"),
    harmless("WebSearch", "WebSearch"),
];

/// What a shell answered: JSON within a text.
#[derive(Deserialize, Default)]
struct Shell {
    output: Option<String>,
    #[serde(rename = "exitCode")]
    status: Option<i32>,
}

/// How the tool call ended, where the status is really known.
pub(super) fn ended(input: &Input<'_>) -> ToolEnd {
    if input.event == Some(Event::AfterFailure) {
        if input.interrupted || input.reason.as_deref() == Some("timeout") {
            return ToolEnd::Unclear;
        }
        return ToolEnd::Failed(1);
    }
    if served_error(input) {
        return ToolEnd::Failed(1);
    }
    if input.tool.as_deref() != Some(SHELL) {
        return ToolEnd::Succeeded;
    }
    match shell(input).status {
        Some(0) => ToolEnd::Succeeded,
        Some(status) => ToolEnd::Failed(status),
        None => ToolEnd::Unclear,
    }
}

/// What a command line printed.
pub(super) fn printed<'i>(input: &Input<'i>) -> Vec<Cow<'i, str>> {
    if input.event == Some(Event::AfterFailure) {
        return input.error.clone().into_iter().collect();
    }
    shell(input).output.map(Cow::Owned).into_iter().collect()
}

/// What a server's tool answered that failed.
#[derive(Deserialize, Default)]
struct Served {
    error: Option<serde_json::Value>,
    rejected: Option<bool>,
    #[serde(rename = "isError")]
    is_error: Option<bool>,
    #[serde(rename = "permissionDenied")]
    denied: Option<bool>,
}

fn served_error(input: &Input<'_>) -> bool {
    let served: Served = within(input).unwrap_or_default();
    let flags = [served.rejected, served.is_error, served.denied];
    served.error.is_some() || flags.contains(&Some(true))
}

fn shell(input: &Input<'_>) -> Shell {
    within(input).unwrap_or_default()
}

/// What a tool answered: an object, or the text of one.
fn within<T: serde::de::DeserializeOwned>(input: &Input<'_>) -> Option<T> {
    let raw = input.response?.get();
    let text: Option<String> = serde_json::from_str(raw).ok();
    serde_json::from_str(text.as_deref().unwrap_or(raw)).ok()
}
