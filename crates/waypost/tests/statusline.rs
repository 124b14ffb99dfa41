//! `waypost statusline`: one line, whatever it is given, and never a failure.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::io::Write;
use std::process::Stdio;

use serde_json::json;
use waypost_testkit::TestEnv;

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

fn line(env: &TestEnv, input: &[u8]) -> String {
    let mut command = env.command(env.binary(), env.project());
    command.arg("statusline").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Whoever does not read all of it has its reasons.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn it_tells_where_the_session_stands() {
    let env = env();
    assert_eq!(line(&env, b""), "", "there is no project");
    env.init();
    assert_eq!(line(&env, b""), "", "there is no session");
    env.ok(&["start", "--objective", "Add login \u{1b}[31mby passkey", "--workflow", "full"]);
    assert_eq!(line(&env, b""), "Add login [31mby passkey · spec (0/4)\n");
    env.ok(&["phase", "complete"]);
    env.ok(&["phase", "complete"]);
    env.ok(&["checkpoint", "init", "5"]);
    env.ok(&["checkpoint", "complete", "2"]);
    env.ok(&["focus", "--task", "form"]);
    let told = "Add login [31mby passkey · build (2/4) · checkpoints 1/5 · form\n";
    assert_eq!(line(&env, b""), told);
    assert_eq!(env.waypost(&["phase", "complete"]).status.code(), Some(1));
    assert!(line(&env, b"").contains("build ✗ (2/4)"));
}

#[test]
fn it_tells_of_the_conversation_that_asks() {
    let env = env();
    env.init();
    env.begin();
    env.ok(&["start", "--objective", "Add login"]);
    env.edit("src/lib.txt", "two\n");
    let folders = json!({"current_dir": env.project(), "project_dir": env.project()});
    let asks = |id: &str| json!({"session_id": id, "workspace": folders}).to_string();
    assert_eq!(line(&env, asks("s1").as_bytes()), "Add login · changes to prove\n");
    assert!(env.stop().held().is_some());
    assert_eq!(line(&env, asks("s1").as_bytes()), "Add login · stop is held\n");
    assert_eq!(line(&env, asks("unknown").as_bytes()), "Add login\n");
    env.ok(&["pause", "--reason", "lunch"]);
    assert!(line(&env, asks("s1").as_bytes()).starts_with("Add login · paused: lunch"));
}

#[test]
fn nothing_that_it_is_given_makes_it_fail() {
    let env = env();
    env.init();
    env.start("Add login");
    let huge = vec![b'x'; 3_000_000];
    let outside = br#"{"cwd": "/nowhere", "workspace": 5}"#;
    for input in [&b"{"[..], b"[]", b"\xff\xfe", br#"{"session_id": "../../etc"}"#, outside, &huge]
    {
        assert_eq!(line(&env, input), "Add login\n");
    }
}
