//! Sessions as OpenCode keeps them: rows of a database in 1.18, before 1.2 a file for each session, message and part.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::{path, put};
use crate::row::{Call, Row, Step};

const SESSION: &str = "ses_1";
const BEGUN: i64 = 1_795_000_000_000;

/// Files.
pub(super) fn write_files(home: &Path, project: &Path, row: &Row) {
    let storage = home.join(".local/share/opencode/storage");
    let session = json!({"id": SESSION, "directory": project, "time": {"created": BEGUN}});
    put(&storage.join("session/global/ses_1.json"), &session.to_string());
    for (id, _, mut message, part) in messages(row, project) {
        (message["id"], message["sessionID"]) = (json!(id), json!(SESSION));
        put(&storage.join(format!("message/ses_1/{id}.json")), &message.to_string());
        put(&storage.join(format!("part/{id}/prt_0001.json")), &part.to_string());
    }
}

/// Rows of a database.
pub(super) fn write_rows(home: &Path, project: &Path, row: &Row) {
    let folder = home.join(".local/share/opencode");
    fs::create_dir_all(&folder).unwrap();
    let database = Connection::open(folder.join("opencode.db")).unwrap();
    database.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF").unwrap();
    database.execute_batch(include_str!("opencode.sql")).unwrap();
    let project = project.to_str().unwrap();
    let made = "INSERT INTO project (id, worktree, sandboxes, time_created, time_updated) VALUES ('global', '/', '[]', ?1, ?1)";
    database.execute(made, [BEGUN]).unwrap();
    let begun = "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES (?1, 'global', 'calm-canyon', ?2, 'A title', '1.18.33', ?3, ?3)";
    database.execute(begun, params![SESSION, project, BEGUN]).unwrap();
    for (id, created, message, part) in messages(row, Path::new(project)) {
        let said = "INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?1, ?2, ?3, ?3, ?4)";
        database.execute(said, params![id, SESSION, created, message.to_string()]).unwrap();
        let of_it = "INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
        let name = id.replace("msg", "prt");
        database.execute(of_it, params![name, id, SESSION, created, part.to_string()]).unwrap();
    }
}

/// The messages of a row: the id, the time, the message and its only part.
fn messages(row: &Row, project: &Path) -> Vec<(String, i64, Value, Value)> {
    let message = |(at, step): (usize, &Step)| {
        let part = part(at, step, project)?;
        let role = if matches!(step, Step::User(_)) { "user" } else { "assistant" };
        let created = BEGUN + i64::try_from(at).unwrap() * 1000;
        let mut message = json!({"role": role, "time": {"created": created}});
        if matches!(step, Step::Interrupt) {
            message["error"] =
                json!({"name": "MessageAbortedError", "data": {"message": "aborted"}});
        }
        Some((format!("msg_{at:04}"), created, message, part))
    };
    row.steps.iter().enumerate().filter_map(message).collect()
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
