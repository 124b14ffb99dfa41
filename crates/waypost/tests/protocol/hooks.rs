//! With hooks, which see what an agent does.

use serde_json::json;

use crate::project::{call_serena, furnished, gate, read_memory, start, watched};

#[test]
fn whoever_reads_a_memory_has_called_serena_for_memories_too() {
    let env = furnished();
    env.begin();
    let mut client = watched(&env);
    start(&mut client);
    read_memory(&env);
    assert_eq!(gate(&mut client, "SKILL_VALIDATION")["status"], "PASS");
    let ended = client.works("session_end", json!({"summary": "early"}));
    let steps = ended["checklist"]["start"].as_array().unwrap();
    let searched = steps.iter().find(|step| step["step"] == "search_memories").unwrap();
    assert_eq!(
        (&searched["status"], &searched["evidence"]),
        (&json!("done"), &json!("it was called (observed)"))
    );
}

#[test]
fn hooks_hold_edits_until_the_first_steps_were_seen() {
    let env = furnished();
    let told = env.begin().json().to_string();
    assert!(told.contains("waypost start --objective"), "{told}");
    let mut client = watched(&env);
    let id = start(&mut client)["session_id"].as_str().unwrap().to_owned();
    let source = env.project().join("src/a.rs");
    let denied = env.before_edit(&source).denied().unwrap();
    assert!(denied.contains("mcp__serena__activate_project"), "{denied}");
    for tool in ["activate_project", "initial_instructions"] {
        call_serena(&env, tool);
    }
    read_memory(&env);
    for file in [".agents/HANDOFF.md", ".agents/governance/PROJECT-CONSTRAINTS.md"] {
        let read = json!({
            "tool_name": "Read",
            "tool_input": {"file_path": env.project().join(file)},
            "tool_use_id": file,
        });
        env.hook("PreToolUse", &read);
        let mut done = read;
        done["tool_response"] = json!({"type": "text"});
        env.hook("PostToolUse", &done);
    }
    assert_eq!(env.before_edit(&source).denied(), None);
    env.write(&format!(".agents/sessions/{id}.md"), "| MUST | Commit | [x] | |\n");
    let advanced = client.works("advance_phase", json!({"target_phase": "WORKING"}));
    assert_eq!(advanced["success"], true, "{advanced}");
}

#[test]
fn what_was_seen_before_the_session_had_its_number_still_counts() {
    let env = furnished();
    env.begin();
    for tool in ["activate_project", "initial_instructions"] {
        call_serena(&env, tool);
    }
    let mut client = watched(&env);
    start(&mut client);
    assert_eq!(gate(&mut client, "SERENA_INIT")["status"], "PASS");
    let listed = env.json(&["list", "--all", "--json"]);
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed}");
}

#[test]
fn where_serena_is_down_force_lets_work_go_on_and_everybody_sees_it() {
    let env = furnished();
    env.begin();
    let mut client = watched(&env);
    let id = start(&mut client)["session_id"].as_str().unwrap().to_owned();
    let source = env.project().join("src/a.rs");
    for _ in 0..3 {
        assert!(env.before_edit(&source).denied().is_some());
        client.works("advance_phase", json!({"force": true}));
    }
    assert_eq!(env.before_edit(&source).denied(), None);
    let violations = env.json(&["violations", &id, "--json"]);
    assert_eq!(violations["violations"].as_array().unwrap().len(), 3, "{violations}");
}
