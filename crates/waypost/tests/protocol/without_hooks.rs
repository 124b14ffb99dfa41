//! Without hooks, or whether or not there are any.

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER, OLDER};

use crate::project::{
    PROTOCOL, bare, client, evidence, furnished, gate, get_ready, start, strings,
};

#[test]
fn the_whole_protocol_is_gone_through_without_hooks() {
    let env = furnished();
    let mut client = client(&env);
    let started = start(&mut client);
    let id = started["session_id"].as_str().unwrap().to_owned();
    assert_eq!(
        strings(&started["blocked_until"]),
        ["SERENA_INIT", "SKILL_VALIDATION", "CONTEXT_RETRIEVAL", "SESSION_LOG"]
    );
    let why = client.works("get_blocked_reason", json!({}));
    assert_eq!(why["is_blocked"], true);
    assert_eq!(why["blocked_phases"][0]["requirement_level"], "MUST");
    get_ready(&env, &mut client, &id);
    let advanced = client.works("advance_phase", json!({"target_phase": "WORKING"}));
    assert_eq!(
        (&advanced["previous_phase"], &advanced["current_phase"], &advanced["success"]),
        (&json!("INIT"), &json!("WORKING"), &json!(true)),
        "{advanced}"
    );
    assert_eq!(client.works("get_blocked_reason", json!({}))["is_blocked"], false);
    env.write("src/a.rs", "fn main() {}\n");
    let open = client.works("session_end", json!({"summary": "done", "skip_qa": true}));
    assert_eq!(open["status"], "INCOMPLETE");
    let steps = open["next_steps"].to_string();
    for missing in ["change .agents/HANDOFF.md", "qaVerdict", "git commit", "skip_qa does not hold"]
    {
        assert!(steps.contains(missing), "{missing}: {steps}");
    }
    env.write(".agents/HANDOFF.md", "it was done\n");
    let report = format!("---\nqaVerdict: PASS\nqaSessionLog: .agents/sessions/{id}.md\n---\n");
    env.write(".agents/qa/report.md", &report);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "do it"]);
    let sha = env.git(&["rev-parse", "HEAD"]);
    let commit = evidence(&mut client, "GIT_COMMIT", "commit_sha", sha.trim());
    assert_eq!((&commit["auto_validated"], &commit["gate_status"]), (&json!(true), &json!("PASS")));
    let all = gate(&mut client, "ALL");
    assert_eq!((&all["phase"], &all["status"]), (&json!("ALL"), &json!("PASS")), "{all}");
    assert_eq!(all["gates"].as_array().unwrap().len(), 9);
    let ending = json!({"summary": "done", "next_session_notes": "go on"});
    let ended = client.works("session_end", ending);
    assert_eq!((&ended["status"], &ended["handoff_updated"]), (&json!("COMPLETE"), &json!(true)));
    assert_eq!(ended["commit_sha"], sha.trim());
    assert_eq!(env.json(&["show", &id, "--json"])["lifecycle"], "completed");
}

#[test]
fn a_missed_gate_blocks_is_a_violation_and_recovers() {
    let env = furnished();
    let mut client = client(&env);
    let id = start(&mut client)["session_id"].as_str().unwrap().to_owned();
    let held = client.works("advance_phase", json!({}));
    assert_eq!((&held["success"], &held["state"]), (&json!(false), &json!("BLOCKED")), "{held}");
    assert_eq!(held["current_phase"], "INIT", "the phase is always a real one");
    assert_eq!(strings(&held["blocked_by"]), ["SERENA_INIT"]);
    client.works("advance_phase", json!({}));
    let violations = env.json(&["violations", &id, "--json"]);
    assert_eq!(violations["violations"].as_array().unwrap().len(), 1, "told once: {violations}");
    get_ready(&env, &mut client, &id);
    let advanced = client.works("advance_phase", json!({}));
    assert_eq!((&advanced["success"], &advanced["state"]), (&json!(true), &json!("SERENA_READY")));
    let violations = env.json(&["violations", &id, "--json"]);
    assert!(violations["violations"][0]["recovery"].is_string(), "{violations}");
}

#[test]
fn force_is_bounded_and_seen() {
    let env = furnished();
    let mut client = client(&env);
    start(&mut client);
    let refused = client.refused("advance_phase", json!({"target_phase": "READY", "force": true}));
    assert!(refused.contains("one gate at a time"), "{refused}");
    for phase in ["SERENA_READY", "SKILLS_VALIDATED", "CONTEXT_LOADED"] {
        let forced = client.works("advance_phase", json!({"force": true}));
        assert_eq!(
            (&forced["current_phase"], &forced["state"]),
            (&json!(phase), &json!("VIOLATION"))
        );
    }
    let refused = client.refused("advance_phase", json!({"force": true}));
    assert!(refused.contains("3 times"), "{refused}");
    let ended = client.works("session_end", json!({"summary": "forced"}));
    assert_eq!(ended["status"], "INCOMPLETE", "what was forced still has to hold at the end");
    assert_eq!(ended["violations"].as_array().unwrap().len(), 3);
}

