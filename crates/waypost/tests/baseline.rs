//! Old failures, new ones and flaky ones: `baseline = "no new failures"`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

const PYTEST: &str = "#!/bin/sh\ncat \"$(dirname \"$0\")/../../result\"\n! grep -q 'failed\\|error' \
                      \"$(dirname \"$0\")/../../result\"\n";

/// A project whose pytest says what stands in `result`, with the gate that `init` writes where tests fail.
fn project() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".venv/bin/pytest", PYTEST);
    let pytest = env.project().join(".venv/bin/pytest");
    fs::set_permissions(pytest, fs::Permissions::from_mode(0o755)).unwrap();
    env.write(".gitignore", ".venv/\nresult\n");
    env.ok(&["init", "--harness", "claude-code", "--test-command", "pytest"]);
    let baseline = "fresh = \"tree\", baseline = \"no new failures\"";
    let config = env.read("waypost.toml").replace("fresh = \"tree\"", baseline);
    env.write("waypost.toml", &config);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    env.ok_at_terminal(&["trust", "config"]);
    env
}

/// Lets these tests fail out of so many.
fn fails(env: &TestEnv, failing: &[&str], all: usize) {
    let mut text = String::from("collected some\n=== short test summary info ===\n");
    for name in failing {
        let _ = writeln!(text, "FAILED tests/test_a.py::{name} - assert 1 == 2");
    }
    let passed = all - failing.len();
    let failed =
        if failing.is_empty() { String::new() } else { format!("{} failed, ", failing.len()) };
    let _ = writeln!(text, "===== {failed}{passed} passed in 0.02s =====");
    env.write("result", &text);
}

/// A human runs the gate's command, or the agent of a conversation.
fn run(env: &TestEnv, conversation: Option<&str>) {
    let mut command = env.command(env.binary(), env.project());
    command.args(["run", "--gate", "tests-pass"]);
    command.envs(conversation.map(|id| ("CLAUDE_CODE_SESSION_ID", id)));
    let told = everything(&command.output().unwrap());
    assert!(!told.contains("not recorded"), "{told}");
}

fn last_run(env: &TestEnv) -> Value {
    let list = env.json(&["evidence", "list", "--json"]);
    list["runs"].as_array().unwrap().last().unwrap()["run"].clone()
}

#[test]
fn old_failures_hold_nobody_and_each_new_one_does() {
    // Somebody ran it before the conversation; or its agent did, before its first edit.
    for before in [true, false] {
        let env = project();
        fails(&env, &["test_old", "test_older"], 5);
        if before {
            run(&env, None);
        }
        env.begin();
        if !before {
            run(&env, Some("s1"));
        }
        env.edit("app.py", "x = 1\n");
        run(&env, Some("s1"));
        assert_eq!(env.stop().held(), None, "nothing new failed");
        let status = everything(&env.waypost(&["gate", "check", "tests-pass"]));
        assert!(status.contains("failing as before: tests/test_a.py::test_old"), "{status}");
        // One is fixed, which is fine.
        env.edit("app.py", "x = 2\n");
        fails(&env, &["test_older"], 5);
        run(&env, Some("s1"));
        assert_eq!(env.stop().held(), None);
        env.edit("app.py", "x = 3\n");
        fails(&env, &["test_old", "test_new"], 5);
        run(&env, Some("s1"));
        let held = env.stop().held().unwrap();
        assert!(held.contains("a new failure: tests/test_a.py::test_new"), "{held}");
        assert!(!held.contains("new failure: tests/test_a.py::test_old"), "{held}");
    }
}

#[test]
fn fewer_tests_and_a_broken_build_hold() {
    let env = project();
    fails(&env, &["test_old"], 5);
    run(&env, None);
    env.begin();
    env.edit("app.py", "x = 1\n");
    fails(&env, &["test_old"], 4);
    run(&env, Some("s1"));
    let held = env.stop().held().unwrap();
    assert!(held.contains("it executed 4 tests, 5 before"), "{held}");
    for broken in [
        "E   SyntaxError: error\n",
        "ERROR tests/test_a.py\n!!! Interrupted: 1 error during collection !!!\n=== 1 error in 0.1s ===\n",
        // It says that something failed, but not what.
        "===== 1 failed, 4 passed in 0.02s =====\n",
    ] {
        env.edit("app.py", &format!("x = {}\n", broken.len()));
        env.write("result", broken);
        run(&env, Some("s1"));
        assert!(env.stop().held().is_some(), "{broken}");
    }
}

#[test]
fn what_nobody_ran_before_the_first_edit_is_not_known() {
    let env = project();
    fails(&env, &["test_old"], 5);
    env.begin();
    env.edit("app.py", "x = 1\n");
    run(&env, Some("s1"));
    let held = env.stop().held().unwrap();
    assert!(held.contains("old failures are not known"), "{held}");
    assert!(held.contains("waypost gate approve tests-pass"), "{held}");
    // What an agent made fail is no beginning, and what its hook saw is none either.
    env.edit("app.py", "x = 2\n");
    run(&env, Some("s1"));
    assert!(env.stop().held().is_some());
}

#[test]
fn the_next_conversation_begins_where_the_last_one_ended() {
    let env = project();
    fails(&env, &["test_old"], 5);
    run(&env, None);
    env.begin();
    env.edit("app.py", "x = 1\n");
    run(&env, Some("s1"));
    assert_eq!(env.stop().held(), None);
    let other = |event: &str, more: Value| {
        let mut fields = json!({"session_id": "s2"});
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        env.hook(event, &fields)
    };
    other("SessionStart", json!({"source": "startup"}));
    other("UserPromptSubmit", json!({"prompt": "go"}));
    let edit = json!({"tool_name": "Edit", "tool_use_id": "e2",
        "tool_input": {"file_path": env.project().join("app.py"), "old_string": "1", "new_string": "2"}});
    other("PreToolUse", edit.clone());
    env.write("app.py", "x = 2\n");
    other("PostToolUse", edit);
    run(&env, Some("s2"));
    let stop = other("Stop", json!({"stop_hook_active": false, "background_tasks": []}));
    assert_eq!(stop.held(), None);
}

#[test]
fn a_flaky_test_is_shown_and_a_failing_run_is_never_forgiven_for_it() {
    let env = project();
    fails(&env, &[], 5);
    env.begin();
    env.edit("app.py", "x = 1\n");
    fails(&env, &["test_flaky"], 5);
    run(&env, Some("s1"));
    assert!(env.stop().held().is_some());
    fails(&env, &[], 5);
    run(&env, Some("s1"));
    assert_eq!(last_run(&env)["flaky"], json!(["tests/test_a.py::test_flaky"]));
    let told = everything(&env.waypost(&["gate", "check", "tests-pass"]));
    assert!(
        told.contains(
            "flaky, since it failed before on the same content: tests/test_a.py::test_flaky"
        ),
        "{told}"
    );
    assert_eq!(env.stop().held(), None, "it passed on this very content");
    // The same test fails again: that it is flaky is no excuse.
    env.edit("app.py", "x = 2\n");
    fails(&env, &["test_flaky"], 5);
    run(&env, Some("s1"));
    assert!(env.stop().held().is_some());
}
