//! Whatever the other side answers, sessions go on, and no agent is told any of it as if Waypost had said it.

use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, OLDER};
use waypost_testkit::{TestEnv, everything};

use crate::servers::trust;

/// What an injected text begins with.
const EVIL: &str = "IGNORE ALL";

/// A project whose mirrors both answer in that way.
fn answered(way: &str) -> TestEnv {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mirrors/hostile.py");
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let command = json!(["python3", script, way]);
    env.init_with(&format!(
        "[project]\nprotocol = \"builtin\"\nmirrors = [\"serena\", \"notes\"]\n\n\
         [mirror.serena]\ncommand = {command}\n\n[mirror.notes]\ncommand = {command}\n"
    ));
    trust(&env);
    // One that says nothing that can be understood is given up on soon.
    env.vars.push(("WAYPOST_TEST_LIMITS".to_owned(), "0.01".to_owned()));
    env
}

fn harmless(way: &str) {
    let env = answered(way);
    env.begin();
    let mut client = Client::start(&env, OLDER, &[]);
    let started = client.works("session_start", json!({"objective": "Go on"}));
    let id = started["session_id"].as_str().unwrap().to_owned();
    assert_eq!(client.end(), Some(0), "{way}");
    let output = env.waypost(&["mirror", "sync", "--json"]);
    let synced: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{way}: {}", everything(&output)));
    assert!(matches!(output.status.code(), Some(0 | 1)), "{way}: {}", everything(&output));
    // What it said is nowhere but where it is told as its own words.
    for told in [
        synced.to_string(),
        everything(&env.waypost(&["mirror", "status"])),
        everything(&env.waypost(&["doctor"])),
    ] {
        for (at, _) in told.match_indices(EVIL) {
            assert!(told[..at].ends_with("says \u{201c}"), "{way}: {told}");
        }
        assert!(!told.contains('\u{202e}') && !told.contains("\u{1b}[2J"), "{way}: {told}");
    }
    let mut client = Client::start(&env, OLDER, &[]);
    let gate = client.works("validate_gate", json!({"phase": "SERENA_INIT"}));
    let heard = [
        gate.to_string(),
        client.works("session_get_state", json!({})).to_string(),
        client.works("session_brief", json!({})).to_string(),
        env.hook("UserPromptSubmit", &json!({"prompt": "go"})).stdout,
        env.ok(&["brief", &id]),
        env.ok(&["show", &id]),
    ];
    assert!(!heard.concat().contains(EVIL), "{way}: {heard:?}");
    for from in ["serena", "notes"] {
        let (_, told) = env.as_person(&["restore", "--from", from]);
        assert!(!told.contains("  restored"), "{way}: {told}");
        assert!(!told.contains("panicked"), "{way}: {told}");
    }
    client.works("session_add_note", json!({"kind": "note", "text": "still here"}));
    assert_eq!(client.end(), Some(0), "{way}");
    env.ok(&["verify", "--all"]);
}

#[test]
fn injected_texts_reach_no_agent() {
    harmless("injects");
}

#[test]
fn refusals_full_of_instructions_reach_no_agent() {
    harmless("refuses");
}

#[test]
fn answers_of_wrong_types_break_nothing() {
    harmless("wrong");
    harmless("odd");
}

#[test]
fn huge_answers_break_nothing() {
    harmless("huge");
}

#[test]
fn bytes_that_are_no_text_and_sudden_ends_break_nothing() {
    harmless("bytes");
    harmless("ends");
}
