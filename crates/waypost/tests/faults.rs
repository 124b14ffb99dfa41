//! Bad input and bad state: a clear message, nothing lost, and a way back. Which way each fault
//! fails is in `fail_closed.rs`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::Path;

use serde_json::json;
use waypost_testkit::{TestEnv, everything};

fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env.begin();
    env
}

fn snapshot_of(env: &TestEnv) -> std::path::PathBuf {
    let session = fs::read_dir(env.store().join("sessions")).unwrap().next().unwrap().unwrap();
    session.path().join("snapshot")
}

fn read_is_allowed(env: &TestEnv) -> bool {
    let fields =
        json!({"tool_name": "Read", "tool_input": {"file_path": "/x"}, "tool_use_id": "r"});
    let answer = env.hook("PreToolUse", &fields);
    answer.status == 0 && answer.stdout.is_empty()
}

fn damage(path: &Path, how: &str) {
    match how {
        "empty" => fs::write(path, "").unwrap(),
        "garbage" => fs::write(path, b"\xff\x00{not what was written").unwrap(),
        _ => {
            let mut content = fs::read(path).unwrap();
            content[20] ^= 1;
            fs::write(path, content).unwrap();
        }
    }
}

#[test]
fn a_damaged_snapshot_is_rebuilt_when_a_human_prompts() {
    for how in ["garbage", "flipped"] {
        let env = env();
        let snapshot = snapshot_of(&env);
        env.before_edit(&env.project().join("src/lib.txt"));
        damage(&snapshot, how);
        assert_eq!(env.waypost(&["verify", "--all"]).status.code(), Some(3), "{how}");
        let told = env.hook("UserPromptSubmit", &json!({"prompt": "go"}));
        assert!(told.stdout.contains("made again from the records"), "{how}: {told:?}");
        env.edit("src/lib.txt", "two\n");
        env.ok(&["verify", "--all"]);
    }
}

#[test]
fn a_damaged_log_is_reported_and_never_appended_to() {
    let env = env();
    env.edit("src/lib.txt", "two\n");
    let log = snapshot_of(&env).with_file_name("events.jsonl");
    let content = fs::read_to_string(&log).unwrap().replace("\"startup\"", "\"Startup\"");
    fs::write(&log, &content).unwrap();
    let verify = env.waypost(&["verify", "--all"]);
    assert_eq!(verify.status.code(), Some(3));
    assert!(everything(&verify).contains("record 2"), "{}", everything(&verify));
    fs::remove_file(snapshot_of(&env)).unwrap();
    let note = env.waypost(&["note", "add", "x"]);
    assert_eq!(note.status.code(), Some(3), "{}", everything(&note));
    assert_eq!(fs::read_to_string(&log).unwrap(), content);
}

#[test]
fn a_lost_policy_is_made_anew_when_a_human_prompts() {
    let env = env();
    for policy in fs::read_dir(env.store().join("policies")).unwrap() {
        fs::remove_file(policy.unwrap().path()).unwrap();
    }
    let told = env.hook("UserPromptSubmit", &json!({"prompt": "go"}));
    assert!(told.stdout.contains("made again"), "{told:?}");
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
}

#[test]
fn a_damaged_registration_is_made_anew_when_a_human_prompts() {
    for how in ["garbage", "flipped", "empty"] {
        let env = env();
        let entry = env.home().join(".local/state/waypost/conversations/claude-code-s1");
        damage(&entry, how);
        env.hook("UserPromptSubmit", &json!({"prompt": "go"}));
        env.edit("src/lib.txt", "two\n");
        assert!(env.stop().held().is_some(), "{how}");
        assert_eq!(env.json(&["list", "--all", "--json"]).as_array().unwrap().len(), 1, "{how}");
    }
}

#[test]
fn a_new_conversation_works_beside_a_session_whose_stream_is_damaged() {
    let env = env();
    let log = snapshot_of(&env).with_file_name("events.jsonl");
    damage(&log, "flipped");
    let _ = fs::remove_file(snapshot_of(&env));
    assert!(env.before_edit(&env.project().join("src/lib.txt")).denied().is_some());
    env.hook("SessionStart", &json!({"source": "startup", "session_id": "s2"}));
    let fields = json!({"session_id": "s2", "tool_name": "Edit", "tool_use_id": "e",
        "tool_input": {"file_path": env.project().join("src/lib.txt")}});
    assert_eq!(env.hook("PreToolUse", &fields).denied(), None);
    assert_eq!(
        env.waypost(&["verify", "--all"]).status.code(),
        Some(3),
        "the damage stays visible"
    );
}

