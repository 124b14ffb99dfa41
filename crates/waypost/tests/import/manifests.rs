//! Session folders as people leave them: words of other versions, what contradicts itself, what came since, and the
//! way back to the program that wrote them.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use crate::fixtures::{first_version, put, second_version};
use crate::leaves::missing;
use crate::{import, project};

const ID: &str = "2026-03-01_sort-shelves_a1b2c3";

fn exported(env: &TestEnv) -> Value {
    serde_json::from_str(&env.ok(&["export", ID, "--format", "manifest"])).unwrap()
}

/// Imports a manifest in place; what the import says of it, and what `show` does.
fn brought(manifest: &Value) -> (TestEnv, Value, Value) {
    let env = project();
    put(&env.copy_of(ID), manifest);
    let report = import(&env, &env.copy_of(ID));
    let shown = env.json(&["show", ID, "--json"]);
    (env, report["sessions"][0].clone(), shown)
}

fn building() -> Value {
    let mut manifest = second_version(ID);
    manifest["current_phase"] = json!("build");
    manifest["status"] = json!("active");
    manifest["phase_history"]["build_completed_at"] = json!(null);
    manifest["phase_history"]["docs_started_at"] = json!(null);
    manifest["phase_history"]["docs_completed_at"] = json!(null);
    manifest["build_progress"]["checkpoints_completed"] = json!([1]);
    manifest["build_progress"]["current_checkpoint"] = json!(2);
    manifest
}

#[test]
fn a_session_whose_status_was_left_at_active_is_finished_all_the_same() {
    for (phase, status) in [("complete", "active"), ("completed", "active"), ("complete", "done")] {
        let mut manifest = second_version(ID);
        (manifest["current_phase"], manifest["status"]) = (json!(phase), json!(status));
        let (env, found, shown) = brought(&manifest);
        assert_eq!(shown["lifecycle"], "completed", "{phase} {status}: {found:#}");
        assert_eq!(exported(&env), manifest, "it goes out as it came");
    }
}

#[test]
fn a_session_that_does_not_say_when_it_began_did_not_begin_today() {
    let mut manifest = building();
    manifest.as_object_mut().unwrap().remove("created_at");
    manifest["phase_history"]["spec_started_at"] = json!("2026-02-16T21:14:17");
    let (env, found, shown) = brought(&manifest);
    assert_eq!(shown["started_at"], "2026-02-16T21:14:17.000Z", "{shown:#}");
    assert!(found["remarks"].to_string().contains("does not say when it began"), "{found:#}");
    assert!(found["remarks"].to_string().contains("taken as UTC"), "{found:#}");
    assert!(env.ok(&["show", ID]).contains("spec  2026-02-16 21:14"));
}

#[test]
fn what_happened_last_is_the_latest_that_is_told() {
    let mut manifest = building();
    manifest["updated_at"] = json!("2026-02-16T21:15:00+00:00");
    let (_, _, shown) = brought(&manifest);
    assert_eq!(shown["updated_at"], "2026-02-16T23:45:00.000Z", "building began then");
}

#[test]
fn only_what_has_changed_since_is_another_on_the_way_out() {
    let mut manifest = building();
    manifest["session_id"] = json!("2026-03-01_sort-all-shelves_a1b2c3");
    manifest["$schema"] = json!("another one");
    manifest["session_type"] = json!("feature");
    manifest["status"] = json!("in_progress");
    manifest["commits"] =
        json!(["8d20e29 first", {"sha": "1b8331f", "message": "m", "checkpoint_id": 1}]);
    manifest["artifacts"] = json!(["spec.md"]);
    let (env, _, _) = brought(&manifest);
    env.ok(&["resume", ID]);
    env.ok(&["checkpoint", "complete", "2"]);
    env.ok(&["note", "add", "mind the dust"]);
    let output = env.waypost(&["export", ID, "--format", "manifest"]);
    let out: Value = serde_json::from_slice(&output.stdout).unwrap();
    let changed = missing(&manifest, &out);
    let expected = ["/build_progress/current_checkpoint", "/updated_at"];
    assert_eq!(changed.len(), expected.len(), "{changed:?}");
    for (changed, expected) in changed.iter().zip(expected) {
        assert!(changed.starts_with(expected), "{changed}");
    }
    assert_eq!(out["build_progress"]["checkpoints_completed"], json!([1, 2]));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("not in it: 1 note"), "{told}");
}

