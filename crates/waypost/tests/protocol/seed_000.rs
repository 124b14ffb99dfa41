//! The tests that the first description of the protocol names, under names that point to them.

use serde_json::json;
use waypost_testkit::mcp::{Client, NEWER, OLDER};

use crate::project::{bare, call_serena, client, evidence, furnished, gate, start, watched};

#[test]
fn seed_000_session_start_creates_session_state() {
    let env = bare();
    let mut client = client(&env);
    let started = start(&mut client);
    let id = started["session_id"].as_str().unwrap();
    let (day, number) = id.split_once("-session-").unwrap();
    assert_eq!((day.len(), number), (10, "01"), "{id}");
    assert_eq!(started["phase"], "INIT");
    let state = env.json(&["status", "--json"]);
    assert_eq!((&state["session_id"], &state["objective"]), (&json!(id), &json!("Test")));
    let log = std::fs::read_to_string(env.log_of(id)).unwrap();
    assert!(log.contains("Test"), "the objective is in the records");
}

#[test]
fn seed_000_session_start_rejects_if_session_already_active() {
    let env = bare();
    let mut client = client(&env);
    let id = start(&mut client)["session_id"].as_str().unwrap().to_owned();
    let before = std::fs::read(env.log_of(&id)).unwrap();
    let refused = client.refused("session_start", json!({"objective": "Test"}));
    assert!(refused.contains("Session already active"), "{refused}");
    assert_eq!(std::fs::read(env.log_of(&id)).unwrap(), before);
}

#[test]
fn seed_000_validate_gate_passes_serena_init_when_serena_responds() {
    let env = furnished();
    env.begin();
    let mut client = watched(&env);
    start(&mut client);
    for tool in ["activate_project", "initial_instructions"] {
        call_serena(&env, tool);
    }
    let found = gate(&mut client, "SERENA_INIT");
    assert_eq!((&found["status"], &found["blocking"]), (&json!("PASS"), &json!(true)), "{found}");
    assert!(found["evidence"].as_str().unwrap().contains("observed"), "{found}");
}

#[test]
fn seed_000_validate_gate_fails_serena_init_when_serena_unavailable() {
    let env = furnished();
    env.begin();
    let mut client = watched(&env);
    start(&mut client);
    let tool = json!({"tool_name": "mcp__serena__activate_project", "tool_input": {}, "tool_use_id": "s1"});
    env.hook("PreToolUse", &tool);
    let mut failed = tool;
    failed["error"] = json!("Connection refused");
    env.hook("PostToolUseFailure", &failed);
    assert_eq!(gate(&mut client, "SERENA_INIT")["status"], "FAIL");
    // Saying that it answered proves nothing where hooks would have seen it.
    let said = evidence(&mut client, "SERENA_INIT", "tool_output", "activate_project: activated");
    assert_eq!((&said["auto_validated"], &said["gate_status"]), (&json!(false), &json!("PENDING")));
    assert_eq!(gate(&mut client, "SERENA_INIT")["status"], "FAIL");
}

#[test]
fn seed_000_integration_completes_full_session_lifecycle() {
    for revision in [OLDER, NEWER] {
        let env = bare();
        let mut client = Client::start(&env, revision, &[]);
        let started = client.works("session_start", json!({"objective": "Integration test"}));
        assert!(started["session_id"].as_str().unwrap().ends_with("-session-01"));
        // Nothing is configured, so SKIPPED stands for PASS.
        assert_eq!(gate(&mut client, "SERENA_INIT")["status"], "SKIPPED");
        let ending = json!({"summary": "Integration test complete", "skip_qa": true});
        let ended = client.works("session_end", ending);
        assert_eq!(ended["status"], "COMPLETE", "{ended}");
        let next = client.works("session_start", json!({"objective": "The next"}));
        assert!(next["session_id"].as_str().unwrap().ends_with("-session-02"), "{next}");
    }
}
