//! The command line through the real binary, with a fixed clock.

mod common;

use std::fs;

use common::{env, stable};
use serde_json::json;
use waypost_testkit::everything;

#[test]
fn a_session_is_started_noted_run_and_shown() {
    let env = env();
    env.init();
    let mut told = String::new();
    for args in [
        &["start", "--objective", "Add login"][..],
        &["note", "add", "Passkeys \u{1b}[31monly\u{202e}", "--kind", "decision"],
        &["run", "--", "./check.sh"],
        &["status"],
        &["history"],
        &["gate", "list"],
        &["verify"],
    ] {
        let output = env.waypost(args);
        told.push_str(&format!("$ waypost {}\n{}\n", args.join(" "), everything(&output)));
    }
    insta::assert_snapshot!(stable(&env, &told));
}

#[test]
fn a_ruling_is_explained_and_comes_out_the_same_again() {
    let env = env();
    env.init();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let reason = env.stop().held().unwrap();
    let id = reason.split("ruling ").nth(1).unwrap()[..10].to_owned();
    assert_eq!(env.json(&["explain", &id, "--json"])["replay_agrees"], true);
    insta::assert_snapshot!(stable(&env, &env.ok(&["explain", &id])));
    let unknown = env.waypost(&["explain", "r-00000000"]);
    assert_eq!(unknown.status.code(), Some(1));
}

#[test]
fn what_an_agent_is_told_when_it_is_held() {
    let env = env();
    env.init();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let answer = env.stop().json();
    insta::assert_snapshot!(stable(&env, answer["reason"].as_str().unwrap()));
}

#[test]
fn a_note_is_stored_once_and_verbatim() {
    let env = env();
    env.init();
    env.ok(&["start", "--objective", "x"]);
    let text = "two\nlines, \"quotes\", \u{1b}[31m and ünïcode";
    env.ok(&["note", "add", text]);
    let history = env.json(&["history", "--json"]);
    let notes: Vec<_> = history["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["event"]["type"] == "note_added")
        .collect();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["event"]["text"], text);
}

