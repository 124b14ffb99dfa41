//! The committed script that everyone's settings call: `.waypost/hook`.

use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

fn without_waypost(input: &str) -> (Option<i32>, String) {
    // A folder with `cat` alone: whoever runs the tests may have Waypost installed.
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/cat", folder.path().join("cat")).unwrap();
    run_in(folder.path(), input)
}

fn run_in(path: &Path, input: &str) -> (Option<i32>, String) {
    run_with(&["claude-code"], path, input)
}

fn run_with(args: &[&str], path: &Path, input: &str) -> (Option<i32>, String) {
    let world = World::new();
    world.init_shared();
    let script = world.read(".waypost/hook");
    let mut child = Command::new("/bin/sh")
        .args(["-c", &script, "hook"])
        .args(args)
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The script may end without reading.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn without_the_binary_only_the_start_of_a_session_says_how_to_install() {
    for input in [
        r#"{"session_id":"1","hook_event_name":"SessionStart","source":"startup"}"#,
        r#"{ "hook_event_name": "SessionStart" }"#,
    ] {
        let (status, output) = without_waypost(input);
        assert_eq!(status, Some(0));
        let answer: serde_json::Value = serde_json::from_str(&output).unwrap();
        assert!(answer["systemMessage"].as_str().unwrap().contains("uses Waypost"), "{output}");
    }
    let said = r#"{"hook_event_name":"Stop","last":"\"hook_event_name\":\"SessionStart\""}"#;
    for input in [said, "", "not json $(exit 3) `exit 4`", &"x".repeat(3_000_000)] {
        assert_eq!(without_waypost(input), (Some(0), String::new()));
    }
}

#[test]
fn with_the_binary_it_becomes_the_binary() {
    let folder = with_a_binary();
    assert_eq!(run_in(folder.path(), "{}"), (Some(2), "hook claude-code --shared\n".into()));
}

#[test]
fn a_client_that_leaves_the_arguments_out_is_not_answered() {
    let event = r#"{"session_id":"1","hook_event_name":"SessionStart"}"#;
    assert_eq!(run_with(&[], with_a_binary().path(), event), (Some(0), String::new()));
}

/// A folder with a program of Waypost's name, which says how it was called.
fn with_a_binary() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("waypost");
    fs::write(&program, "#!/bin/sh\necho \"$@\"; exit 2\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}
