//! How a command ended, by what Codex has written into its transcript just before it calls the hook.

use serde::Deserialize;
use waypost_app::harness::ToolEnd;

#[derive(Deserialize)]
struct Line {
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    item: Item,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    id: String,
    status: Option<String>,
    exit_code: Option<i32>,
}

/// So much of the transcript's end is looked at first, and so much where a command printed more than that.
const NEAR: u64 = 64 * 1024;
const FAR: u64 = 4 * 1024 * 1024;

/// How the command line of this call ended; none where the transcript does not tell.
pub(super) fn ended(call: &str, tail: &dyn Fn(u64) -> Vec<u8>) -> Option<ToolEnd> {
    [NEAR, FAR].into_iter().find_map(|length| ended_in(call, &tail(length)))
}

fn ended_in(call: &str, transcript: &[u8]) -> Option<ToolEnd> {
    let mut lines = transcript.rsplit(|byte| *byte == b'\n');
    let item = lines.find_map(|line| {
        let is_about = contains(line, b"CommandExecution") && contains(line, call.as_bytes());
        let line: Line = serde_json::from_slice(line).ok().filter(|_| is_about)?;
        Some(line.payload.item).filter(|item| item.id == call && item.kind == "CommandExecution")
    })?;
    Some(match (item.status.as_deref(), item.exit_code) {
        (Some("completed"), Some(0)) => ToolEnd::Succeeded,
        (_, Some(status)) if status != 0 => ToolEnd::Failed(status),
        _ => ToolEnd::Unclear,
    })
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}
