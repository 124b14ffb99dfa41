//! Whoever is killed while it imports many goes on where it stopped: all are there in the end, none twice.

use std::fs;
use std::process::Stdio;

use crate::fixtures::{put, second_version};
use crate::{import, project};

/// How many sessions there are.
const SESSIONS: usize = 1_000;

#[test]
fn an_import_of_a_thousand_that_is_killed_is_finished_by_the_next() {
    let env = project();
    let elsewhere = env.home().join("other");
    for number in 0..SESSIONS {
        let id = format!("2026-02-16_number-{number:04}");
        let mut manifest = second_version(&id);
        manifest["topic"] = format!("Number {number}").into();
        let folder = elsewhere.join(&id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("state.json"), manifest.to_string()).unwrap();
        if number % 50 == 0 {
            put(&folder, &manifest);
        }
    }
    let streams = env.store().join("sessions");
    let count = || fs::read_dir(&streams).map_or(0, Iterator::count);
    for until in [1, 7, 60, 61, 333, 700, 990] {
        let mut command = env.command(env.binary(), env.project());
        command.args(["import", elsewhere.to_str().unwrap()]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while count() < until && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let report = import(&env, &elsewhere);
    assert_eq!(report["refused"], serde_json::json!([]), "{report:#}");
    assert_eq!(report["sessions"].as_array().unwrap().len(), SESSIONS);
    assert_eq!(count(), SESSIONS);
    let again = import(&env, &elsewhere);
    let unchanged = |one: &serde_json::Value| one["outcome"] == "unchanged";
    assert!(again["sessions"].as_array().unwrap().iter().all(unchanged));
    for entry in fs::read_dir(&streams).unwrap() {
        let log = fs::read_to_string(entry.unwrap().path().join("events.jsonl")).unwrap();
        assert_eq!(log.lines().count(), 1, "{log}");
    }
    for number in (0..SESSIONS).step_by(50) {
        let notes = env.copy_of(&format!("2026-02-16_number-{number:04}")).join("context/notes.md");
        assert_eq!(fs::read_to_string(notes).unwrap(), "what was given\n");
    }
    env.ok(&["verify", "--all"]);
}