#[test]
fn evidence_that_says_that_nothing_was_done_or_is_wrong_proves_nothing() {
    let env = furnished();
    let mut client = client(&env);
    start(&mut client);
    for (phase, of, said) in [
        ("SERENA_INIT", "tool_output", "activate_project: Serena unreachable"),
        ("SERENA_INIT", "manual", "SKIPPED"),
        ("SESSION_LOG", "file_path", ".agents/sessions/nowhere.md"),
        ("SESSION_LOG", "file_path", "../../etc/passwd"),
        ("CONTEXT_RETRIEVAL", "content_hash", "HANDOFF.md 0123456789abcdef"),
        ("GIT_COMMIT", "commit_sha", "0123456789012345678901234567890123456789"),
    ] {
        let mut given = json!({"phase": phase, "evidence_type": of, "evidence": said});
        if said == "SKIPPED" {
            given["step"] = json!("activate_project");
        }
        let found = client.works("record_evidence", given);
        assert_eq!(found["evidence_recorded"], false, "{said}: {found}");
        assert_eq!(found["gate_status"], "FAIL", "{said}: {found}");
    }
}

#[test]
fn bad_input_is_a_clear_error_and_changes_nothing() {
    let env = furnished();
    let mut client = client(&env);
    let id = start(&mut client)["session_id"].as_str().unwrap().to_owned();
    let before = std::fs::read(env.log_of(&id)).unwrap();
    let long = "x".repeat(10 * 1024 * 1024);
    for (tool, given, said) in [
        ("validate_gate", json!({"phase": "SERENA_INITT"}), "did you mean `SERENA_INIT`?"),
        ("validate_gate", json!({}), "missing field `phase`"),
        ("validate_gate", json!({"phase": 7}), "argument `phase`"),
        ("advance_phase", json!({"target_phase": "INIT"}), "does not follow"),
        ("advance_phase", json!({"target_phase": "WORKNG"}), "did you mean `WORKING`?"),
        ("advance_phase", json!({"target": "x"}), "unknown field `target`"),
        (
            "record_evidence",
            json!({"phase": "X", "evidence_type": "manual", "evidence": "y"}),
            "no gate",
        ),
        (
            "record_evidence",
            json!({"phase": "SERENA_INIT", "evidence_type": "hearsay", "evidence": "y"}),
            "hearsay",
        ),
        (
            "record_evidence",
            json!({"phase": "SERENA_INIT", "evidence_type": "manual", "evidence": long}),
            "1048576",
        ),
        (
            "record_evidence",
            json!({"phase": "SERENA_INIT", "evidence_type": "manual", "evidence": "y", "step": "z"}),
            "no step",
        ),
        ("session_end", json!({"summary": "x", "session_id": "../../x"}), "cannot be an id"),
        ("session_end", json!({"summary": "x", "session_id": "2099"}), "no session begins with"),
        ("session_end", json!({"summary": "x", "expected_version": 1}), "version"),
        ("session_end", json!({"summary": " "}), "the summary is empty"),
        ("session_end", json!({"summary": "x", "next_session_notes": ""}), "is empty"),
        ("session_start", json!({"objective": "x", "branch": "elsewhere"}), "not checked out"),
        ("session_start", json!({"objective": "x", "starting_commit": "beef"}), "no commit"),
        ("session_start", json!({"objective": "x", "workflow": "ful"}), "did you mean `full`?"),
    ] {
        let refused = client.refused(tool, given.clone());
        assert!(refused.contains(said), "{tool}: {refused}");
        assert!(refused.contains("Next: "), "{tool}: {refused}");
        assert_eq!(std::fs::read(env.log_of(&id)).unwrap(), before, "{tool} {said}");
    }
}

#[test]
fn a_killed_server_goes_on_where_it_was_and_two_agree() {
    let env = furnished();
    let mut first = client(&env);
    let id = start(&mut first)["session_id"].as_str().unwrap().to_owned();
    evidence(&mut first, "SERENA_INIT", "tool_output", "activate_project: active");
    first.kill();
    let mut second = client(&env);
    let mut third = Client::start(&env, NEWER, &[]);
    let refused = second.refused("session_start", json!({"objective": "again"}));
    assert!(refused.contains("Session already active"), "{refused}");
    evidence(&mut second, "SERENA_INIT", "tool_output", "initial_instructions: read");
    assert_eq!(gate(&mut third, "SERENA_INIT")["status"], "PASS");
    assert_eq!(third.works("advance_phase", json!({}))["current_phase"], "SERENA_READY");
    let state = second.works("session_get_state", json!({}));
    assert_eq!(state["session_id"], json!(id));
}