#[test]
fn run_passes_output_and_status_through() {
    let env = env();
    env.init();
    env.write("result", "7");
    let output = env.waypost(&["run", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(output.stdout, b"out\n");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("err\n"));
    let missing = env.waypost(&["run", "--", "no-such-command"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(everything(&missing).contains("cannot run no-such-command"));
}

#[test]
fn a_person_may_start_a_second_session_and_says_which_where_none_is_current() {
    let env = env();
    env.init();
    env.ok(&["start", "--objective", "First"]);
    env.ok(&["start", "--objective", "Second"]);
    assert!(env.ok(&["note", "add", "x"]).contains("2026-11-15_second"));
    env.ok(&["switch", "--none"]);
    let output = env.waypost(&["note", "add", "x"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(everything(&output).contains("2 active sessions"), "{}", everything(&output));
    let ambiguous = env.waypost(&["status", "2026-11-15_"]);
    assert_eq!(ambiguous.status.code(), Some(1));
    assert!(everything(&ambiguous).contains("fits 2 sessions"));
    env.ok(&["note", "add", "x", "--session", "2026-11-15_first"]);
}

#[test]
fn a_session_that_a_hook_opened_is_named_not_doubled() {
    let mut env = env();
    env.init();
    env.begin();
    env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), "s1".into()));
    assert_eq!(env.json(&["start", "--objective", "Add login", "--json"])["adopted"], true);
    let again = env.waypost(&["start", "--objective", "Another"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(everything(&again).contains("Session already active"), "{}", everything(&again));
    let history = env.json(&["history", "--json"]);
    let named = history["events"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["event"]["type"] == "session_named");
    assert_eq!(named.unwrap()["actor"]["conversation"], "s1");
}

#[test]
fn init_twice_is_once_and_remove_puts_everything_back() {
    let env = env();
    env.write("Cargo.toml", "[package]\n");
    env.write(".claude/settings.local.json", "{\"env\":{\"A\":\"b\"}}");
    let files = || {
        let mut found = Vec::new();
        let settings = [".claude/settings.local.json", ".mcp.json"];
        for path in [&settings[..], &["waypost.toml", ".git/info/exclude"]].concat() {
            found.push(fs::read(env.project().join(path)).ok());
        }
        found
    };
    let before = files();
    env.ok(&["init"]);
    let once = files();
    env.ok(&["init"]);
    assert_eq!(files(), once);
    assert!(env.read("waypost.toml").contains("cargo test*"));
    let seen = env.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(seen, "?? .gitattributes\n?? Cargo.toml\n?? waypost.toml\n");
    env.ok(&["doctor"]);
    env.begin();
    env.hook("SessionEnd", &json!({"reason": "other"}));
    env.ok(&["init", "--remove"]);
    assert_eq!(files(), before);
    assert_eq!(env.waypost(&["status"]).status.code(), Some(2), "it is set up no more");
    assert_eq!(env.before_bash("git commit -am x", "c1").stdout, "", "and nothing is held");
}

#[test]
fn an_agent_cannot_take_waypost_out() {
    let mut env = env();
    env.init();
    env.begin();
    env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), "s1".into()));
    let output = env.waypost(&["init", "--remove"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(everything(&output).contains("is for people"));
}

#[test]
fn settings_that_are_not_json_stop_init_with_nothing_changed() {
    let env = env();
    env.write(".claude/settings.local.json", "{ not json");
    let before = env.git(&["status", "--porcelain", "--ignored"]);
    let output = env.waypost(&["init"]);
    assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
    assert!(everything(&output).contains("settings.local.json"));
    assert_eq!(env.git(&["status", "--porcelain", "--ignored"]), before);
    assert!(!env.key_file().exists());
}

#[test]
fn doctor_and_gate_list_fail_on_keys_that_are_not_known() {
    let env = env();
    env.init();
    let config = env.read("waypost.toml").replace("message", "mesage");
    env.write("waypost.toml", &config);
    for args in [&["gate", "list"][..], &["doctor"]] {
        let output = env.waypost(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(everything(&output).contains("did you mean `message`?"), "{}", everything(&output));
    }
    env.begin();
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some(), "the hook enforces what it knows");
}

#[test]
fn outside_of_a_project_every_command_says_how_to_begin() {
    let env = env();
    for args in
        [&["status"][..], &["verify"], &["note", "add", "x"], &["doctor"], &["gate", "list"]]
    {
        let output = env.waypost(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(everything(&output).contains("waypost init"), "{}", everything(&output));
    }
}

#[test]
fn the_shared_registration_works_alone_and_yields_to_a_local_one() {
    let env = env();
    env.write("waypost.toml", waypost_testkit::GATE);
    env.ok(&["init", "--shared"]);
    let wrapper = env.project().join(".waypost/hook");
    let ask = |path: &str| {
        let event = json!({
            "session_id": "s9", "cwd": env.project(), "hook_event_name": "PreToolUse",
            "tool_name": "Write", "tool_input": {"file_path": env.project().join("waypost.toml")},
        });
        let mut child = env
            .command(&wrapper, env.project())
            .arg("claude-code")
            .env("PATH", path)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.to_string().as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_waypost"));
    let with = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    assert_eq!(ask(&with), "", "the local registration does the work");
    fs::remove_file(env.project().join(".claude/settings.local.json")).unwrap();
    assert!(ask(&with).contains("deny"), "without one, the shared registration does");
    assert_eq!(ask("/usr/bin:/bin"), "", "without the binary nothing is held");
}

#[test]
fn help_reads_well() {
    let env = env();
    let mut told = String::new();
    for args in [
        &["--help"][..],
        &["init", "--help"],
        &["run", "--help"],
        &["status", "--help"],
        &["ci", "--help"],
        &["git-hook", "--help"],
    ] {
        told.push_str(&format!("$ waypost {}\n{}\n", args.join(" "), env.ok(args)));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_long_objective_is_listed_as_it_was_written() {
    let env = env();
    env.init();
    let long = "Add login ".repeat(60);
    env.ok(&["start", "--objective", long.trim_end()]);
    let listed = env.json(&["list", "--json"]);
    assert_eq!(listed[0]["objective"], long.trim_end());
}

/// Whatever is about one session.
const OF_A_SESSION: &[&str] = &[
    "note add text",
    "commit HEAD -m x",
    "focus --task form",
    "focus",
    "mode planning",
    "mode",
    "phase list",
    "phase show",
    "phase show spec",
    "phase errors",
    "phase skip spec --reason small",
    "phase retry",
    "phase rollback spec --reason again",
    "checkpoint",
    "checkpoint list",
    "checkpoint init 2",
    "checkpoint start 1",
    "checkpoint complete 1",
    "task list",
    "task complete 1.1",
    "plan check",
    "gate check",
    "gate check said",
    "gate check --all",
    "gate satisfy said",
    "gate clear said",
    "evidence record said n=1",
    "evidence list",
    "phase complete n=1",
    "phase complete",
    "phase enter plan",
    "phase advance",
    "publish",
    "status",
    "brief",
    "history",
    "violations",
    "verify",
    "show",
    "export",
    "ci --branch main",
];

#[test]
fn a_note_without_quotes_is_told_to_take_them() {
    let env = env();
    env.init();
    env.start("Add login");
    let told = everything(&env.waypost(&["note", "add", "fix", "login"]));
    assert!(told.contains("no session begins with `login`"), "{told}");
    assert!(told.contains("stands in quotes"), "{told}");
}

#[test]
fn every_command_takes_a_session_behind_its_own_words() {
    let env = env();
    let gate = "[[gate]]\nid = \"said\"\nbefore = [\"end\"]\nproof = { fields = { n = \"integer\" } }\n\
                accept = \"claimed\"\n";
    env.init_with(gate);
    let started = ["start", "--objective", "One", "--workflow", "full", "--json"];
    let id = env.json(&started)["session_id"].as_str().unwrap().to_owned();
    env.start("Two");
    env.ok(&["switch", "--none"]);
    let ambiguous = env.waypost(&["history"]);
    assert_eq!(ambiguous.status.code(), Some(1), "there are two: {}", everything(&ambiguous));
    for words in OF_A_SESSION {
        let words: Vec<&str> = words.split(' ').collect();
        let output = env.waypost(&[&words[..], &[&id]].concat());
        let told = everything(&output);
        // Whether the session is so far is another question.
        assert_ne!(output.status.code(), Some(2), "{words:?}: {told}");
        assert!(!told.contains("active sessions"), "{words:?}: {told}");
        let as_option = env.waypost(&[&words[..], &["--session", &id]].concat());
        let by_id_alone = everything(&as_option).contains("unexpected argument '--session'");
        assert!(!by_id_alone || words.len() == 1, "{words:?}");
    }
}