#[test]
fn the_first_version_says_the_same_in_both_of_its_places() {
    let mut manifest = first_version(ID);
    manifest["current_phase"] = json!("build");
    manifest["phases"]["build"] =
        json!({"status": "in_progress", "started_at": "2025-12-28T13:40:00Z"});
    manifest["plan_state"] = json!({"status": "in_progress", "checkpoints_total": 2, "checkpoints_completed": [1], "current_checkpoint": 2});
    let (env, _, _) = brought(&manifest);
    env.ok(&["resume", ID]);
    env.ok(&["checkpoint", "complete", "2"]);
    env.ok(&["run", "--", "./check.sh"]);
    env.ok(&["phase", "complete", "build"]);
    let out = exported(&env);
    assert_eq!(out["plan_state"]["checkpoints_completed"], json!([1, 2]), "{out:#}");
    assert_eq!(out["phases"]["build"]["status"], "completed");
    assert_eq!(out["phases"]["build"]["completed_at"], out["phase_history"]["build_completed_at"]);
    assert_eq!(out["phases"]["spec"], manifest["phases"]["spec"]);
    assert_eq!(out["current_phase"], "docs");
}

#[test]
fn a_plan_with_the_name_that_the_folder_had_is_the_sessions_plan() {
    let mut manifest = building();
    manifest["session_id"] = json!("2026-03-01_old-name_a1b2c3");
    manifest["current_phase"] = json!("plan");
    let env = project();
    put(&env.copy_of(ID), &manifest);
    let plan = json!({"session_id": "2026-03-01_old-name_a1b2c3", "checkpoints": [{"id": 1, "title": "One", "task_groups": []}]});
    env.write(&format!("agents/sessions/{ID}/plan.json"), &plan.to_string());
    import(&env, &env.copy_of(ID));
    env.ok(&["resume", ID]);
    let told = env.ok(&["plan", "check"]);
    assert!(told.contains("nothing is wrong"), "{told}");
}

#[test]
fn images_beside_a_session_go_in_and_out_again() {
    let env = project();
    let elsewhere = env.home().join("other").join(ID);
    put(&elsewhere, &building());
    fs::write(elsewhere.join("context/picture.png"), b"\x89PNG\r\n\xff\x00").unwrap();
    import(&env, &elsewhere);
    let back = env.home().join("back");
    env.ok(&["export", ID, "--format", "manifest", "--output", back.to_str().unwrap()]);
    assert_eq!(fs::read(back.join("context/picture.png")).unwrap(), b"\x89PNG\r\n\xff\x00");
}

#[test]
fn a_folder_is_resumed_without_an_import_as_with_one() {
    let mut text = building();
    text["big"] = json!(u64::MAX);
    text["open_questions"] = json!(["Which first?"]);
    let bytes = [b"\xef\xbb\xbf".as_slice(), text.to_string().as_bytes()].concat();
    let env = project();
    fs::create_dir_all(env.copy_of(ID)).unwrap();
    fs::write(env.copy_of(ID).join("state.json"), &bytes).unwrap();
    let output = env.waypost(&["resume", ID]);
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("state.json was written by another program; it is kept as"), "{told}");
    let kept = fs::read_dir(env.store().join("aside").join(ID)).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read(kept.path()).unwrap(), bytes);
    assert!(env.ok(&["brief", ID]).contains("Which first?"));
}

#[test]
fn research_by_itself_goes_back_with_all_of_its_keys() {
    let state = json!({
        "id": ID, "request": "How do others sort?", "report_style": "context", "status": "complete",
        "created_at": "2026-03-01T08:00:00Z", "completed_at": "2026-03-01T09:00:00Z",
        "subtasks": [{"id": "001", "objective": "Ask a library", "status": "complete"}],
    });
    let (env, found, _) = brought(&state);
    assert_eq!(found["format"], "research-folder");
    assert_eq!(exported(&env), state);
    env.ok(&["resume", ID]);
    let changed = missing(&state, &exported(&env));
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert!(changed[0].starts_with("/status"), "{changed:?}");
}

#[test]
fn a_session_that_began_here_is_the_same_after_its_way_out_and_in() {
    for workflow in ["full", "quick", "research"] {
        let env = project();
        env.ok(&["start", "--objective", "Sort the shelves", "--workflow", workflow]);
        let id = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
        env.ok(&["note", "add", "--kind", "decision", "by author"]);
        env.ok(&["commit", "HEAD", "--message", "Begin"]);
        env.ok(&["end", &id, "--summary", "all sorted", "--next-notes", "dust them"]);
        let out = env.home().join(&id);
        let output = env.waypost(&[
            "export",
            &id,
            "--format",
            "manifest",
            "--output",
            out.to_str().unwrap(),
        ]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            told.contains("1 note; the summary of what came of it; the notes for the next"),
            "{told}"
        );
        let again = project();
        import(&again, &out);
        let (one, two) = (env.json(&["show", &id, "--json"]), again.json(&["show", &id, "--json"]));
        for key in ["objective", "lifecycle", "workflow", "phase", "started_at", "ended_at"] {
            assert_eq!(one[key], two[key], "{workflow}: {key}");
        }
        assert_eq!(one["commits"][0]["sha"], two["commits"][0]["sha"]);
        assert!(two["commits"][0]["sha"].is_string());
    }
}
