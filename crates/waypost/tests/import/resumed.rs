//! Imported sessions that are gone on with: what is asked of them, what their phases took, and how large they may be.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

use crate::fixtures::{put, second_version};
use crate::{import, project};

const ID: &str = "2026-03-01_sort-shelves_a1b2c3";

/// A session that was left while its documents were being written.
fn in_docs() -> Value {
    let mut manifest = second_version(ID);
    (manifest["current_phase"], manifest["status"]) = (json!("docs"), json!("active"));
    manifest["phase_history"]["docs_completed_at"] = json!(null);
    manifest
}

fn brought(manifest: &Value) -> TestEnv {
    let env = project();
    put(&env.copy_of(ID), manifest);
    import(&env, &env.copy_of(ID));
    env
}

#[test]
fn what_has_to_change_in_a_phase_has_to_change_in_an_imported_session_too() {
    for is_imported in [true, false] {
        let env = project();
        put(&env.copy_of(ID), &in_docs());
        env.write("README.md", "before\n");
        env.git_unasked(&["add", "README.md"]);
        env.git_unasked(&["commit", "-q", "-m", "readme"]);
        if is_imported {
            import(&env, &env.copy_of(ID));
        }
        env.ok(&["resume", ID]);
        let refused = env.waypost(&["phase", "complete", "docs"]);
        assert!(!refused.status.success(), "{}", everything(&refused));
        assert!(everything(&refused).contains("docs/changed"), "{}", everything(&refused));
        env.write("README.md", "after\n");
        env.ok(&["phase", "complete", "docs"]);
    }
}

#[test]
fn one_that_is_still_active_is_gone_on_with_too() {
    let mut manifest = in_docs();
    manifest["updated_at"] = json!("2026-11-15T11:00:00Z");
    let env = brought(&manifest);
    assert_eq!(env.json(&["show", ID, "--json"])["lifecycle"], "active");
    env.ok(&["resume", ID]);
    let types = env.event_types_of(ID);
    assert!(types.contains(&"session_resumed".to_owned()), "{types:?}");
    assert_eq!(env.json(&["status", "--json"])["session_id"], ID);
}

#[test]
fn the_time_since_it_was_left_is_a_pause_and_no_work() {
    let env = brought(&in_docs());
    env.ok(&["resume", ID]);
    let timing = env.json(&["show", ID, "--json"])["track"]["phase_timing"]["4"].clone();
    // From 03:50 until 04:15, which is the last that its manifest tells of.
    let active = timing["active_seconds"].as_i64().unwrap();
    assert!((1500..1800).contains(&active), "{timing:#}");
    assert!(timing["paused_seconds"].as_i64().unwrap() > 86_400, "{timing:#}");
    let told = env.ok(&["show", ID]);
    let line = told.lines().find(|line| line.starts_with("  docs  ")).unwrap();
    assert!(line.contains("25 minutes, paused for ") && line.ends_with("days"), "{line}");
    let line = told.lines().find(|line| line.starts_with("  build  2026")).unwrap();
    assert!(line.ends_with(", 4 hours"), "{line}");
}

#[test]
fn a_session_whose_phases_were_all_completed_is_completed() {
    let mut manifest = second_version(ID);
    (manifest["current_phase"], manifest["status"]) = (json!("docs"), json!("active"));
    let env = brought(&manifest);
    let shown = env.json(&["show", ID, "--json"]);
    assert_eq!(shown["lifecycle"], "completed", "{shown:#}");
    assert_eq!(shown["track"]["lifecycle"]["completed"], true);
    let out: Value =
        serde_json::from_str(&env.ok(&["export", ID, "--format", "manifest"])).unwrap();
    assert_eq!(out, manifest, "it goes out as it came");
}

#[test]
fn the_phase_that_it_is_in_is_nowhere_said_to_be_passed() {
    let mut manifest = in_docs();
    manifest["current_phase"] = json!("plan");
    let env = brought(&manifest);
    env.ok(&["resume", ID]);
    let listed = env.ok(&["phase", "list"]);
    let plan = listed.lines().find(|line| line.contains("plan")).unwrap();
    assert!(!plan.contains("passed") && !plan.contains('✓'), "{listed}");
    let track = env.json(&["show", ID, "--json"])["track"].clone();
    assert_eq!(track["checkpoints"]["2"], "pending", "{track:#}");
    assert!(!track["completed_phases"].as_array().unwrap().contains(&json!(2)), "{track:#}");
    assert_eq!(track["phase_timing"]["2"]["completed_at"], "2026-02-16T22:50:00.000Z");
}

#[test]
fn a_large_manifest_can_be_resumed_published_and_verified() {
    let mut manifest = in_docs();
    // Just below what an import takes.
    manifest["own"] = json!(vec!["x".repeat(40_000); 97]);
    let env = brought(&manifest);
    env.ok(&["resume", ID]);
    env.ok(&["publish", ID]);
    env.ok(&["verify", "--all"]);
    let state = fs::read(env.copy_of(ID).join("state.json")).unwrap();
    assert!(state.len() > 3_880_000, "{}", state.len());
}

#[test]
fn long_names_of_another_program_stay_out_of_the_state() {
    let env = project();
    let id = "8b7d20aa-1c1e-4c0b-8f64-95a1d2c3e4f5";
    let session = json!({
        "session_id": id,
        "workflow_type": "w".repeat(300_000),
        "target_file": format!("specs/{}", "t".repeat(300_000)),
        "current_phase": 1, "completed_phases": [0],
        "phase_artifacts": {}, "checkpoints": {"0": "passed"},
        "created_at": "2025-03-04T08:00:00Z", "updated_at": "2025-03-04T09:00:00Z",
        "metadata": {"total_phases": 3},
    });
    let file = env.home().join(format!("{id}.json"));
    fs::write(&file, session.to_string()).unwrap();
    import(&env, &file);
    env.ok(&["resume", id]);
    env.ok(&["publish", id]);
    env.ok(&["verify", "--all"]);
    let state = fs::read(env.copy_of(id).join("state.json")).unwrap();
    assert!(state.len() < 100_000, "{}", state.len());
    assert!(env.ok(&["status"]).len() < 10_000);
    let out: Value = serde_json::from_str(&env.ok(&["export", id, "--format", "praxis"])).unwrap();
    assert_eq!(out["workflow_type"], session["workflow_type"], "the record has all of it");
    assert_eq!(out["target_file"], session["target_file"]);
}
