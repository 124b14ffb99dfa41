//! When nothing was enforced is told first: Waypost taken out, gates switched off, hooks never called.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use waypost_testkit::{GATE, TestEnv, everything};

fn set_up() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(GATE);
    env
}

fn first_line(env: &TestEnv) -> String {
    let output = env.waypost(&["status"]);
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn taking_waypost_out_is_recorded_and_told_first_for_ever_after() {
    let env = set_up();
    env.ok_at_terminal(&["init", "--remove"]);
    let records = fs::read_to_string(env.store().join("project/events.jsonl")).unwrap();
    assert!(records.contains("\"type\":\"project_removed\""), "{records}");
    let line = first_line(&env);
    assert!(line.contains("Waypost was taken out of this work tree on"), "{line}");
    assert!(line.contains("(local)"), "{line}");
    env.ok(&["init", "--harness", "claude-code"]);
    let line = first_line(&env);
    assert!(
        line.contains("Waypost was out of this work tree from") && line.contains(" to "),
        "{line}"
    );
    let status = env.json(&["status", "--json"]);
    assert_eq!(status["lapses"]["removed"]["said"], "local");
    assert!(status["lapses"]["removed"]["until"].is_string());
    env.ok(&["verify"]);
}

#[test]
fn where_nobody_sat_at_a_terminal_the_record_says_so_and_a_second_time_adds_nothing() {
    let env = set_up();
    env.ok(&["init", "--remove"]);
    env.ok(&["init", "--remove"]);
    let records = fs::read_to_string(env.store().join("project/events.jsonl")).unwrap();
    assert_eq!(records.matches("project_removed").count(), 1, "{records}");
    assert!(first_line(&env).contains("(without a terminal)"));
}

#[test]
fn gates_that_are_off_are_told_first_and_that_they_were() {
    let env = set_up();
    env.start("x");
    env.ok_at_terminal(&["mode", "disabled"]);
    let line = first_line(&env);
    assert!(line.contains("gates are off: mode disabled since"), "{line}");
    assert!(line.contains("(local)"), "{line}");
    let records = fs::read_to_string(env.store().join("project/events.jsonl")).unwrap();
    assert!(records.contains("\"type\":\"gates_switched\""), "{records}");
    env.ok(&["mode", "coding"]);
    let line = first_line(&env);
    assert!(line.contains("gates were off, in mode disabled, from"), "{line}");
    let brief = env.ok(&["brief"]);
    assert!(brief.contains("gates were off"), "{brief}");
    env.ok(&["verify"]);
}

#[test]
fn agents_change_the_mode_and_never_switch_gates_off() {
    let env = set_up();
    env.begin();
    let as_agent = |args: &[&str]| {
        let mut command = env.command(env.binary(), env.project());
        command.args(args).env("CLAUDE_CODE_SESSION_ID", "s1").output().unwrap()
    };
    for mode in ["analysis", "coding", "planning", "coding"] {
        let output = as_agent(&["mode", mode]);
        assert!(output.status.success(), "{}", everything(&output));
    }
    let output = as_agent(&["mode", "disabled"]);
    assert!(!output.status.success());
    assert!(everything(&output).contains("is for people"), "{}", everything(&output));
    assert!(env.event_types().iter().filter(|name| *name == "mode_set").count() >= 4);
}

#[test]
fn where_people_change_the_mode_agents_only_tighten_it() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\nmode_changes = \"humans\"\n");
    env.begin();
    let as_agent = |mode: &str| {
        let mut command = env.command(env.binary(), env.project());
        command.args(["mode", mode]).env("CLAUDE_CODE_SESSION_ID", "s1").output().unwrap()
    };
    assert!(as_agent("planning").status.success());
    let denied = env.before_edit(&env.project().join("x.txt")).denied().unwrap();
    assert!(denied.contains("ask the user to change the mode"), "{denied}");
    let output = as_agent("coding");
    assert!(!output.status.success(), "{}", everything(&output));
    assert!(everything(&output).contains("from planning to coding"), "{}", everything(&output));
    assert!(as_agent("analysis").status.success());
    assert!(!as_agent("planning").status.success());
    // Whoever edits the file does not loosen it for the conversation at hand.
    env.write("waypost.toml", "[project]\n");
    assert!(!as_agent("coding").status.success());
    env.hook("SessionEnd", &json!({"reason": "exit"}));
    env.write("waypost.toml", "[project]\nmode_changes = \"nobody\"\n");
    let told = everything(&env.waypost(&["gate", "list"]));
    assert!(told.contains("it is `agents` or `humans`"), "{told}");
}