#[test]
fn input_that_is_no_event_is_denied_with_status_2_and_nothing_else() {
    let env = env();
    let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
    for bytes in [
        &b""[..],
        b"\n",
        b"not json",
        b"[]",
        b"{}",
        b"{\"session_id\":\"s1\"}",
        b"\xff\xfe\x00",
        deep.as_bytes(),
    ] {
        let answer = env.hook_bytes(bytes);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{bytes:.40?}");
        assert!(answer.stderr.contains("Next:"), "{answer:?}");
    }
}

#[test]
fn events_and_tools_that_are_not_known_are_left_alone() {
    let env = env();
    for event in ["Notification", "TeammateIdle", "Elicitation", ""] {
        assert_eq!(env.hook(event, &json!({})).stdout, "");
    }
    let fields = json!({"tool_name": "Sparkle", "tool_input": [1, 2], "tool_use_id": "x"});
    assert_eq!(env.hook("PreToolUse", &fields).stdout, "");
}

#[test]
fn a_deep_or_broken_tool_input_is_denied() {
    let env = env();
    for arguments in
        [format!("{{\"file_path\":{}", "[".repeat(200_000)), "{\"file_path\":".to_owned()]
    {
        let bytes = format!(
            "{{\"session_id\":\"s1\",\"cwd\":\"/\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\",\"tool_input\":{arguments}"
        );
        let answer = env.hook_bytes(bytes.as_bytes());
        assert_eq!(answer.status, 0);
        assert!(answer.denied().is_some());
    }
    for fields in [
        json!({"tool_name": "Write", "tool_input": {}}),
        json!({"tool_name": "Bash", "tool_input": {"command": 3}}),
        json!({"tool_name": "Write", "session_id": "../../etc", "tool_input": {"file_path": "/x"}}),
    ] {
        assert!(env.hook("PreToolUse", &fields).denied().is_some(), "{fields}");
    }
}

#[test]
fn a_secret_that_is_too_short_is_named_and_nothing_works_with_it() {
    let mut env = env();
    env.vars.push(("WAYPOST_SESSION_SECRET".into(), "x".repeat(31)));
    let output = env.waypost(&["status"]);
    assert_eq!(output.status.code(), Some(3), "{}", everything(&output));
    assert!(everything(&output).contains("31 characters"), "{}", everything(&output));
}

#[test]
fn an_id_that_could_leave_its_folder_is_refused() {
    let env = env();
    for id in ["../../x", "a/b", "..", ""] {
        let output = env.waypost(&["status", id]);
        assert_eq!(output.status.code(), Some(1), "{id}: {}", everything(&output));
    }
}

#[test]
fn a_store_that_cannot_be_written_denies_what_has_to_be_recorded() {
    let env = env();
    env.edit("src/lib.txt", "two\n");
    let locks = env.store().join("locks");
    fs::rename(&locks, env.store().join("locks-away")).unwrap();
    fs::write(&locks, "a file where a folder should be").unwrap();
    let commit = env.before_bash("git commit -am x", "c");
    assert!(commit.denied().is_some(), "{commit:?}");
    assert!(read_is_allowed(&env));
}

#[test]
fn a_repository_that_git_no_longer_takes_for_one_is_not_taken_for_one_without_waypost() {
    let env = env();
    fs::remove_file(env.project().join("waypost.toml")).unwrap();
    let head = env.project().join(".git/HEAD");
    fs::rename(&head, env.project().join(".git/HEAD.away")).unwrap();
    let denied = env.before_edit(&env.store().join("project/events.jsonl")).denied().unwrap();
    assert!(denied.contains("Waypost cannot decide") && denied.contains("Next:"), "{denied}");
    assert!(env.stop().held().is_some());
    fs::rename(env.project().join(".git/HEAD.away"), &head).unwrap();
    assert_eq!(env.before_edit(&env.project().join("src/lib.txt")).denied(), None);
}

/// The parser takes twice as long with every level; what every tool call waits for ends that early.
#[test]
fn a_command_line_that_takes_too_long_to_read_is_denied() {
    let mut env = env();
    let line = format!("echo {}x{}", "\"a$(".repeat(40), ")\"".repeat(40));
    env.vars.push(("WAYPOST_TEST_LIMITS".into(), "0.1".into()));
    let denied = env.before_bash(&line, "b").denied().unwrap();
    assert!(denied.contains("took too long"), "{denied}");
}
