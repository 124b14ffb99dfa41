//! Lines as Codex 0.166 writes them.

use std::path::Path;

use serde_json::{Value, json};

use super::{path, put, time};
use crate::row::{Call, Row, Step};

const ID: &str = "01a1f081-70be-76c3-8999-47db89f1d188";

pub(super) fn write(home: &Path, project: &Path, row: &Row) {
    let mut lines = vec![line(
        0,
        "session_meta",
        &json!({"id": ID, "cwd": project, "originator": "codex_exec", "cli_version": "0.166.0"}),
    )];
    for (at, step) in row.steps.iter().enumerate() {
        for item in items(at, step, project) {
            lines.push(line(at, item.0, &item.1));
        }
    }
    let name = format!(".codex/sessions/2026/11/18/rollout-2026-11-18T10-00-00-{ID}.jsonl");
    put(&home.join(name), &lines.concat());
}

fn line(at: usize, kind: &str, payload: &Value) -> String {
    format!("{}\n", json!({"timestamp": time(at), "type": kind, "payload": payload}))
}

fn items(at: usize, step: &Step, project: &Path) -> Vec<(&'static str, Value)> {
    let message = |role: &str, kind: &str, text: &str| {
        let content = json!([{"type": kind, "text": text}]);
        vec![("response_item", json!({"type": "message", "role": role, "content": content}))]
    };
    match step {
        Step::User(text) => message("user", "input_text", text),
        Step::Say(text) => message("assistant", "output_text", text),
        Step::Compact => vec![("compacted", json!({"message": "All tests pass."}))],
        Step::Call { what, .. } => call(at, what, project),
        Step::Ghost => {
            let mut items = call(at, &Call::Named("spawn_agent".to_owned()), project);
            items[0].1["namespace"] = json!("multi_agent_v1");
            let done = "<subagent_notification>\n{\"status\":{\"completed\":\"Done.\"}}\n</subagent_notification>";
            items.extend(message("user", "input_text", done));
            items
        }
        Step::Interrupt => {
            vec![("event_msg", json!({"type": "turn_aborted", "reason": "interrupted"}))]
        }
        _ => Vec::new(),
    }
}

fn call(at: usize, call: &Call, project: &Path) -> Vec<(&'static str, Value)> {
    let id = format!("call_{at}");
    let made = |name: &str, given: &Value| json!({"type": "function_call", "name": name, "arguments": given.to_string(), "call_id": id});
    let ended = |text: String| {
        ("response_item", json!({"type": "function_call_output", "call_id": id, "output": text}))
    };
    let (made, text) = match call {
        Call::Edit { file, .. } => {
            let patch = format!(
                "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch",
                path(project, file)
            );
            let made = json!({"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": id});
            (made, "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.".to_owned())
        }
        Call::Run { line, status, output } => {
            let text = format!(
                "Chunk ID: f7\nWall time: 0.1 seconds\nProcess exited with code {status}\nOutput:\n{output}\n"
            );
            (made("exec_command", &json!({"cmd": line})), text)
        }
        Call::Background(line) => {
            let text =
                "Wall time: 9 seconds\nProcess running with session ID 7\nOutput:\n".to_owned();
            (made("exec_command", &json!({"cmd": line})), text)
        }
        Call::Polled { status, output } => {
            let ended = status.map_or_else(
                || "Process running with session ID 7".to_owned(),
                |status| format!("Process exited with code {status}"),
            );
            let text = format!("Wall time: 5 seconds\n{ended}\nOutput:\n{output}\n");
            (made("write_stdin", &json!({"session_id": 7, "chars": ""})), text)
        }
        Call::Denied(line) => {
            let text = format!("Command blocked by PreToolUse hook: no. Command: {line}");
            (made("exec_command", &json!({"cmd": line})), text)
        }
        Call::Named(name) => (made(name, &json!({})), "ok".to_owned()),
    };
    vec![("response_item", made), ended(text)]
}
