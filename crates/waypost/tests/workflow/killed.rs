//! Killed in the middle of completing phases, again and again: the workflow is where it was or one
//! phase further, and the next process goes on from there.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use super::project::{phases, with};

const PHASES: u64 = 12;

fn spec() -> String {
    let phase = |number: u64| format!("[[phase]]\nname = \"Phase{number}\"\n");
    format!("first_phase = 0\n{}", (0..PHASES).map(phase).collect::<String>())
}

/// Asks for the current phase to be completed, and kills whoever does it when the log has grown to
/// so many bytes, or when it is over.
fn killed_at(env: &TestEnv, id: &str, length: u64) {
    let mut command = env.command(env.binary(), env.project());
    command
        .args(["phase", "complete", "--session", id])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    while child.try_wait().unwrap().is_none() {
        if fs::metadata(env.log_of(id)).unwrap().len() >= length {
            child.kill().unwrap();
            break;
        }
    }
    child.wait().unwrap();
}

fn track(env: &TestEnv, id: &str) -> Value {
    env.json(&["status", id, "--json"])["track"].clone()
}

#[test]
fn a_workflow_survives_being_killed_at_any_moment() {
    let env = with(&spec());
    let begun = env.json(&["start", "--workflow", "spec", "--json"]);
    let id = begun["session_id"].as_str().unwrap();
    let mut round = 0;
    while track(&env, id)["lifecycle"]["completed"] == false {
        let before = track(&env, id)["current_phase"].as_u64().unwrap();
        let length = fs::metadata(env.log_of(id)).unwrap().len();
        // At once, with the first byte, in the middle of the records, and after them.
        killed_at(&env, id, length + [0, 1, 300, 700, 100_000][round % 5]);
        let after = track(&env, id);
        let current = after["current_phase"].as_u64().unwrap();
        assert!(current == before || current == before + 1, "{before} -> {after}");
        let last = after["lifecycle"]["completed"] == true;
        let done: Vec<u64> = (0..if last { PHASES } else { current }).collect();
        assert_eq!(after["completed_phases"], json!(done), "{after}");
        assert_eq!(env.waypost(&["verify", "--all"]).status.code(), Some(0));
        let told = env.ok(&["brief", id]);
        assert!(last || told.contains(&format!("Phase {current} of {PHASES}")), "{told}");
        round += 1;
        assert!(round < 100, "it never ends");
    }
    assert_eq!(phases(&env)["phases"].as_array().unwrap().len() as u64, PHASES);
    let completed = env.event_types_of(id).iter().filter(|kind| *kind == "track_completed").count();
    assert_eq!(completed, 1, "complete once");
}
