//! A value that somebody changes deep within: the signature of states does not cover it, the records do.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

use crate::{accepted, begun, get_state};

const SECRET: &str = "a secret of tests, thirty-two bytes";
const ID: &str = "0b6c1f2e-7d2a-4a8e-9a77-3f1d5c9e2b10";
/// What the signature of [`signed`] is, as node makes it by the seed's own algorithm.
const SIGNATURE: &str = "30b35e0a8d356597e3e5eaf7038bd3986e5ac319bd736001439ec5a1e0b035a8";

/// A state as orchestrators elsewhere keep it.
fn signed() -> Value {
    json!({
        "sessionId": ID, "currentMode": "coding",
        "modeHistory": [{"mode": "coding", "timestamp": "2026-01-18T10:00:00.000Z"}],
        "protocolStartComplete": true, "protocolEndComplete": false,
        "protocolStartEvidence": {"brainMcpInitialized": "yes"}, "protocolEndEvidence": {},
        "orchestratorWorkflow": {
            "activeAgent": null, "workflowPhase": "validation",
            "agentHistory": [{
                "agent": "implementer", "startedAt": "2026-01-18T10:06:00.000Z",
                "completedAt": "2026-01-18T10:30:00.000Z", "status": "completed",
                "input": {"prompt": "Add a form", "context": {}, "artifacts": []},
                "output": {"artifacts": ["form.ts"], "summary": "The form works", "recommendations": [],
                    "blockers": []},
                "handoffFrom": null, "handoffTo": "security", "handoffReason": "judge it",
            }],
            "decisions": [],
            "verdicts": [{
                "agent": "security", "decision": "conditional", "confidence": 0.6,
                "reasoning": "No limit on tries", "conditions": ["Limit the tries"],
                "timestamp": "2026-01-18T10:40:00.000Z",
            }],
            "pendingHandoffs": [], "compactionHistory": [], "startedAt": "2026-01-18T10:06:00.000Z",
            "lastAgentChange": "2026-01-18T10:40:00.000Z",
        },
        "version": 4, "createdAt": "2026-01-18T10:00:00.000Z", "updatedAt": "2026-01-18T10:40:00.000Z",
        "_signature": SIGNATURE,
    })
}

/// A project whose key is the secret that signed the state.
fn with_secret() -> TestEnv {
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.vars.push(("BRAIN_SESSION_SECRET".into(), SECRET.into()));
    env.init_with("[project]\n");
    env
}

/// What an import says of a state.
fn said_of(state: &Value) -> String {
    let env = with_secret();
    let file = env.home().join("state.json");
    fs::write(&file, state.to_string()).unwrap();
    env.json(&["import", file.to_str().unwrap(), "--json"]).to_string()
}

const RIGHT: &str = "its signature is right; it covers only the values at the top level";

#[test]
fn seed_002_a_signed_state_verifies_on_import_with_what_that_does_not_cover() {
    let state = signed();
    assert!(said_of(&state).contains(RIGHT), "{}", said_of(&state));
    let mut other = state.clone();
    other["currentMode"] = json!("planning");
    assert!(said_of(&other).contains("its signature is wrong"), "{}", said_of(&other));
    let mut other = state;
    other.as_object_mut().unwrap().remove("_signature");
    assert!(said_of(&other).contains("it is not signed"), "{}", said_of(&other));
}

/// Sees that one text of a record that is changed to another is found by everybody who asks.
fn is_found(env: &TestEnv, session: &str, text: &str, other: &str) {
    let file = env.log_of(session);
    let whole = fs::read_to_string(&file).unwrap();
    assert_eq!(whole.matches(text).count(), 1, "{text} in {whole}");
    fs::write(&file, whole.replace(text, other)).unwrap();
    for args in [&["verify", session][..], &["session", "get-state", session]] {
        let output = env.waypost(args);
        assert_eq!(output.status.code(), Some(3), "{args:?}, {text}: {}", everything(&output));
        assert_eq!(args[0] == "session", output.stdout.is_empty(), "{}", everything(&output));
    }
    fs::write(&file, whole).unwrap();
    env.ok(&["verify", session]);
}

