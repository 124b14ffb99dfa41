//! The session protocol: its tools, its state, its history and its log of violations.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, OLDER};

use crate::shapes::{Compared, Is};

fn read(client: &mut Client, uri: &str) -> Value {
    let result = client.result("resources/read", json!({"uri": uri}));
    serde_json::from_str(result["contents"][0]["text"].as_str().unwrap()).unwrap()
}

pub(crate) fn compare(compared: &mut Compared) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".agents/HANDOFF.md", "where it stands\n");
    env.init_with("[project]\nprotocol = \"builtin\"\n");
    let mut client = Client::start(&env, OLDER, &[]);
    let started = client.works("session_start", json!({"objective": "Design it"}));
    let fields = [
        ("session_id", Is::Text),
        ("phase", Is::Text),
        ("blocked_until", Is::List),
        ("checklist", Is::Object),
    ];
    compared.shape("protocol/session_start", &started, &fields);
    let missed = client.works("advance_phase", json!({"target_phase": "WORKING"}));
    advanced(compared, &missed);
    blocked(compared, &client.works("get_blocked_reason", json!({})));
    gate(compared, &client.works("validate_gate", json!({"phase": "CONTEXT_RETRIEVAL"})));
    let id = started["session_id"].as_str().unwrap();
    let hash = waypost_core::key::sha256_hex(&[b"where it stands\n"]);
    let given =
        json!({"phase": "CONTEXT_RETRIEVAL", "evidence_type": "content_hash", "evidence": hash});
    recorded(compared, &client.works("record_evidence", given));
    env.write(&format!(".agents/sessions/{id}.json"), r#"{"sessionEnd": {"committed": true}}"#);
    let advanced = client.works("advance_phase", json!({"target_phase": "WORKING"}));
    assert_eq!(advanced["success"], true, "{advanced}");
    state(compared, &read(&mut client, "session://state"));
    let note = json!({"kind": "decision", "text": "Defer the review"});
    client.works("session_add_note", note);
    env.write(".agents/HANDOFF.md", "it was done\n");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "do it"]);
    let ending = json!({"summary": "done", "next_session_notes": "Go on with the epic"});
    let over = client.works("session_end", ending);
    assert_eq!(over["status"], "COMPLETE", "{over}");
    ended(compared, &over);
    past(compared, &env, &mut client);
}

fn gate(compared: &mut Compared, found: &Value) {
    let fields = [
        ("phase", Is::Text),
        ("requirement_level", Is::Text),
        ("status", Is::Text),
        ("evidence", Is::Text),
        ("blocking", Is::Flag),
        ("message", Is::Text),
    ];
    compared.shape("protocol/validate_gate", found, &fields);
}

fn advanced(compared: &mut Compared, found: &Value) {
    let fields = [
        ("previous_phase", Is::Text),
        ("current_phase", Is::Text),
        ("success", Is::Flag),
        ("blocked_by/0", Is::Text),
        ("violations/0", Is::Text),
    ];
    compared.shape("protocol/advance_phase", found, &fields);
}

fn blocked(compared: &mut Compared, found: &Value) {
    let fields = [
        ("is_blocked", Is::Flag),
        ("blocked_phases/0/phase", Is::Text),
        ("blocked_phases/0/requirement_level", Is::Text),
        ("blocked_phases/0/reason", Is::Text),
        ("blocked_phases/0/evidence_needed", Is::List),
        ("suggested_actions", Is::List),
    ];
    compared.shape("protocol/get_blocked_reason", found, &fields);
    let error = &found["blocked_phases"][0];
    let fields = [("phase", Is::Text), ("requirement", Is::Text), ("recovery_steps", Is::List)];
    compared.shape("protocol/blocked", error, &fields);
}

fn recorded(compared: &mut Compared, found: &Value) {
    let fields = [
        ("phase", Is::Text),
        ("step", Is::Text),
        ("evidence_recorded", Is::Flag),
        ("auto_validated", Is::Flag),
        ("gate_status", Is::Text),
    ];
    compared.shape("protocol/record_evidence", found, &fields);
}

fn state(compared: &mut Compared, found: &Value) {
    let fields = [
        ("session_id", Is::Text),
        ("objective", Is::Text),
        ("branch", Is::Text),
        ("starting_commit", Is::Text),
        ("started_at", Is::Text),
        ("current_phase", Is::Text),
        ("phases_completed/0", Is::Text),
        ("checklist/start/0/req", Is::Text),
        ("checklist/start/0/step", Is::Text),
        ("checklist/start/0/status", Is::Text),
        ("checklist/start/0/evidence", Is::Text),
        ("checklist/end/0/req", Is::Text),
        ("checklist/end/0/step", Is::Text),
        ("checklist/end/0/status", Is::Text),
        ("checklist/end/0/evidence", Is::Text),
        ("evidence/SERENA_INIT/status", Is::Text),
        ("evidence/SERENA_INIT/evidence", Is::Text),
        ("violations", Is::List),
    ];
    compared.shape("protocol/state", found, &fields);
    assert_eq!(found["current_phase"], "WORKING");
    let passed =
        ["SERENA_INIT", "SKILL_VALIDATION", "CONTEXT_RETRIEVAL", "SESSION_LOG", "GIT_STATE"];
    assert_eq!(found["phases_completed"], json!(passed));
    assert_eq!(found["evidence"]["SERENA_INIT"]["status"], "SKIPPED");
    assert_eq!(found["evidence"]["CONTEXT_RETRIEVAL"]["status"], "PASS");
}

fn ended(compared: &mut Compared, found: &Value) {
    let fields = [
        ("session_id", Is::Text),
        ("status", Is::Text),
        ("checklist", Is::Object),
        ("violations", Is::List),
        ("handoff_updated", Is::Flag),
        ("commit_sha", Is::Text),
    ];
    compared.shape("protocol/session_end", found, &fields);
}

fn past(compared: &mut Compared, env: &TestEnv, client: &mut Client) {
    let history = read(client, "session://history");
    let fields = [
        ("session_id", Is::Text),
        ("objective", Is::Text),
        ("outcome", Is::Text),
        ("commit_sha", Is::Text),
        ("key_decisions/0", Is::Text),
        ("next_session_notes", Is::Text),
    ];
    compared.shape("protocol/history", &history["sessions"][0], &fields);
    let last = &history["sessions"][0];
    assert_eq!((&last["outcome"], &last["objective"]), (&json!("COMPLETE"), &json!("Design it")));
    assert_eq!(last["commit_sha"], env.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(last["key_decisions"], json!(["Defer the review"]));
    assert_eq!(last["next_session_notes"], "Go on with the epic");
    assert_eq!(env.json(&["list", "--history", "--json"]), history["sessions"]);

    let fields = [
        ("session_id", Is::Text),
        ("timestamp", Is::Text),
        ("phase", Is::Text),
        ("requirement", Is::Text),
        ("severity", Is::Text),
        ("recovery", Is::TextOrNull),
    ];
    let missed = read(client, "session://violations")["violations"][0].clone();
    compared.shape("protocol/violations", &missed, &fields);
    assert_eq!(missed["phase"], "CONTEXT_RETRIEVAL");
    assert!(missed["recovery"].is_string(), "{missed}");
    let all = env.json(&["violations", "--all", "--json"]);
    assert_eq!(all["sessions"][0]["violations"][0]["seq"], missed["seq"]);
}
