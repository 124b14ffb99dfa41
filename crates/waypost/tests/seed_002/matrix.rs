//! What a tool may do, by whether the state can be read, how far the protocol is, and the mode: every cell of the second
//! seed's matrix, with the real binary.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, OLDER};
use waypost_testkit::{TestEnv, everything};

use crate::{accepted, get_state, only_session};

/// `yes`: the call goes on. `no`: it is denied, and what to do next is said. Under `get-state` stands its exit status.
/// Whoever cannot read the state cannot know the mode either, so that `disabled` opens nothing then.
const MATRIX: &str = "
state      protocol mode     Read Glob Grep LSP WebFetch WebSearch Edit Write NotebookEdit Bash get-state
readable   complete analysis yes  yes  yes  yes yes      yes       no   no    no           no   0
readable   complete planning yes  yes  yes  yes yes      yes       no   no    no           no   0
readable   complete coding   yes  yes  yes  yes yes      yes       yes  yes   yes          yes  0
readable   complete disabled yes  yes  yes  yes yes      yes       yes  yes   yes          yes  0
readable   complete sparkle  yes  yes  yes  yes yes      yes       no   no    no           no   0
readable   complete (empty)  yes  yes  yes  yes yes      yes       no   no    no           no   0
readable   open     analysis yes  yes  yes  yes yes      yes       no   no    no           no   0
readable   open     planning yes  yes  yes  yes yes      yes       no   no    no           no   0
readable   open     coding   yes  yes  yes  yes yes      yes       no   no    no           no   0
readable   open     disabled yes  yes  yes  yes yes      yes       yes  yes   yes          yes  0
readable   open     sparkle  yes  yes  yes  yes yes      yes       no   no    no           no   0
readable   open     (empty)  yes  yes  yes  yes yes      yes       no   no    no           no   0
unreadable complete analysis yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable complete planning yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable complete coding   yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable complete disabled yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable complete sparkle  yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable complete (empty)  yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable open     analysis yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable open     planning yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable open     coding   yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable open     disabled yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable open     sparkle  yes  yes  yes  yes yes      yes       no   no    no           no   3
unreadable open     (empty)  yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   complete analysis yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   complete planning yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   complete coding   yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   complete disabled yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   complete sparkle  yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   complete (empty)  yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   open     analysis yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   open     planning yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   open     coding   yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   open     disabled yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   open     sparkle  yes  yes  yes  yes yes      yes       no   no    no           no   3
tampered   open     (empty)  yes  yes  yes  yes yes      yes       no   no    no           no   3
";
/// What stands for a mode without a name.
const EMPTY: &str = "(empty)";

/// A project in which a conversation follows the protocol, that far, in that mode.
fn project(protocol: &str, mode: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".agents/HANDOFF.md", "where it stands\n");
    env.write("src/lib.txt", "one\n");
    let known = ["analysis", "planning", "coding", "disabled"].contains(&mode);
    let of_project = if known { "coding" } else { mode.trim_matches(['(', ')']) };
    let of_project = if mode == EMPTY { "" } else { of_project };
    env.init_with(&format!("[project]\nprotocol = \"builtin\"\nmode = \"{of_project}\"\n"));
    env.begin();
    let mut client = Client::start(&env, OLDER, &[]);
    let started = client.works("session_start", json!({"objective": "Walk the matrix"}));
    let id = started["session_id"].as_str().unwrap();
    if protocol == "complete" {
        let handoff = env.project().join(".agents/HANDOFF.md");
        let read =
            json!({"tool_name": "Read", "tool_use_id": "r", "tool_input": {"file_path": handoff}});
        env.hook("PreToolUse", &read);
        let mut done = read;
        done["tool_response"] = json!({"type": "text"});
        env.hook("PostToolUse", &done);
        env.write(&format!(".agents/sessions/{id}.md"), "| MUST | Commit | [x] | |\n");
    }
    if mode == "disabled" {
        let (worked, told) = env.as_person(&["mode", "disabled"]);
        assert!(worked, "{told}");
    } else if known {
        env.ok(&["mode", mode]);
    }
    env
}

