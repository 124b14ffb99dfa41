//! Reading the state, and giving it back with something new in it.

use std::process::Output;

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, OLDER};
use waypost_testkit::{TestEnv, everything};

use crate::{accepted, begun, get_state, refused, set_state};

/// A session with one entry in each list; the invocation is open.
fn used() -> TestEnv {
    let env = begun();
    accepted(
        &env,
        &json!({"orchestratorWorkflow": {
            "agentHistory": [{"agent": "implementer", "input": {"prompt": "Add a form"}}],
            "decisions": [{"type": "technical", "description": "No passwords", "decidedBy": "architect"}],
            "verdicts": [{"agent": "security", "decision": "reject", "confidence": 0.8, "reasoning": "r"}],
            "pendingHandoffs": [{"fromAgent": "a", "toAgent": "b", "reason": "r", "context": "c"}],
        }}),
    );
    env
}

#[test]
fn a_whole_state_that_is_given_back_changes_nothing() {
    let env = used();
    let state = get_state(&env);
    assert_eq!(accepted(&env, &state), state);
    let mut unpinned = state.clone();
    unpinned.as_object_mut().unwrap().remove("version");
    assert_eq!(accepted(&env, &unpinned), state);
    let json = state.to_string();
    assert_eq!(env.json(&["session", "set-state", &json]), state, "as an argument");
    let id = state["sessionId"].as_str().unwrap();
    assert_eq!(env.json(&["session", "set-state", id, &json]), state, "with an id");
    env.ok(&["end", "--summary", "done"]);
    let over = env.json(&["session", "get-state", id]);
    assert_eq!(over["protocolEndComplete"], true);
    assert_eq!(over["orchestratorWorkflow"]["workflowPhase"], "complete");
    assert_eq!(env.json(&["session", "set-state", id, &over.to_string()]), over);
}

#[test]
fn mode_focus_and_phase_are_set_by_either_of_their_names() {
    let env = begun();
    let told = accepted(&env, &json!({"mode": "planning", "feature": "login", "task": "1.2"}));
    assert_eq!((&told["mode"], &told["currentMode"]), (&json!("planning"), &json!("planning")));
    assert_eq!((&told["activeFeature"], &told["activeTask"]), (&json!("login"), &json!("1.2")));
    let given = json!({"operation": "set", "currentMode": "coding", "mode": "coding", "activeTask": "1.3",
        "orchestratorWorkflow": {"workflowPhase": "validation"}});
    let told = accepted(&env, &given);
    assert_eq!((&told["mode"], &told["activeTask"]), (&json!("coding"), &json!("1.3")));
    assert_eq!(told["orchestratorWorkflow"]["workflowPhase"], "validation");
    let modes: Vec<&Value> =
        told["modeHistory"].as_array().unwrap().iter().map(|set| &set["mode"]).collect();
    assert_eq!(modes, ["planning", "coding"]);
    let cleared = accepted(&env, &json!({"feature": ""}));
    assert!(cleared.get("activeFeature").is_none() && cleared.get("activeTask").is_none());
    assert_eq!(env.json(&["mode", "--json"])["mode"], "coding", "the command says the same");
}

