//! A server gives an answer again only while nothing has changed that it depends on.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER};

use crate::project::{PROTOCOL, furnished};

const QUESTIONS: [&str; 3] = ["get_blocked_reason", "requirement_status", "session_list"];

fn answers(client: &mut Client) -> Vec<Value> {
    QUESTIONS.iter().map(|name| client.call(name, json!({}))).collect()
}

/// Asks for as long as what just changed may not be relied on, so that answers are kept after it.
fn ask_until_settled(client: &mut Client) {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(150) {
        client.call("get_blocked_reason", json!({}));
    }
}

const GATE: &str =
    "[[gate]]\nid = \"notes\"\nbefore = [\"edit\"]\nproof = { file = \"NOTES.md\" }\n";

#[test]
fn whatever_changes_a_server_answers_like_one_that_just_began() {
    type Change = fn(&TestEnv);
    let env = furnished();
    let mut server = Client::start(&env, NEWER, &[]);
    server.works("session_start", json!({"objective": "Add login"}));
    let changes: [(&str, Change); 8] = [
        ("a gate", |env| env.write("waypost.toml", &format!("{PROTOCOL}\n{GATE}"))),
        ("the file that it asks for", |env| env.write("NOTES.md", "\n")),
        ("the file is gone", |env| fs::remove_file(env.project().join("NOTES.md")).unwrap()),
        ("another branch", |env| drop(env.git(&["switch", "-qc", "other"]))),
        ("a note", |env| drop(env.ok(&["note", "add", "seen"]))),
        ("a file of the protocol is gone", |env| {
            fs::remove_dir_all(env.project().join(".agents")).unwrap();
        }),
        ("derived files are gone", |env| fs::remove_dir_all(env.store().join("index")).unwrap()),
        ("it is over", |env| drop(env.ok(&["end", "--failed"]))),
    ];
    for (what, change) in changes {
        ask_until_settled(&mut server);
        let before = answers(&mut server);
        assert_eq!(answers(&mut server), before, "before: {what}");
        change(&env);
        let mut fresh = Client::start(&env, NEWER, &[]);
        assert_eq!(answers(&mut server), answers(&mut fresh), "{what}");
        fresh.end();
    }
    server.end();
}
