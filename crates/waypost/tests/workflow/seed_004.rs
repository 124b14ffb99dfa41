//! The session manifest, the specification and the state manager of the design for session folders,
//! reproduced from its tools.
//!
//! What differs from its examples, and why: ids and commits are real ones, times have milliseconds, the
//! status of a commit is git's, and everything that only Waypost knows stands below the key `waypost`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::Client;

use super::project::client;

fn at(env: &mut TestEnv, time: &str) -> Client {
    env.time = format!("2026-02-14T{time}.000Z");
    client(env)
}

fn manifest(env: &TestEnv, id: &str) -> Value {
    serde_json::from_slice(&std::fs::read(env.copy_of(id).join("state.json")).unwrap()).unwrap()
}

/// The session of the example, by the tools that it asks for.
fn session() -> (TestEnv, String, String) {
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    env.git(&["switch", "-q", "-c", "feature/dark-mode"]);
    let mut tools = at(&mut env, "10:00:00");
    let started = tools.works(
        "session_start",
        json!({
            "objective": "Implement dark mode",
            "description": "Add dark mode toggle with system preference detection",
            "workflow": "full"
        }),
    );
    let id = started["session_id"].as_str().unwrap().to_owned();
    tools.works("session_update_git", json!({"base_branch": "main"}));
    env.write_spec(&id);
    at(&mut env, "11:30:00").works("session_transition_phase", json!({"new_phase": "plan"}));
    env.write_plan(&id, 5);
    at(&mut env, "12:00:00").works("session_transition_phase", json!({"new_phase": "build"}));
    at(&mut env, "12:10:00").works("session_init_build", json!({"checkpoints_total": 5}));
    env.write("theme.rs", "provider\n");
    env.git(&["add", "theme.rs"]);
    env.git(&["commit", "-q", "-m", "feat: add theme provider component"]);
    let sha = env.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let commit =
        json!({"sha": sha, "message": "feat: add theme provider component", "checkpoint": 1});
    at(&mut env, "13:00:00").works("session_add_commit", commit);
    at(&mut env, "14:00:00").works("session_complete_checkpoint", json!({"checkpoint_id": 1}));
    at(&mut env, "14:30:00").works("session_complete_checkpoint", json!({"checkpoint_id": 2}));
    (env, id, sha)
}

#[test]
fn the_manifest_of_the_example() {
    let (env, id, sha) = session();
    let mut found = manifest(&env, &id);
    let waypost = found.as_object_mut().unwrap();
    waypost.remove("waypost");
    waypost.remove("_signature");
    let text = found.to_string().replace(".000Z", "Z");
    let found: Value = serde_json::from_str(&text).unwrap();
    let expected = json!({
        "$schema": "Session state manifest v2 - programmatic updates only",
        "session_id": id,
        "topic": "Implement dark mode",
        "description": "Add dark mode toggle with system preference detection",
        "session_type": "full",
        "created_at": "2026-02-14T10:00:00Z",
        "updated_at": "2026-02-14T14:30:00Z",
        "current_phase": "build",
        "status": "active",
        "phase_history": {
            "spec_started_at": "2026-02-14T10:00:00Z",
            "spec_completed_at": "2026-02-14T11:30:00Z",
            "plan_started_at": "2026-02-14T11:30:00Z",
            "plan_completed_at": "2026-02-14T12:00:00Z",
            "build_started_at": "2026-02-14T12:00:00Z",
            "build_completed_at": null,
            "docs_started_at": null,
            "docs_completed_at": null
        },
        "build_progress": {
            "checkpoints_total": 5,
            "checkpoints_completed": [1, 2],
            "current_checkpoint": 3
        },
        "git": {"branch": "feature/dark-mode", "worktree": null, "base_branch": "main"},
        "commits": [{
            "sha": sha,
            "message": "feat: add theme provider component",
            "checkpoint": 1,
            "created_at": "2026-02-14T13:00:00Z"
        }],
        "artifacts": {"spec": "spec.md", "plan": "plan.json", "plan_readable": "plan.md"}
    });
    assert_eq!(found, expected);
}