#[test]
fn what_is_new_in_the_lists_is_recorded_as_somebodys_word() {
    let env = used();
    let mut state = get_state(&env);
    state.as_object_mut().unwrap().remove("version");
    let workflow = &mut state["orchestratorWorkflow"];
    let output = json!({"artifacts": ["form.ts"], "summary": "It works", "recommendations": [], "blockers": []});
    // The time that is given is not believed.
    workflow["agentHistory"][0]["status"] = json!("completed");
    workflow["agentHistory"][0]["completedAt"] = json!("2026-11-15T10:00:00.000Z");
    workflow["agentHistory"][0]["output"] = output.clone();
    let failed =
        json!({"agent": "qa", "status": "failed", "input": {"prompt": "Try it"}, "output": output});
    workflow["agentHistory"].as_array_mut().unwrap().push(failed);
    let id = "6f1e0c11-0f3a-4c55-9a51-2d7ab7e1c9d2";
    let decision = json!({"id": id, "type": "scope", "description": "Only e-mail", "decidedBy": "planner",
        "rationale": "It is enough", "approvedBy": ["critic"], "rejectedBy": []});
    workflow["decisions"].as_array_mut().unwrap().push(decision.clone());
    let told = accepted(&env, &state);
    let workflow = &told["orchestratorWorkflow"];
    let history = &workflow["agentHistory"];
    assert_eq!(
        (&history[0]["status"], &history[1]["status"]),
        (&json!("completed"), &json!("failed"))
    );
    assert_eq!(history[0]["output"], output);
    assert_eq!(workflow["activeAgent"], Value::Null);
    for (field, value) in decision.as_object().unwrap() {
        assert_eq!(&workflow["decisions"][1][field], value, "{field}");
    }
    assert_eq!(accepted(&env, &told), told);
    let records = env.json(&["history", "--json"]).to_string();
    assert!(records.contains(r#""provenance":"claimed""#), "{records}");
    env.ok(&["verify", "--all"]);
}

/// What is given, by where in the state, and the words of the refusal.
const REFUSED: &[(&str, &str, &str)] = &[
    ("/modee", "\"planning\"", "did you mean `mode`?"),
    ("/orchestratorWorkflow/verdict", "[]", "did you mean `verdicts`?"),
    (
        "/orchestratorWorkflow/verdicts/1",
        r#"{"agent": "x", "sure": 1}"#,
        "`orchestratorWorkflow.verdicts[1].sure`",
    ),
    ("/mode", "\"planning\"", "`mode` and `currentMode`"),
    ("/currentMode", "\"cooking\"", "say different things"),
    ("/_signature", "\"ab\"", "signed record by record"),
    ("/topic", "\"x\"", "begun with"),
    ("/operation", "\"create\"", "`operation`"),
    ("/sessionId", "\"another\"", "no session begins with `another`"),
    ("/createdAt", "\"2020-01-01T00:00:00.000Z\"", "`createdAt` is not what is recorded"),
    ("/updatedAt", "\"yesterday\"", "`updatedAt` is not a time"),
    (
        "/modeHistory/0",
        r#"{"mode": "coding", "timestamp": "2026-11-15T10:00:00.000Z"}"#,
        "`modeHistory`",
    ),
    ("/protocolStartComplete", "false", "followed, not declared"),
    ("/protocolEndComplete", "true", "followed, not declared"),
    ("/protocolStartEvidence/x", "\"y\"", "followed, not declared"),
    ("/protocolEndEvidence/x", "\"y\"", "followed, not declared"),
    ("/activeTask", "7", "`activeTask` is not a text"),
    ("/version", "\"seven\"", "`version` is not a whole number"),
    ("/orchestratorWorkflow", "null", "would be gone"),
    ("/orchestratorWorkflow/verdicts", "[]", "verdicts[0]` would be gone"),
    ("/orchestratorWorkflow/pendingHandoffs", "[]", "pendingHandoffs[0]` would be gone"),
    ("/orchestratorWorkflow/agentHistory", "[]", "agentHistory[0]` would be gone"),
    ("/orchestratorWorkflow/verdicts/0/confidence", "0.9", "verdicts[0]` is not what is recorded"),
    (
        "/orchestratorWorkflow/decisions/0/approvedBy/0",
        "\"critic\"",
        "decisions[0]` is not what is recorded",
    ),
    (
        "/orchestratorWorkflow/agentHistory/0/input/prompt",
        "\"other\"",
        "agentHistory[0]` is not what is recorded",
    ),
    ("/orchestratorWorkflow/agentHistory/0/status", "\"completed\"", "output` is not there"),
    (
        "/orchestratorWorkflow/startedAt",
        "\"2020-01-01T00:00:00.000Z\"",
        "startedAt` is not what is recorded",
    ),
    ("/orchestratorWorkflow/activeAgent", "\"qa\"", "activeAgent` is not what is recorded"),
    ("/orchestratorWorkflow/compactionHistory/0", "{}", "never moved out of the state"),
    ("/orchestratorWorkflow/workflowPhase", "\"cooking\"", "phases are"),
    ("/orchestratorWorkflow/agentHistory/1", r#"{"agent": "x"}"#, "input.prompt` is missing"),
    (
        "/orchestratorWorkflow/decisions/1",
        r#"{"type": "x", "description": "d", "decidedBy": "x"}"#,
        "not a type of decision",
    ),
    (
        "/orchestratorWorkflow/decisions/1",
        r#"{"id": "1", "type": "scope", "description": "d", "decidedBy": "x"}"#,
        "a UUID",
    ),
    (
        "/orchestratorWorkflow/verdicts/1",
        r#"{"agent": "x", "decision": "maybe", "confidence": 1, "reasoning": "r"}"#,
        "not a verdict",
    ),
    (
        "/orchestratorWorkflow/verdicts/1",
        r#"{"agent": "x", "decision": "reject", "confidence": 2, "reasoning": "r"}"#,
        "from 0 to 1",
    ),
];

/// Puts a value at a place, behind a list's end if need be.
fn put(state: &mut Value, place: &str, value: Value) {
    let (parent, last) = place.rsplit_once('/').unwrap();
    let parent = state.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(items) if items.len() == last.parse::<usize>().unwrap() => items.push(value),
        parent => {
            let place = format!("/{last}");
            match parent.pointer_mut(&place) {
                Some(known) => *known = value,
                None => drop(parent.as_object_mut().unwrap().insert(last.to_owned(), value)),
            }
        }
    }
}

#[test]
fn whatever_nobody_can_say_is_refused_by_name_and_nothing_is_changed() {
    let env = used();
    let state = get_state(&env);
    let records = env.event_types();
    for (place, value, told) in REFUSED {
        let mut given = state.clone();
        // Beside something that would be taken.
        given["activeFeature"] = json!("login");
        put(&mut given, place, serde_json::from_str(value).unwrap());
        let output = refused(&env, &given);
        assert!(output.contains(told), "{place}: {output}");
    }
    for text in ["[]", "{", "7", "{\"mode\": \"planning\"} {}"] {
        let output = set_state(&env, text);
        assert_eq!(output.status.code(), Some(2), "{text}: {}", everything(&output));
    }
    assert_eq!((get_state(&env), env.event_types()), (state, records));
}

#[test]
fn a_version_that_is_given_is_the_one_that_was_decided_on() {
    let env = begun();
    let version = get_state(&env)["version"].as_u64().unwrap();
    env.ok(&["note", "add", "something"]);
    let output = set_state(&env, &json!({"version": version, "task": "1.2"}).to_string());
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told, json!({"conflict": {"expected": version, "actual": version + 1}}));
    let told = accepted(&env, &json!({"version": version + 1, "task": "1.2"}));
    assert_eq!((&told["activeTask"], &told["version"]), (&json!("1.2"), &json!(version + 2)));
    let told = accepted(&env, &json!({"task": "1.3"}));
    assert_eq!(told["activeTask"], "1.3", "without one it meets what is there");
}

#[test]
fn only_a_person_switches_gates_off_by_it() {
    let env = begun();
    let off = json!({"mode": "disabled", "task": "1.2"}).to_string();
    let refused = |output: &Output| {
        assert_eq!(output.status.code(), Some(1), "{}", everything(output));
        assert_ne!(get_state(&env)["mode"], "disabled");
        assert_eq!(get_state(&env).get("activeTask"), None, "all of it, or nothing");
    };
    refused(&set_state(&env, &off));
    refused(&env.waypost(&["session", "set-state", &off]));
    let (worked, told) = env.as_person(&["session", "set-state", &off]);
    assert!(worked, "{told}");
    assert_eq!(get_state(&env)["mode"], "disabled");
    let project = std::fs::read_to_string(env.store().join("project/events.jsonl")).unwrap();
    assert!(project.contains("gates_switched"), "the project is told, too: {project}");
}

#[test]
fn a_session_that_is_not_there_or_cannot_be_read_prints_nothing_but_why() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    let status = |args: &[&str]| {
        let output = env.waypost(args);
        assert!(output.stdout.is_empty(), "{}", everything(&output));
        assert!(!output.stderr.is_empty());
        output.status.code()
    };
    assert_eq!(status(&["session", "get-state"]), Some(1), "there is none");
    env.start("Add login");
    assert_eq!(status(&["session", "get-state", "another"]), Some(1));
    std::fs::remove_file(env.key_file()).unwrap();
    assert_eq!(status(&["session", "get-state"]), Some(3), "nothing can be checked");
}

