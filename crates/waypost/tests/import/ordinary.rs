//! Importing everything below an ordinary project: what is no session is passed by without a word of blame, and hides
//! nothing that lies below it.

use std::fs;

use serde_json::json;

use crate::fixtures::{put, second_version};
use crate::{import, outcomes, project};

const ID: &str = "2026-02-16_track-sessions_j3ehqn";

#[test]
fn files_of_other_programs_are_no_sessions_and_hide_none() {
    let env = project();
    let app = env.home().join("app");
    let write = |name: &str, text: &[u8]| {
        let path = app.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    // A program of its own keeps its state and its events here.
    write("state.json", b"{\"window\": {\"width\": 800}}");
    write("events.jsonl", b"{\"click\": 1}\n");
    write("tsconfig.json", b"// comments are fine here\n{\"compilerOptions\": {},}\n");
    write("data.json", b"[1, 2");
    write("large.json", &vec![b'7'; 5 * 1024 * 1024]);
    write("latin.md", b"# caf\xe9\n");
    write("waypost/notes.md", b"# Notes\n");
    write("docker-compose.yaml", b"services:\n  - a: [\n");
    put(&app.join("agents/sessions").join(ID), &second_version(ID));
    let report = import(&env, &app);
    assert_eq!(report["refused"], json!([]), "{report:#}");
    assert_eq!(outcomes(&report), [(ID.to_owned(), "imported".to_owned())]);
    let output = env.waypost(&["import", app.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_file_that_somebody_names_is_refused_with_what_to_do() {
    let env = project();
    let named = |name: &str, bytes: &[u8]| {
        let path = env.home().join(name);
        fs::write(&path, bytes).unwrap();
        let report = import(&env, &path);
        report["refused"][0]["reason"].as_str().unwrap().to_owned()
    };
    assert!(named("cut.json", b"{\"session_id\": \"x\"").contains("cut.json:1"));
    assert!(named("latin.md", b"# one\ncaf\xe9\n").contains("line 2 is not UTF-8"));
    let large = named("large.json", &vec![b' '; 5 * 1024 * 1024]);
    assert!(large.contains("5 MiB") && large.contains("at most 4 MiB"), "{large}");
}

#[test]
fn a_manifest_of_waypost_without_its_records_is_not_taken_for_another_programs() {
    let env = project();
    env.write("waypost.toml", "[project]\npublish = \"always\"\n");
    let id = env.start("Mine");
    let lonely = env.home().join("lonely").join(&id);
    fs::create_dir_all(&lonely).unwrap();
    fs::copy(env.copy_of(&id).join("state.json"), lonely.join("state.json")).unwrap();
    let reason = import(&env, &lonely)["refused"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("without its records"), "{reason}");
}