#[test]
fn no_phase_is_skipped_and_a_build_is_finished_before_it_is_left() {
    let (mut env, id, _) = session();
    let mut tools = at(&mut env, "15:00:00");
    // Documentation may be left out, but not what was to be built.
    let skipped = tools.refused("session_transition_phase", json!({"new_phase": "complete"}));
    assert!(skipped.contains("checkpoint 3 \"Part 3\""), "{skipped}");
    let early = tools.refused("session_transition_phase", json!({"new_phase": "docs"}));
    assert!(early.contains("build/checkpoints"), "{early}");
    assert_eq!(manifest(&env, &id)["current_phase"], "build", "what failed is no step");
    for checkpoint in 3..=5 {
        tools.works("session_complete_checkpoint", json!({"checkpoint_id": checkpoint}));
    }
    tools.works("session_transition_phase", json!({"new_phase": "docs"}));
    let undocumented = tools.refused("session_transition_phase", json!({"new_phase": "complete"}));
    assert!(undocumented.contains("no documentation was changed"), "{undocumented}");
    env.write("docs/dark-mode.md", "Press the moon.\n");
    tools.works("session_transition_phase", json!({"new_phase": "complete"}));
    let found = manifest(&env, &id);
    assert_eq!(found["current_phase"], "complete");
    assert_eq!(found["waypost"]["phase"], "complete");
    assert!(found["phase_history"]["docs_completed_at"].is_string());
}

#[test]
fn a_build_goes_straight_to_complete_where_there_is_nothing_to_document() {
    for reason in [None, Some("Only tests were added")] {
        let (mut env, id, _) = session();
        let mut tools = at(&mut env, "15:00:00");
        for checkpoint in 3..=5 {
            tools.works("session_complete_checkpoint", json!({"checkpoint_id": checkpoint}));
        }
        let input = match reason {
            Some(reason) => json!({"new_phase": "complete", "reason": reason}),
            None => json!({"new_phase": "complete"}),
        };
        let done = tools.works("session_transition_phase", input);
        assert_eq!(done["current_phase"], "complete", "{done}");
        assert_eq!(manifest(&env, &id)["current_phase"], "complete");
        let phases = env.json(&["phase", "list", "--json", "--session", &id]);
        let docs = &phases["phases"][3];
        assert_eq!(docs["checkpoint"], "skipped", "{phases}");
        let why = reason.unwrap_or("build went straight to complete");
        assert!(docs.to_string().contains(why), "{docs}");
    }
}

#[test]
fn the_sections_of_the_specification_are_told_and_never_written() {
    let (env, id, _) = session();
    let spec = "## Goals\n\n### High-Level Goals\n- User can toggle between light and dark mode\n\n\
                ### Mid-Level Goals\n- Theme provider wraps application\n- Toggle persists to localStorage\n\n\
                ## Open Questions\n\n- [ ] Should we support custom accent colors?\n\
                - [x] Per-device or sync across devices? → Per-device\n\n\
                ## Key Decisions\n\n### Use CSS variables over Tailwind dark: prefix\n\
                **Rationale**: More flexible for runtime switching\n**Made**: 2026-02-14\n";
    let path = env.copy_of(&id).join("spec.md");
    std::fs::write(&path, spec).unwrap();
    let shown = env.json(&["show", &id, "--json"])["spec"].clone();
    assert_eq!(shown["open_questions"], json!(["Should we support custom accent colors?"]));
    assert_eq!(shown["answered"], json!([["Per-device or sync across devices?", "Per-device"]]));
    assert_eq!(shown["decisions"][0]["rationale"], "More flexible for runtime switching");
    assert_eq!(shown["decisions"][0]["made"], "2026-02-14");
    let told = env.ok(&["brief"]);
    for part in [
        "- \"User can toggle between light and dark mode\" (spec.md)",
        "- \"Should we support custom accent colors?\" (spec.md)",
        "- \"Use CSS variables over Tailwind dark: prefix: More flexible for runtime switching\" (spec.md)",
        "🔨 Build: 2 of 5 checkpoints completed; at 3",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("Per-device"), "what is answered is no question: {told}");
    env.ok(&["publish", &id]);
    assert_eq!(std::fs::read_to_string(path).unwrap(), spec);
}
