//! Chats as Gemini CLI writes them: a line for each message as it becomes known, or one document.

use std::path::Path;

use serde_json::{Value, json};

use super::{path, put, time};
use crate::row::{Call, Row, Step};

pub(super) fn write(home: &Path, project: &Path, row: &Row, is_lines: bool) {
    let folder = home.join(".gemini/tmp/project");
    put(&folder.join(".project_root"), &project.display().to_string());
    let messages: Vec<Value> =
        row.steps.iter().enumerate().filter_map(|(at, step)| message(at, step, project)).collect();
    let mut head = json!({"sessionId": "8c3b6078-ed99", "projectHash": "x", "startTime": time(0), "lastUpdated": time(0)});
    if is_lines {
        let mut lines = vec![format!("{head}\n")];
        for message in messages {
            // A message is written first without its calls, and again with them.
            let mut first = message.clone();
            first.as_object_mut().unwrap().remove("toolCalls");
            lines.extend([format!("{first}\n"), format!("{message}\n")]);
            lines.push(format!("{}\n", json!({"$set": {"lastUpdated": time(1)}})));
        }
        put(&folder.join("chats/session-2026-11-18T10-00-8c3b6078.jsonl"), &lines.concat());
    } else {
        head["messages"] = json!(messages);
        let document = serde_json::to_string_pretty(&head).unwrap();
        put(&folder.join("chats/session-2026-11-18T10-00-8c3b6078.json"), &document);
    }
}

fn message(at: usize, step: &Step, project: &Path) -> Option<Value> {
    let of = |kind: &str, text: &str| json!({"id": format!("m{at}"), "timestamp": time(at), "type": kind, "content": text});
    match step {
        Step::User(text) => Some(of("user", text)),
        Step::Say(text) => Some(of("gemini", text)),
        Step::Compact => Some(of("info", "Context compressed from 90% to 12%.")),
        Step::Call { what, .. } => {
            let mut message = of("gemini", "");
            message["toolCalls"] = json!([call(at, what, project)]);
            Some(message)
        }
        _ => None,
    }
}

fn call(at: usize, call: &Call, project: &Path) -> Value {
    let (name, args, status, output) = match call {
        Call::Edit { file, refused } => {
            let status = if *refused { "cancelled" } else { "success" };
            ("replace", json!({"file_path": path(project, file)}), status, "ok".to_owned())
        }
        Call::Run { line, status, output } => {
            let failed =
                if *status == 0 { String::new() } else { format!("\nExit Code: {status}") };
            let output = format!("Output: {output}{failed}\nProcess Group PGID: 9");
            ("run_shell_command", json!({"command": line}), "success", output)
        }
        Call::Background(line) => {
            let args = json!({"command": line, "is_background": true});
            let output = "Command moved to background (PID: 9).".to_owned();
            ("run_shell_command", args, "success", output)
        }
        Call::Denied(line) => {
            ("run_shell_command", json!({"command": line}), "cancelled", String::new())
        }
        Call::Polled { .. } => panic!("only others wait for a line"),
        Call::Named(name) => (name.as_str(), json!({}), "success", "ok".to_owned()),
    };
    let response =
        json!([{"functionResponse": {"id": "c", "name": name, "response": {"output": output}}}]);
    json!({"id": format!("c{at}"), "name": name, "args": args, "status": status, "timestamp": time(at), "result": response})
}
