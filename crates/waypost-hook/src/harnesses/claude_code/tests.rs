//! What Claude Code is told when things go wrong, without any project around.

mod recorded;
mod spellings;

use std::time::Duration;

use waypost_app::machine::deadline;
use waypost_app::machine::host::{Clock, Host};

use super::*;
use crate::{Registered, Setting, answer};

/// A project that is set up, on a machine whose key is missing: nothing can be decided.
fn undecidable() -> (tempfile::TempDir, Setting) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("waypost.toml"), "").unwrap();
    let host = Host::from_env(folder.path().to_owned(), "waypost".into(), Clock::System, |_| None)
        .knowing(&[&ClaudeCode], |_| None);
    let host = Host {
        config_dir: folder.path().join("config"),
        state_dir: folder.path().join("state"),
        ..host
    };
    let guard = |_, _| {};
    let (harness, project_dir, by) = (&ClaudeCode, None, Registered::Own);
    (folder, Setting { host, harness, project_dir, caller: || None, by, guard })
}

fn ask(setting: &Setting, fields: &str) -> Output {
    let cwd = setting.host.cwd.display();
    let text = format!("{{\"session_id\":\"s1\",\"cwd\":\"{cwd}\",{fields}}}");
    answer(setting, text.as_bytes(), true)
}

fn pre(tool: &str, tool_input: &str) -> String {
    format!(
        "\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"{tool}\",\"tool_input\":{tool_input}"
    )
}

#[test]
fn harm_is_denied_and_reading_allowed_when_nothing_can_be_decided() {
    let (_folder, setting) = undecidable();
    for (tool, tool_input) in [
        ("Write", r#"{"file_path":"/x"}"#),
        ("NotebookEdit", r#"{"notebook_path":"/x"}"#),
        ("Bash", r#"{"command":"ls"}"#),
        ("Bash", r#"{"command":"waypost status; rm x"}"#),
        ("Bash", r#"{"command":"./waypost status"}"#),
        ("Task", "{}"),
        ("mcp__other__delete", "{}"),
        ("Brandnew", "{}"),
    ] {
        let output = ask(&setting, &pre(tool, tool_input));
        assert_eq!(output.status, 0);
        assert!(output.stdout.contains("\"permissionDecision\":\"deny\""), "{tool} {tool_input}");
        assert!(output.stdout.contains("waypost init"), "it says what to do next");
    }
    for (tool, tool_input) in [
        ("Read", r#"{"file_path":"/x"}"#),
        ("Grep", "{}"),
        ("mcp__waypost__session_get_state", "{}"),
        ("Bash", r#"{"command":"waypost doctor"}"#),
        ("Bash", r#"{"command":"waypost verify --all"}"#),
    ] {
        assert_eq!(ask(&setting, &pre(tool, tool_input)), Output::default(), "{tool} {tool_input}");
    }
}

#[test]
fn a_stop_that_cannot_be_decided_is_held_once() {
    let (_folder, setting) = undecidable();
    let first = ask(&setting, "\"hook_event_name\":\"Stop\",\"stop_hook_active\":false");
    assert!(first.stdout.contains("\"decision\":\"block\""));
    let second = ask(&setting, "\"hook_event_name\":\"Stop\",\"stop_hook_active\":true");
    assert!(second.stdout.starts_with("{\"systemMessage\""));
}

#[test]
fn the_users_prompts_are_never_held_up() {
    let (_folder, setting) = undecidable();
    for event in ["SessionStart", "UserPromptSubmit"] {
        let output = ask(&setting, &format!("\"hook_event_name\":\"{event}\",\"prompt\":\"hi\""));
        assert_eq!(output.status, 0);
        assert!(output.stdout.starts_with("{\"systemMessage\""), "{output:?}");
    }
}

#[test]
fn what_is_no_event_is_denied_and_unknown_events_are_ignored() {
    let (_folder, setting) = undecidable();
    for bytes in [&b""[..], b"not json", b"[1]", b"\xff\xfe", b"{\"session_id\":\"s1\"}"] {
        let output = answer(&setting, bytes, true);
        assert_eq!(output.status, 2, "{bytes:?}");
        assert!(output.stderr.contains("Next:"));
    }
    assert_eq!(ask(&setting, "\"hook_event_name\":\"MessageDisplay\""), Output::default());
}

#[test]
fn tasks_teammates_and_settings_are_never_held_by_what_cannot_be_decided() {
    let (_folder, setting) = undecidable();
    for event in ["TaskCompleted", "TeammateIdle", "ConfigChange"] {
        let output = ask(&setting, &format!("\"hook_event_name\":\"{event}\""));
        assert_eq!(output.status, 0);
        assert!(output.stdout.starts_with("{\"systemMessage\""), "{output:?}");
    }
}

#[test]
fn input_that_is_too_long_fails_by_what_is_known_of_it() {
    let (_folder, setting) = undecidable();
    let cut = b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\",\"tool_input\":{\"content\":\"xxx";
    assert!(answer(&setting, cut, false).stdout.contains("longer than 32 MB"));
    let cut =
        b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"tool_input\":{\"x\":\"xxx";
    assert_eq!(answer(&setting, cut, false), Output::default());
}

#[test]
fn nothing_happens_where_waypost_was_never_set_up() {
    let (folder, mut setting) = undecidable();
    setting.host.cwd = folder.path().join("..").canonicalize().unwrap();
    let output = ask(&setting, &pre("Write", r#"{"file_path":"/x"}"#));
    assert_eq!(output, Output::default());
}

#[test]
fn every_event_is_guarded_by_its_limit_and_a_tool_call_by_the_short_one() {
    thread_local! {
        static LIMIT: std::cell::Cell<Option<Duration>> = const { std::cell::Cell::new(None) };
    }
    let (_folder, mut setting) = undecidable();
    setting.guard = |limit, _| LIMIT.set(Some(limit));
    setting.host.expect_longer = || LIMIT.set(None);
    let named = |event: &str| format!("\"hook_event_name\":\"{event}\"");
    for (fields, limit) in [
        (pre("Bash", r#"{"command":"echo \"a$(echo x)\""}"#), deadline::HOT),
        (named("PostToolUse"), deadline::HOT),
        (named("Stop"), deadline::COLD),
        (named("SessionEnd"), deadline::GOODBYE),
    ] {
        ask(&setting, &fields);
        assert_eq!(LIMIT.take(), Some(limit), "{fields}");
    }
    assert!(deadline::GOODBYE < deadline::HOT && deadline::HOT < deadline::COLD);
}
