//! Files as OpenCode 1.1 writes them: one for each session, message and part.

use std::path::Path;

use serde_json::{Value, json};

use super::{path, put};
use crate::row::{Call, Row, Step};

pub(super) fn write(home: &Path, project: &Path, row: &Row) {
    let storage = home.join(".local/share/opencode/storage");
    let session =
        json!({"id": "ses_1", "directory": project, "time": {"created": 1_795_000_000_000_i64}});
    put(&storage.join("session/global/ses_1.json"), &session.to_string());
    for (at, step) in row.steps.iter().enumerate() {
        let Some(part) = part(at, step, project) else { continue };
        let id = format!("msg_{at:04}");
        let role = if matches!(step, Step::User(_)) { "user" } else { "assistant" };
        let created = 1_795_000_000_000_i64 + i64::try_from(at).unwrap() * 1000;
        let mut message =
            json!({"id": id, "sessionID": "ses_1", "role": role, "time": {"created": created}});
        if matches!(step, Step::Interrupt) {
            message["error"] =
                json!({"name": "MessageAbortedError", "data": {"message": "aborted"}});
        }
        put(&storage.join(format!("message/ses_1/{id}.json")), &message.to_string());
        put(&storage.join(format!("part/{id}/prt_0001.json")), &part.to_string());
    }
}

fn part(at: usize, step: &Step, project: &Path) -> Option<Value> {
    match step {
        Step::User(text) | Step::Say(text) => Some(json!({"type": "text", "text": text})),
        Step::Compact => Some(json!({"type": "compaction", "auto": true})),
        Step::Call { what, .. } => Some(call(at, what, project)),
        Step::Interrupt => Some(json!({"type": "step-finish", "reason": "aborted"})),
        _ => None,
    }
}

fn call(at: usize, call: &Call, project: &Path) -> Value {
    let done = |input: Value, output: &str, exit: Option<i32>| json!({"status": "completed", "input": input, "output": output, "title": "", "metadata": {"exit": exit}});
    let (name, state) = match call {
        Call::Edit { file, .. } => {
            ("edit", done(json!({"filePath": path(project, file)}), "", None))
        }
        Call::Run { line, status, output } => {
            ("bash", done(json!({"command": line}), output, Some(*status)))
        }
        Call::Background(line) => ("bash", done(json!({"command": line}), "", None)),
        Call::Denied(line) => {
            ("bash", json!({"status": "error", "input": {"command": line}, "error": "rejected"}))
        }
        Call::Polled { .. } => panic!("only others wait for a line"),
        Call::Named(name) => (name.as_str(), done(json!({}), "ok", None)),
    };
    json!({"type": "tool", "tool": name, "callID": format!("c{at}"), "state": state})
}
