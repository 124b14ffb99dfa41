//! `waypost statusline`: one line, whatever it is given, and never a failure.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::io::Write;
use std::process::Stdio;

use serde_json::json;
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER};

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// What is told while the checks were not run.
const OPEN: &str = "open: checks-pass · next: go on with the objective; before you are done: \
                    waypost run -- ./check.sh (for checks-pass)";

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
    let objective = "Add login \u{1b}[31mby passkey";
    let begin = ["start", "--objective", objective, "--workflow", "full", "--json"];
    let id = env.json(&begin)["session_id"].as_str().unwrap().to_owned();
    let told = line(&env, b"");
    let open = "Add login [31mby passkey · spec (0/4) · open: checks-pass, spec/written · \
                next: write what is to be built into agents/sessions/";
    assert!(told.starts_with(open), "{told}");
    env.write_spec(&id);
    let told = "Add login [31mby passkey · spec (0/4) · open: checks-pass · next: work on phase spec, \
                then `waypost phase complete spec`; before you are done: waypost run -- ./check.sh \
                (for checks-pass)\n";
    assert_eq!(line(&env, b""), told);
    env.ok(&["phase", "complete"]);
    env.write_plan(&id, 5);
    env.ok(&["phase", "complete"]);
    env.ok(&["checkpoint", "init", "5"]);
    env.ok(&["checkpoint", "complete", "2"]);
    env.ok(&["focus", "--task", "form"]);
    env.ok(&["run", "--", "./check.sh"]);
    let told = "Add login [31mby passkey · build (2/4) · checkpoints 1/5 · form · \
                open: build/checkpoints · next: do task 1.1 \"Task 1.1\", then `waypost task complete \
                1.1`\n";
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
    let told = |work: &str| format!("{work} · {OPEN}\n");
    let asks = |id: &str| json!({"session_id": id, "workspace": folders}).to_string();
    assert_eq!(line(&env, asks("s1").as_bytes()), told("Add login · changes to prove"));
    assert!(env.stop().held().is_some());
    assert_eq!(line(&env, asks("s1").as_bytes()), told("Add login · stop is held"));
    let by_process = line(&env, asks("unknown").as_bytes());
    assert_eq!(by_process, told("Add login · stop is held"), "the process above tells whose it is");
    env.ok(&["pause", "--reason", "lunch"]);
    let paused = line(&env, asks("s1").as_bytes());
    assert!(paused.starts_with("Add login · paused: lunch"), "{paused}");
    assert!(paused.contains("next: `waypost resume "), "{paused}");
}

#[test]
fn it_tells_the_phase_of_the_protocol_and_the_gate_that_blocks_it() {
    let env = env();
    env.write(".serena/project.yml", "project_name: test\n");
    env.init_with("[project]\nprotocol = \"builtin\"\n");
    env.begin();
    let mut client = Client::start(&env, NEWER, &[]);
    client.works("session_start", json!({"objective": "Add login"}));
    let asks = json!({"session_id": "s1", "workspace": {"current_dir": env.project()}}).to_string();
    let told = line(&env, asks.as_bytes());
    assert!(told.starts_with("Add login · INIT · open: SERENA_INIT, "), "{told}");
    client.call("advance_phase", json!({}));
    let told = line(&env, asks.as_bytes());
    assert!(told.starts_with("Add login · INIT, BLOCKED by SERENA_INIT · "), "{told}");
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
        assert_eq!(line(&env, input), format!("Add login · {OPEN}\n"));
    }
}