#[test]
fn what_tools_record_is_in_the_state_and_in_the_export_by_the_same_code() {
    let env = begun();
    let mut client = Client::start(&env, OLDER, &["--toolsets", "orchestration"]);
    client.works("agent_invoke", json!({"agent": "implementer", "prompt": "Add a form"}));
    client.works("agent_complete", json!({"agent": "implementer", "summary": "It works"}));
    client.works("mode_set", json!({"mode": "planning"}));
    let verdict =
        json!({"agent": "our own", "decision": "approve", "confidence": 1, "reasoning": "r"});
    client.works("verdict_record", verdict);
    let state = get_state(&env);
    let id = state["sessionId"].as_str().unwrap();
    let written = env.json(&["export", id, "--format", "brain", "--json"]);
    let mut out: Value = serde_json::from_str(written["text"].as_str().unwrap()).unwrap();
    let lost = written["lost"].to_string();
    assert!(lost.contains("our own") && lost.contains("knows only its own agents"), "{lost}");
    assert_eq!(out["orchestratorWorkflow"]["verdicts"][0]["agent"], "orchestrator");
    out["orchestratorWorkflow"]["verdicts"][0]["agent"] = json!("our own");
    for part in ["orchestratorWorkflow", "modeHistory", "currentMode", "version"] {
        assert_eq!(out[part], state[part], "{part}");
    }
}
