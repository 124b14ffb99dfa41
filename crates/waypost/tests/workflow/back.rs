//! Trying again, going back, leaving out.

use serde_json::json;

use crate::project::{SPEC, checkpoints, current, following, phases, refused, with};

const SKIPS: &str = r#"
[[phase]]
name = "Spec"
skip_when = "!has(options.spec)"

[[phase]]
name = "Plan"
skip = true

[[phase]]
name = "Build"

[[phase]]
name = "Docs"
skip_when = "has(options.docs) && !options.docs"

[[phase]]
name = "Ship"
"#;

#[test]
fn a_phase_that_failed_is_tried_again_with_what_was_given_or_without() {
    let env = following(SPEC);
    let said = refused(&env, &["phase", "retry"]);
    assert!(said.contains("has not failed"), "{said}");
    refused(&env, &["phase", "complete", "coverage=95"]);
    env.ok(&["phase", "retry", "Planning"]);
    assert_eq!(checkpoints(&env)[0], "pending");
    assert_eq!(phases(&env)["phases"][0]["evidence"]["coverage"], 95);
    // What was given still counts: only the file was missing.
    env.write("plan.md", "x\n");
    env.ok(&["phase", "complete"]);

    let env = following(SPEC);
    refused(&env, &["phase", "complete", "coverage=95"]);
    env.ok(&["phase", "retry", "0", "--reset-evidence"]);
    assert_eq!(phases(&env)["phases"][0]["evidence"], json!({}));
    env.write("plan.md", "x\n");
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("Planning/coverage"), "{said}");
}

#[test]
fn going_back_keeps_what_was_as_history_and_asks_for_everything_again() {
    let mut env = following(SPEC);
    env.write("plan.md", "x\n");
    env.ok(&["phase", "complete", "coverage=95"]);
    env.time = "2026-11-15T12:30:00.000Z".into();
    env.ok(&["phase", "complete"]);
    for wrong in ["Docs", "2", "Nowhere"] {
        refused(&env, &["phase", "rollback", wrong, "--reason", "x"]);
    }
    let args = ["phase", "rollback", "Planning", "--reason", "The plan misses a step", "--json"];
    let moved = env.json(&args);
    assert_eq!(moved["taken_back"], json!(["Planning", "Building"]), "{moved}");
    assert_eq!(current(&env), "Planning");
    assert_eq!(checkpoints(&env), ["pending", "pending", "pending"]);
    let phases = phases(&env);
    let earlier = phases["earlier"].as_array().unwrap();
    let names: Vec<&str> = earlier.iter().map(|one| one["phase"].as_str().unwrap()).collect();
    assert_eq!(names, ["Planning", "Building", "Docs"]);
    assert_eq!(earlier[0]["evidence"]["coverage"], 95);
    assert_eq!(earlier[1]["active_ms"], 30 * 60 * 1000);
    assert!(env.ok(&["phase", "list"]).contains("taken back:"));
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("Planning/coverage"), "what was given counts no more: {said}");
    env.ok(&["phase", "complete", "coverage=99"]);
}

#[test]
fn phases_leave_themselves_out_by_what_was_chosen_and_only_then() {
    let env = with(SKIPS);
    env.ok(&["start", "--workflow", "spec", "--option", "docs=false"]);
    assert_eq!(current(&env), "Plan");
    assert_eq!(checkpoints(&env)[0], "skipped");
    env.ok(&["phase", "complete"]);
    env.ok(&["phase", "complete", "Build"]);
    assert_eq!(current(&env), "Ship");
    assert_eq!(checkpoints(&env)[3], "skipped");
    let done = env.json(&["phase", "complete", "--json"]);
    assert_eq!(done["workflow_complete"], true);

    let env = with(SKIPS);
    env.ok(&["start", "--workflow", "spec", "--option", "spec=1"]);
    assert_eq!(current(&env), "Spec");
    let said = refused(&env, &["phase", "skip", "--reason", "no time"]);
    assert!(said.contains("may not be skipped"), "{said}");
}

#[test]
fn a_phase_that_may_be_is_left_out_on_request_with_a_reason() {
    let env = with(SKIPS);
    env.ok(&["start", "--workflow", "spec"]);
    refused(&env, &["phase", "skip", "Build", "--reason", "x"]);
    refused(&env, &["phase", "skip", "--reason", ""]);
    env.ok(&["phase", "skip", "Plan", "--reason", "It is clear"]);
    assert_eq!(current(&env), "Build");
    assert_eq!(phases(&env)["phases"][1]["skipped"], "It is clear");
    refused(&env, &["phase", "skip", "--reason", "x"]);
}

#[test]
fn entering_a_phase_passes_over_those_that_may_be_left_out() {
    let env = with(SKIPS);
    env.ok(&["start", "--workflow", "spec", "--option", "spec=1", "--option", "docs=false"]);
    let said = refused(&env, &["phase", "enter", "Ship"]);
    assert!(said.contains("Build") || said.contains("Plan"), "{said}");
    env.ok(&["phase", "enter", "Build"]);
    assert_eq!(checkpoints(&env)[..2], ["passed", "skipped"]);
    env.ok(&["phase", "enter", "Ship"]);
    env.ok(&["phase", "enter", "complete"]);
    assert_eq!(phases(&env)["workflow_complete"], true);
}

#[test]
fn a_workflow_all_of_whose_phases_leave_themselves_out_is_not_begun() {
    let env = with("phases_from = \"t.md\"\n[[phase]]\nname = \"A\"\nskip_when = \"true\"\n");
    let said = refused(&env, &["start", "--workflow", "spec"]);
    assert!(said.contains("t.md"), "{said}");
    assert_eq!(env.json(&["list", "--all", "--json"]), json!([]), "nothing was begun");
    env.write("t.md", "## Phase 1: Real\n");
    env.ok(&["start", "--workflow", "spec"]);
    assert_eq!(current(&env), "Real");
}
