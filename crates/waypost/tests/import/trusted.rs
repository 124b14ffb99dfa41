//! Copies that others saved or signed.

use std::fs;

use serde_json::Value;
use waypost_testkit::{TestEnv, everything};

#[test]
fn a_manifest_that_another_tool_saved_is_told_as_that_with_the_way_back() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_publishing();
    let id = env.start("Add login");
    let path = env.copy_of(&id).join("state.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let fields = manifest.as_object_mut().unwrap();
    fields.remove("waypost");
    fields.remove("_signature");
    fs::write(&path, serde_json::to_string_pretty(&manifest).unwrap()).unwrap();
    let output = env.waypost(&["verify", &id]);
    let told = everything(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("another program saved it") && told.contains("waypost publish"),
        "{told}"
    );
    env.ok(&["publish", &id]);
    env.ok(&["verify", "--all"]);
    // In a clone its records are all that there is, and they are whole.
    fs::write(&path, serde_json::to_string_pretty(&manifest).unwrap()).unwrap();
    let clone = env.clone_as("clone");
    fs::copy(&path, clone.join("agents/sessions").join(&id).join("state.json")).unwrap();
    env.ok_in(&clone, &["resume", &id]);
    env.ok_in(&clone, &["verify", "--all"]);
}

#[test]
fn trusting_all_copies_of_a_clone_shows_what_is_trusted() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_publishing();
    for objective in ["Add login", "Add logout"] {
        let id = env.start(objective);
        env.ok(&["end", &id, "--summary", "done"]);
    }
    // One that nobody attended to for long is called abandoned in its copy.
    let old = "2026-02-16_track-sessions_j3ehqn";
    let mut manifest = crate::fixtures::second_version(old);
    manifest["status"] = serde_json::json!("active");
    manifest["current_phase"] = serde_json::json!("build");
    manifest["phase_history"] = serde_json::json!({"spec_started_at": "2026-02-16T21:14:17+00:00"});
    crate::fixtures::put(&env.copy_of(old), &manifest);
    env.ok(&["import", env.copy_of(old).to_str().unwrap()]);
    env.ok(&["publish", old]);
    let clone = env.clone_as("clone");
    let home = env.home().join("another-user");
    fs::create_dir_all(&home).unwrap();
    let run = |args: &[&str]| {
        let mut command = env.command(env.binary(), &clone);
        everything(&command.args(args).env("HOME", &home).output().unwrap())
    };
    run(&["init", "--preset", "minimal"]);
    let told = run(&["trust", "copy", "--all"]);
    assert!(told.contains("Add login") && told.contains("Add logout"), "{told}");
    assert!(told.contains("signed with key") && told.contains("3 trusted"), "{told}");
    assert!(run(&["trust", "copy", "--all"]).contains("nothing here needs that"));
    let verified = run(&["verify", "--all"]);
    assert!(
        !verified.contains("unverified:") && !verified.contains("not what its records"),
        "{verified}"
    );
    assert!(run(&["resume", old]).contains("resumed"));
}