#[test]
fn seed_002_nested_tampering_is_found_where_the_states_own_signature_accepts_it() {
    let mut tampered = signed();
    let workflow = &mut tampered["orchestratorWorkflow"];
    workflow["verdicts"][0]["confidence"] = json!(0.99);
    workflow["verdicts"][0]["decision"] = json!("approve");
    workflow["agentHistory"][0]["output"]["summary"] = json!("Nothing works");
    assert!(said_of(&tampered).contains(RIGHT), "the seed's algorithm does not see it");

    let env = with_secret();
    let session = env.start("Judge a form");
    let mut own = signed()["orchestratorWorkflow"].clone();
    own.as_object_mut()
        .unwrap()
        .retain(|name, _| ["agentHistory", "verdicts"].contains(&name.as_str()));
    accepted(&env, &json!({"orchestratorWorkflow": own}));
    let told = get_state(&env);
    assert_eq!(told["orchestratorWorkflow"]["verdicts"][0]["confidence"], 0.6);
    is_found(&env, &session, "\"confidence\":0.6", "\"confidence\":0.99");
    is_found(&env, &session, "\"verdict\":\"conditional\"", "\"verdict\":\"approve\"");
    is_found(&env, &session, "The form works", "Nothing works");
    assert_eq!(get_state(&env), told);
}

#[test]
fn a_state_that_was_brought_is_covered_by_the_record_of_its_import() {
    let env = with_secret();
    let file = env.home().join("state.json");
    fs::write(&file, signed().to_string()).unwrap();
    env.ok(&["import", file.to_str().unwrap()]);
    env.ok(&["resume", ID]);
    is_found(&env, ID, "\"confidence\":0.6", "\"confidence\":0.99");
}

/// The lists of a workflow, by how many entries each has.
fn lengths(state: &Value) -> [usize; 3] {
    let workflow = &state["orchestratorWorkflow"];
    ["agentHistory", "verdicts", "modeHistory"].map(|list| {
        let list = workflow.get(list).unwrap_or(&state[list]);
        list.as_array().unwrap().len()
    })
}

fn import(env: &TestEnv, file: &Path, state: &Value) {
    fs::write(file, state.to_string()).unwrap();
    env.ok(&["import", file.to_str().unwrap()]);
    env.ok(&["resume", ID]);
}

#[test]
fn an_imported_state_keeps_what_it_brought_with_what_was_added_here_behind_it() {
    let env = begun();
    env.ok(&["pause", "--reason", "another goes on"]);
    import(&env, &env.home().join("state.json"), &signed());
    let before = env.json(&["session", "get-state", ID]);
    assert_eq!(lengths(&before), [1, 1, 1], "{before:#}");
    for part in ["agentHistory", "verdicts", "startedAt", "lastAgentChange", "workflowPhase"] {
        let brought = &signed()["orchestratorWorkflow"][part];
        assert_eq!(&before["orchestratorWorkflow"][part], brought, "{part}");
    }
    assert_eq!(before["createdAt"], signed()["createdAt"]);
    assert_eq!(before.get("_signature"), None);
    assert_eq!(before["protocolStartEvidence"], signed()["protocolStartEvidence"]);
    assert_eq!(accepted(&env, &before), before, "it goes round");
    let mut more = before.clone();
    more["mode"] = json!("planning");
    more["currentMode"] = json!("planning");
    let verdicts = more["orchestratorWorkflow"]["verdicts"].as_array_mut().unwrap();
    verdicts.push(json!({"agent": "qa", "decision": "approve", "confidence": 1, "reasoning": "r"}));
    let history = more["orchestratorWorkflow"]["agentHistory"].as_array_mut().unwrap();
    history.push(json!({"agent": "qa", "input": {"prompt": "Try it"}}));
    let after = accepted(&env, &more);
    assert_eq!(lengths(&after), [2, 2, 2], "{after:#}");
    assert_eq!(after["orchestratorWorkflow"]["activeAgent"], "qa");
    let mut other = after.clone();
    other["orchestratorWorkflow"]["agentHistory"][0]["output"]["summary"] = json!("Nothing works");
    assert!(crate::refused(&env, &other).contains("another program recorded"));
    let written = env.json(&["export", ID, "--format", "brain", "--json"]);
    let out: Value = serde_json::from_str(written["text"].as_str().unwrap()).unwrap();
    for part in ["orchestratorWorkflow", "modeHistory", "currentMode", "version", "createdAt"] {
        assert_eq!(out[part], after[part], "{part}");
    }
}
