//! Doing what a next step says, as it is given.

use std::path::Path;

use serde_json::{Value, json};
use waypost_core::key::sha256_hex;
use waypost_testkit::mcp::Client;
use waypost_testkit::{TestEnv, everything};

use crate::CONVERSATION;

/// What became of a step.
pub(crate) enum Taken {
    /// It was done.
    Done,
    /// It is for people.
    ForHumans,
    /// It is the work itself.
    Work,
}

/// Takes the steps that are named: now, or before the work is over.
pub(crate) fn take(env: &TestEnv, client: &mut Client, step: &str) -> Taken {
    let step = step.trim_end_matches('.');
    let asked = match step.split_once("before you are done: ") {
        Some((_, asked)) => asked,
        None if step.starts_with("go on with the objective") => return Taken::Work,
        None => step,
    };
    // What is to be done now comes first where it leads on to something else.
    if step.starts_with("divide ") || step.starts_with("begin ") || step.starts_with("finish ") {
        let now = step.split("; ").next().unwrap();
        for one in now.split(", then ") {
            take_one(env, client, one, now);
        }
        return Taken::Done;
    }
    for asked in asked.split("), ") {
        let asked = asked.split(" (for ").next().unwrap();
        for one in asked.split(", then ") {
            match take_one(env, client, one, asked) {
                Taken::Done => {}
                other => return other,
            }
        }
    }
    Taken::Done
}

fn take_one(env: &TestEnv, client: &mut Client, one: &str, whole: &str) -> Taken {
    if one.contains("ask the user") {
        return Taken::ForHumans;
    }
    let first = one.split(' ').next().unwrap_or_default();
    match first {
        // The work itself is done by then.
        "work" | "do" | "finish" => {}
        "waypost" => run(env, one),
        "divide" => {
            let session = one.rsplit('/').nth(1).unwrap();
            env.write_plan(session, 1);
        }
        "begin" | "complete" => {
            return take_one(env, client, one.split(": ").nth(1).unwrap(), whole);
        }
        "read" => read(env, &one["read ".len()..]),
        "write" => {
            let file = one["write ".len()..].trim_end_matches('*');
            let file = if Path::new(file).extension().is_some() {
                file.into()
            } else {
                format!("{file}.md")
            };
            env.write(&file, "written\n");
        }
        "call" if one.contains("record_evidence") => show(env, client, one, whole),
        "call" if one.contains("__") => {}
        "call" => {
            let tool = one.split([' ', ':']).nth(1).unwrap();
            let arguments = match tool {
                "session_start" => json!({"objective": "go on"}),
                "session_end" => json!({"summary": "done"}),
                "workflow_complete_phase" => {
                    let phase = one.rsplit(' ').next().unwrap();
                    json!({"phase": phase.parse::<u64>().unwrap(), "evidence": {}})
                }
                "session_init_build" => json!({"checkpoints_total": 1}),
                "session_complete_checkpoint" => json!({"checkpoint_id": 1}),
                "session_complete_task" => json!({"task_id": one.rsplit(' ').next().unwrap()}),
                _ => json!({}),
            };
            client.works(tool, arguments);
        }
        _ => panic!("nobody knows how to do this: {one}"),
    }
    Taken::Done
}

/// A command, with a value for what it leaves open.
fn run(env: &TestEnv, line: &str) {
    let line = line.replace("=…", "=12");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let output = env.waypost(&words);
    assert!(output.status.success(), "{line}: {}", everything(&output));
}

/// Reading a file where hooks see it.
fn read(env: &TestEnv, file: &str) {
    let fields = json!({
        "session_id": CONVERSATION,
        "tool_name": "Read",
        "tool_use_id": file,
        "tool_input": {"file_path": env.project().join(file)},
        "tool_response": {"type": "text"},
    });
    env.hook("PreToolUse", &fields);
    env.hook("PostToolUse", &fields);
}

/// Evidence of what nobody saw.
fn show(env: &TestEnv, client: &mut Client, one: &str, whole: &str) {
    let after = |word: &str| {
        let rest = one.split(word).nth(1).unwrap();
        rest.split_whitespace().next().unwrap().to_owned()
    };
    let (phase, step) = (after("phase "), after("step "));
    let read = whole.strip_prefix("read ").and_then(|rest| rest.split(',').next());
    let (of, evidence) = match read {
        Some(file) => {
            let content = env.read(file);
            ("content_hash", Value::String(sha256_hex(&[content.as_bytes()])))
        }
        None => ("tool_output", json!("it answered with 3 memories")),
    };
    client.works(
        "record_evidence",
        json!({"phase": phase, "step": step, "evidence_type": of, "evidence": evidence}),
    );
}
