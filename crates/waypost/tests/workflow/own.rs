//! A project's own workflow, from its first phase to its end.

use serde_json::json;
use waypost_testkit::everything;

use crate::project::{SPEC, checkpoints, current, following, phases, refused, with};

#[test]
fn a_workflow_that_counts_from_zero_ends_in_its_last_phase() {
    let env = following(SPEC);
    env.write("plan.md", "x\n");
    assert_eq!(current(&env), "Planning");
    env.ok(&["phase", "complete", "0", "coverage=85"]);
    assert_eq!(current(&env), "Building");
    env.ok(&["phase", "complete", "Building"]);
    let done = env.json(&["phase", "complete", "2", "--json"]);
    assert_eq!(done["workflow_complete"], true, "{done}");
    assert_eq!((&done["next_phase"], &done["current_phase"]), (&json!(null), &json!("Docs")));
    let phases = phases(&env);
    assert_eq!(phases["workflow_complete"], true);
    assert_eq!(phases["phases"][2]["number"], 2);
    assert_eq!(phases["target"], "specs/login");
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("is complete"), "{said}");
}

#[test]
fn a_workflow_that_counts_from_one_is_spoken_of_by_its_numbers() {
    let env = following(&SPEC.replace("first_phase = 0\n", ""));
    env.write("plan.md", "x\n");
    let said = refused(&env, &["phase", "complete", "0", "coverage=85"]);
    assert!(said.contains("no phase `0`") && said.contains("1 Planning"), "{said}");
    env.ok(&["phase", "complete", "1", "coverage=85"]);
    env.ok(&["phase", "complete", "2"]);
    assert_eq!(phases(&env)["phases"][2]["number"], 3);
    let done = env.json(&["phase", "complete", "3", "--json"]);
    assert_eq!(done["workflow_complete"], true, "{done}");
}