fn event(env: &TestEnv, tool: &str) -> Value {
    let file = env.project().join("src/lib.txt");
    let input = match tool {
        "Read" => json!({"file_path": file}),
        "Glob" | "Grep" => json!({"pattern": "one"}),
        "LSP" => json!({"operation": "hover", "filePath": file, "line": 1, "character": 1}),
        "WebFetch" => json!({"url": "https://example.com", "prompt": "read"}),
        "WebSearch" => json!({"query": "one"}),
        "Edit" => json!({"file_path": file, "old_string": "one", "new_string": "two"}),
        "Write" => json!({"file_path": file, "content": "two"}),
        "NotebookEdit" => json!({"notebook_path": file, "new_source": "two"}),
        "Bash" => json!({"command": "rm -r src"}),
        other => panic!("no tool is called {other}"),
    };
    json!({"tool_name": tool, "tool_use_id": "t", "tool_input": input})
}

/// What becomes of a cell, in the words of the matrix.
fn cell(env: &TestEnv, column: &str) -> String {
    if column == "get-state" {
        let output = env.waypost(&["session", "get-state"]);
        let status = output.status.code().unwrap();
        let is_silent = output.stdout.is_empty() && !output.stderr.is_empty();
        let is_right = if status == 0 { !output.stdout.is_empty() } else { is_silent };
        return if is_right { status.to_string() } else { everything(&output) };
    }
    let answer = env.hook("PreToolUse", &event(env, column));
    match answer.denied() {
        None if answer.status == 0 => "yes".to_owned(),
        Some(why) if why.contains("Next:") => "no".to_owned(),
        _ => format!("{answer:?}"),
    }
}

/// The records of the only session, and what they were.
struct Records {
    file: PathBuf,
    snapshot: PathBuf,
    whole: Vec<u8>,
}

impl Records {
    fn of(env: &TestEnv) -> Self {
        let file = env.log_of(&only_session(env));
        let snapshot = file.with_file_name("snapshot");
        let whole = fs::read(&file).unwrap();
        Self { file, snapshot, whole }
    }

    /// What is derived is gone, so that the records have to be read.
    fn make(&self, state: &str) {
        let _ = fs::remove_file(&self.snapshot);
        let _ = fs::remove_file(&self.file).or_else(|_| fs::remove_dir(&self.file));
        match state {
            // Nothing is unreadable for root; a folder in its place is.
            "unreadable" => fs::create_dir(&self.file).unwrap(),
            "tampered" => {
                let text = String::from_utf8(self.whole.clone()).unwrap();
                let other = text.replacen("Walk the matrix", "Walk the Matrix", 1);
                assert_ne!(text, other);
                fs::write(&self.file, other).unwrap();
            }
            _ => fs::write(&self.file, &self.whole).unwrap(),
        }
    }
}

#[test]
fn seed_002_every_cell_of_the_matrix_comes_out_as_stated() {
    let mut lines = MATRIX.trim().lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let columns = lines.next().unwrap().split_off(3);
    let mut rows: Vec<Vec<&str>> = lines.collect();
    assert_eq!(rows.len(), 3 * 2 * 6);
    rows.sort_by_key(|row| (row[1], row[2]));
    let mut differing = Vec::new();
    for of_project in rows.chunk_by(|one, other| one[1..3] == other[1..3]) {
        let (protocol, mode) = (of_project[0][1], of_project[0][2]);
        let env = project(protocol, mode);
        let told = get_state(&env);
        assert_eq!(told["protocolStartComplete"], protocol == "complete", "{mode}: {told:#}");
        assert_eq!(told["currentMode"], if mode == EMPTY { "" } else { mode });
        assert_eq!(accepted(&env, &told), told, "what is told may be given back");
        let records = Records::of(&env);
        for row in of_project {
            assert_eq!(row.len(), columns.len() + 3, "{row:?}");
            records.make(row[0]);
            for (column, stated) in columns.iter().zip(&row[3..]) {
                let found = cell(&env, column);
                if found != *stated {
                    let place = row[..3].join(", ");
                    differing.push(format!("{place}, {column}: {found} instead of {stated}"));
                }
            }
        }
    }
    assert!(differing.is_empty(), "{}\n{MATRIX}", differing.join("\n"));
}