#[test]
fn an_approval_at_a_terminal_is_told_as_local() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(
        "[[gate]]\nid = \"deploy\"\nbefore = [\"edit\"]\nproof = { approval = \"local\" }\n",
    );
    env.start("x");
    env.ok_at_terminal(&["gate", "approve", "deploy"]);
    let status = env.ok(&["status"]);
    assert!(status.contains("approved at a terminal of this machine (local)"), "{status}");
    assert!(!status.contains("a human approved"), "{status}");
}

/// What a client keeps of a conversation, which began at `time` in `folder`.
fn transcript(env: &TestEnv, id: &str, folder: &str, time: &str, answered: bool) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = folder.chars().map(plain).collect();
    let place = env.home().join(".claude/projects").join(name);
    fs::create_dir_all(&place).unwrap();
    let mut lines = format!("{}\n", json!({"type": "user", "cwd": folder, "timestamp": time}));
    if answered {
        lines += &format!("{}\n", json!({"type": "assistant", "cwd": folder, "timestamp": time}));
    }
    let file = place.join(format!("{id}.jsonl"));
    fs::write(&file, lines).unwrap();
    file
}

const LATER: &str = "2099-01-01T00:00:00.000Z";
const ONE: &str = "11111111-aaaa-4bbb-8ccc-222222222222";

#[test]
fn a_conversation_that_never_called_a_hook_is_unenforced_everywhere() {
    let env = set_up();
    let root = env.project().display().to_string();
    env.start("x");
    transcript(&env, ONE, &root, LATER, true);
    transcript(&env, "33333333-aaaa-4bbb-8ccc-222222222222", &format!("{root}/sub"), LATER, true);
    for args in [&["status"][..], &["list"], &["brief"], &["doctor"], &["watch"]] {
        let told = everything(&env.waypost(args));
        assert!(told.contains("UNENFORCED: 2 conversations"), "{args:?}: {told}");
        assert!(told.contains("11111111"), "{args:?}: {told}");
    }
    let status = env.json(&["status", "--json"]);
    assert_eq!(status["lapses"]["unenforced"].as_array().unwrap().len(), 2);
}

#[test]
fn honest_conversations_are_not_accused() {
    let env = set_up();
    let root = env.project().display().to_string();
    // One that hooks know, one that began before the set-up, one that nobody answered, one of elsewhere, a file
    // of a subagent.
    env.hook("SessionStart", &json!({"source": "startup", "session_id": ONE}));
    transcript(&env, ONE, &root, LATER, true);
    transcript(
        &env,
        "22222222-aaaa-4bbb-8ccc-222222222222",
        &root,
        "2020-01-01T00:00:00.000Z",
        true,
    );
    transcript(&env, "33333333-aaaa-4bbb-8ccc-222222222222", &root, LATER, false);
    transcript(&env, "44444444-aaaa-4bbb-8ccc-222222222222", &format!("{root}-other"), LATER, true);
    transcript(&env, "agent-a1b2c3", &root, LATER, true);
    for args in [&["status"][..], &["list"], &["brief"], &["doctor"], &["watch"]] {
        let told = everything(&env.waypost(args));
        assert!(!told.contains("UNENFORCED"), "{args:?}: {told}");
    }
}