#[test]
fn a_checkpoint_that_fails_is_recorded_and_the_phase_stays() {
    let env = following(SPEC);
    let said = refused(&env, &["phase", "complete", "Planning", "coverage=65"]);
    for part in ["not complete", "Planning/coverage", "Add more tests", "Building/plan-there"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(checkpoints(&env), ["failed", "pending", "pending"]);
    assert_eq!(current(&env), "Planning");
    let errors = env.json(&["phase", "errors", "--json"]);
    let [failure] = &errors["errors"].as_array().unwrap()[..] else { panic!("{errors}") };
    assert_eq!(failure["phase"], "Planning");
    let shown = env.ok(&["phase", "show"]);
    assert!(shown.contains("Add more tests to reach 80% coverage"), "{shown}");
    // What was missing is mended: no need to try it formally again.
    env.write("plan.md", "x\n");
    env.ok(&["phase", "complete", "coverage=80"]);
    assert_eq!(checkpoints(&env)[0], "passed");
    assert_eq!(phases(&env)["phases"][0]["attempts"], 2);
}

#[test]
fn evidence_is_also_given_as_json_and_only_as_an_object() {
    let env = following(SPEC);
    env.write("plan.md", "x\n");
    let output = env.waypost(&["phase", "complete", "--evidence", "[1]"]);
    assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
    env.ok(&["phase", "complete", "--evidence", r#"{"coverage": 90.5, "by": "me"}"#]);
    assert_eq!(phases(&env)["phases"][0]["evidence"]["coverage"], 90.5);
}

#[test]
fn tasks_and_gates_are_shown_in_the_phase_and_in_the_workflow() {
    let env = following(SPEC);
    let shown = env.ok(&["phase", "show"]);
    for part in ["0 Planning", "[ ] Read the spec", "a list", "Planning/coverage"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = env.ok(&["workflow", "show", "spec"]);
    for part in ["Planning → Building → Docs", "Execute a spec", "to enter", "to complete"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let listed = env.ok(&["workflow", "list"]);
    for part in ["spec → plan → build → docs", ".waypost/workflows/spec.toml", "no phases"] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    let listed = env.ok(&["phase", "list"]);
    assert!(listed.contains("▸ 0 Planning"), "{listed}");
}

#[test]
fn a_session_follows_the_workflow_as_it_was_when_it_began() {
    let env = following(SPEC);
    env.write("plan.md", "x\n");
    env.write(".waypost/workflows/spec.toml", "[[phase]]\nname = \"Easy\"\n");
    refused(&env, &["phase", "complete", "coverage=1"]);
    std::fs::remove_file(env.project().join(".waypost/workflows/spec.toml")).unwrap();
    refused(&env, &["phase", "complete", "coverage=1"]);
    env.ok(&["phase", "complete", "coverage=81"]);
    let phases = phases(&env);
    assert_eq!(phases["phases"].as_array().unwrap().len(), 3);
    assert_eq!(phases["workflow_version"], "v1");
}

#[test]
fn the_same_that_goes_on_already_is_offered_and_not_resumed() {
    let env = following(SPEC);
    for same in ["specs/login", "./specs/login/", "specs//login"] {
        let said = refused(&env, &["start", "--workflow", "spec", "--target", same]);
        assert!(said.contains("goes on already in session") && said.contains("--anew"), "{said}");
    }
    env.ok(&["start", "--workflow", "spec", "--target", "specs/other"]);
    env.ok(&["start", "--workflow", "spec", "--target", "specs/login", "--anew"]);
    let listed = env.json(&["list", "--json"]);
    assert_eq!(listed.as_array().unwrap().len(), 3, "{listed}");
}

#[test]
fn pausing_holds_the_phase_and_its_time_is_not_time_of_work() {
    let mut env = following(SPEC);
    env.write("plan.md", "x\n");
    env.time = "2026-11-15T12:10:00.000Z".into();
    let paused = env.json(&["pause", "--reason", "Lunch", "--json"]);
    let id = paused["session_id"].as_str().unwrap().to_owned();
    env.time = "2026-11-15T13:10:00.000Z".into();
    let complete = ["phase", "complete", "coverage=90", "--session", &id];
    let before = env.event_types_of(&id);
    let said = refused(&env, &complete);
    assert!(said.contains("paused") && said.contains("resume"), "{said}");
    assert_eq!(env.event_types_of(&id), before, "a refusal leaves nothing behind");
    env.ok(&["resume", &id]);
    env.time = "2026-11-15T13:15:00.000Z".into();
    env.ok(&complete);
    let first = &phases(&env)["phases"][0];
    assert_eq!(first["active_ms"], 15 * 60 * 1000, "{first}");
    assert_eq!(first["paused_ms"], 60 * 60 * 1000, "{first}");
}

#[test]
fn a_project_can_name_its_own_workflow_for_new_sessions() {
    let env = with(SPEC);
    env.write("waypost.toml", "[project]\nworkflow = \"spec\"\n");
    env.ok(&["gate", "list"]);
    env.start("Login");
    assert_eq!(phases(&env)["workflow"], "spec");
    env.write("waypost.toml", "[project]\n\nworkflow = \"spce\"\n");
    let output = env.waypost(&["gate", "list"]);
    assert_eq!(output.status.code(), Some(2));
    let said = everything(&output);
    assert!(said.contains("waypost.toml:3: `workflow`: there is no workflow `spce`"), "{said}");
    let said = refused(&env, &["start", "--objective", "Other"]);
    assert!(said.contains("did you mean `spec`?"), "{said}");
    assert!(refused(&env, &["workflow", "check"]).contains("spce"));
    assert!(everything(&env.waypost(&["doctor"])).contains("spce"));
}

#[test]
fn a_session_that_is_over_and_evidence_that_is_too_long_leave_nothing_behind() {
    let env = following(SPEC);
    let id = phases(&env)["session_id"].as_str().unwrap().to_owned();
    let before = env.event_types_of(&id);
    let long = format!("note={}", "x".repeat(70_000));
    refused(&env, &["phase", "complete", "coverage=90", &long]);
    assert_eq!(env.event_types_of(&id), before);
    env.ok(&["end", "--summary", "enough"]);
    let before = env.event_types_of(&id);
    refused(&env, &["phase", "complete", "coverage=90", "--session", &id]);
    assert_eq!(env.event_types_of(&id), before);
}