#[test]
fn a_script_at_the_end_of_a_session_asks_for_every_gate() {
    let env = furnished();
    let mut client = client(&env);
    start(&mut client);
    let open = env.waypost(&["gate", "check", "--all", "--json"]);
    assert_eq!(open.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&open.stdout).unwrap();
    assert_eq!((&found["status"], found["gates"].as_array().unwrap().len()), (&json!("FAIL"), 9));
    let bare = bare();
    let mut client = Client::start(&bare, OLDER, &[]);
    start(&mut client);
    assert_eq!(bare.waypost(&["gate", "check", "--all"]).status.code(), Some(0));
    bare.write("waypost.toml", "[project]\nprotocl = \"builtin\"\n");
    assert_eq!(bare.waypost(&["gate", "check", "--all"]).status.code(), Some(2));
    let log = bare.log_of(bare.json(&["status", "--json"])["session_id"].as_str().unwrap());
    bare.write("waypost.toml", PROTOCOL);
    let mut bytes = std::fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&log, bytes).unwrap();
    assert_eq!(bare.waypost(&["gate", "check", "--all"]).status.code(), Some(3));
}

#[test]
fn whether_somebody_else_has_to_look_goes_by_what_changed() {
    for (file, status, said) in [
        ("README.md", "SKIPPED", "docs-only"),
        (".agents/notes.md", "SKIPPED", "investigation-only"),
        ("src/a.rs", "FAIL", "no file fits"),
    ] {
        let env = bare();
        let mut client = client(&env);
        start(&mut client);
        env.write(file, "changed\n");
        let found = gate(&mut client, "QA_VALIDATION");
        assert_eq!(found["status"], status, "{file}: {found}");
        assert!(found["evidence"].as_str().unwrap().contains(said), "{file}: {found}");
        let given = json!({"phase": "QA_VALIDATION", "evidence_type": "manual", "evidence": "SKIPPED: docs-only"});
        let claimed = client.works("record_evidence", given);
        assert_eq!(claimed["evidence_recorded"], false, "{file}: it is looked at, never believed");
    }
}

#[test]
fn a_server_killed_at_any_moment_loses_nothing_that_it_answered() {
    let env = furnished();
    let mut first = client(&env);
    let id = start(&mut first)["session_id"].as_str().unwrap().to_owned();
    first.kill();
    let mut answered = Vec::new();
    for round in 0..12 {
        let mut server = client(&env);
        for call in 0..=round {
            let text = format!("note {round}.{call}");
            let given = json!({"kind": "note", "text": text});
            if call < round {
                server.works("session_add_note", given);
                answered.push(text);
            } else {
                // Asked, and killed before anybody looked for the answer.
                server.send(&waypost_testkit::mcp::request(
                    OLDER,
                    9999,
                    "tools/call",
                    json!({"name": "session_add_note", "arguments": given}),
                ));
            }
        }
        server.kill();
    }
    let kept = env.notes(&id);
    for text in &answered {
        assert!(kept.contains(text), "{text} was acknowledged");
    }
    assert_eq!(env.waypost(&["verify", &id]).status.code(), Some(0));
}

#[test]
fn phases_and_gates_of_the_protocol_are_completed() {
    let env = bare();
    let mut client = client(&env);
    start(&mut client);
    let mut completed = |name: &str, value: &str| {
        let asked = json!({
            "ref": {"type": "ref/prompt", "name": "handoff"},
            "argument": {"name": name, "value": value},
        });
        client.result("completion/complete", asked)["completion"]["values"].clone()
    };
    assert_eq!(completed("phase", "W"), json!(["WORKING"]));
    assert_eq!(completed("gate", "SER"), json!(["SERENA_INIT"]));
}

#[test]
fn a_session_whose_workflow_is_not_done_stays_open_when_a_conversation_ends() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    let mut client = client(&env);
    let begin = json!({"objective": "Add login", "workflow": "quick"});
    let started = client.works("session_start", begin);
    assert_eq!((&started["phase"], &started["blocked_until"]), (&json!("plan"), &json!([])));
    let id = started["session_id"].as_str().unwrap().to_owned();
    let refused = client.refused("session_transition_phase", json!({"new_phase": "docs"}));
    assert!(refused.contains("build does"), "{refused}");
    env.write_plan(&id, 1);
    client.works("session_transition_phase", json!({"new_phase": "build"}));
    let ended = client.works("session_end", json!({"summary": "half done"}));
    assert_eq!(ended["status"], "COMPLETE");
    assert!(
        ended["next_steps"][0].as_str().unwrap().contains("stays open in phase build"),
        "{ended}"
    );
    let shown = env.json(&["status", &id, "--json"]);
    assert_eq!((&shown["lifecycle"], &shown["phase"]), (&json!("active"), &json!("build")));
    let next = client.works("session_start", json!({"objective": "Something else"}));
    assert_ne!(next["session_id"], json!(id));
    client.works("session_init_build", json!({"checkpoints_total": 1, "session_id": id}));
    client.works("session_complete_checkpoint", json!({"checkpoint_id": 1, "session_id": id}));
    client.works("session_transition_phase", json!({"new_phase": "complete", "session_id": id}));
    assert_eq!(env.json(&["status", &id, "--json"])["phase"], "complete");
}

#[test]
fn a_session_whose_description_is_refused_does_not_begin() {
    let env = bare();
    let mut client = client(&env);
    let refused = client.refused("session_start", json!({"objective": "x", "description": ""}));
    assert!(refused.contains("the note is empty"), "{refused}");
    assert_eq!(env.json(&["list", "--all", "--json"]), json!([]));
}
