//! No credential is kept, whichever way it came: every place that stores text is given every kind, and
//! then every file that Waypost wrote is looked through for it.
//!
//! Credentials are put together here, so that no scanner takes this file for a leak.

use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER};

const GATES: &str = r#"
[project]

[[gate]]
id = "said"
level = "should"
before = ["stop"]
scope = "session"
proof = { fields = { plan = { type = "string" } } }
accept = "claimed"
message = "Say that it was read."
"#;

const WORKFLOW: &str = r#"
version = "v1"
description = "Two steps"

[[phase]]
name = "First"
skip = true

[[phase]]
name = "Second"
"#;

/// A text with a credential in it, and the credential.
struct Kind {
    text: String,
    secret: String,
}

/// `n` characters that look drawn at random, other ones for every seed.
fn drawn(seed: usize, n: usize) -> String {
    let letters = b"k3F9a2Zq7Lw0Xb5TmR8sVd4Y";
    (0..n).map(|at| char::from(letters[(at * (seed % 7 + 1) + seed * 5) % letters.len()])).collect()
}

fn hex(seed: usize, n: usize) -> String {
    let digits = b"3f9a2b7c0d5e1486";
    (0..n).map(|at| char::from(digits[(at * (seed % 5 * 2 + 1) + seed * 3) % 16])).collect()
}

/// A credential between what stands around it.
fn kind(before: &str, secret: String, after: &str) -> Kind {
    Kind { text: format!("{before}{secret}{after}"), secret }
}

/// What is known by its form. The prefixes stand in two pieces.
fn tokens() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for (seed, (pieces, n)) in [
        (["gh", "p_"], 36),
        (["gh", "o_"], 36),
        (["github", "_pat_"], 82),
        (["gl", "pat-"], 20),
        (["sk", "-ant-api03-"], 93),
        (["sk", "-proj-"], 100),
        (["sk", "_live_"], 24),
        (["AI", "za"], 35),
        (["ya", "29."], 60),
        (["np", "m_"], 36),
        (["h", "f_"], 34),
        (["ci", "o"], 32),
        (["hv", "s."], 90),
        (["lin", "_api_"], 40),
        (["dp", ".pt."], 43),
        (["fo", "1_"], 43),
        (["nt", "n_"], 46),
        (["xo", "xb-123456789012-"], 24),
    ]
    .into_iter()
    .enumerate()
    {
        kinds.push(kind("", pieces.concat() + &drawn(seed, n), ""));
    }
    for (seed, (pieces, n)) in [
        (["S", "K"], 32),
        (["da", "pi"], 32),
        (["do", "p_v1_"], 64),
        (["sh", "pat_"], 32),
        (["ke", "y-"], 32),
    ]
    .into_iter()
    .enumerate()
    {
        kinds.push(kind("", pieces.concat() + &hex(seed, n), ""));
    }
    kinds.push(kind("", format!("{}{}", "AK", "IAJ7Q2WXYZABCDEFGH"), ""));
    kinds.push(kind("12345678:", format!("AA{}", drawn(30, 33)), ""));
    let (one, two) = (drawn(70, 18), drawn(71, 18));
    kinds.push(kind(&format!("{}{}{one}\u{200b}", "gh", "p_"), two, ""));
    kinds
}

/// What is known by what stands around it.
const AROUND: &[(&str, &str)] = &[
    ("aws_secret_access_key = ", ""),
    ("curl -u me:", " https://example.org"),
    ("curl --user 'me:", "' https://example.org"),
    ("mysql -uroot -p", " db"),
    ("sshpass -p ", " ssh h"),
    ("redis-cli -a ", " ping"),
    ("docker login -u me -p ", ""),
    ("Cookie: session=", ""),
    ("PGPASSWORD=", " psql"),
    ("Authorization: Bearer ", ""),
    ("postgres://app:", "@db/x"),
    ("machine h login l password ", ""),
    ("the password is ", "!"),
    ("password: ", ""),
    ("AccountKey=", ";x"),
    ("\"client_secret\": \"", "\""),
];

/// Every kind.
fn kinds() -> Vec<Kind> {
    let around = AROUND.iter().enumerate();
    let named = around.map(|(seed, (before, after))| kind(before, drawn(40 + seed, 24), after));
    tokens().into_iter().chain(named).collect()
}

/// All of them, a line each.
fn every_kind() -> String {
    kinds().into_iter().map(|kind| kind.text + "\n").collect()
}

/// What of `secrets` stands in the files and names below `folder`, and where.
fn leaks(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_git = folder.ends_with(".git") && !path.ends_with("waypost");
        let bytes = if path.is_dir() {
            if !is_git {
                leaks(&path, found);
            }
            Vec::new()
        } else if is_git {
            Vec::new()
        } else {
            std::fs::read(&path).unwrap_or_default()
        };
        let (text, name) = (String::from_utf8_lossy(&bytes), path.display().to_string());
        for kind in kinds() {
            if text.contains(&kind.secret) || name.contains(&kind.secret) {
                found.push(format!("{:?} in {name}", kind.text));
            }
        }
    }
}

#[track_caller]
fn nothing_is_kept(env: &TestEnv, place: &str) {
    let mut found = Vec::new();
    leaks(env.project(), &mut found);
    leaks(env.home(), &mut found);
    assert!(found.is_empty(), "{place} keeps {} of them:\n{}", found.len(), found.join("\n"));
}

fn project() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".waypost/workflows/own.toml", WORKFLOW);
    env.init_with(GATES);
    env
}

/// The id of the session, whatever became of it.
fn only_session(env: &TestEnv) -> String {
    let mut sessions =
        std::fs::read_dir(env.store().join("sessions")).into_iter().flatten().flatten();
    sessions
        .next()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The log of a session has a marker, so that what was given did arrive.
fn arrived(env: &TestEnv) -> bool {
    let sessions = std::fs::read_dir(env.store().join("sessions")).into_iter().flatten().flatten();
    sessions.into_iter().any(|session| {
        let log = std::fs::read_to_string(session.path().join("events.jsonl"));
        log.is_ok_and(|log| log.contains("[redacted:"))
    })
}

#[test]
fn what_the_command_line_is_told_is_kept_without_credentials() {
    let all = every_kind();
    let note = format!("--note={all}");
    for (place, setup, args) in [
        ("objective", &[][..], &["start", "--objective", &all][..]),
        ("note", &[], &["note", "add", &all]),
        ("pause reason", &[], &["pause", "--reason", &all]),
        ("pause context", &[], &["pause", "--reason", "x", "--context", &all]),
        ("summary", &[], &["end", "--summary", &all]),
        ("next notes", &[], &["end", "--next-notes", &all]),
        ("commit message", &[], &["commit", "HEAD", "-m", &all]),
        ("note of a gate", &[], &["gate", "satisfy", "said", &note]),
        ("evidence", &[], &["evidence", "record", "said", &format!("plan={all}")]),
        ("option", &[], &["start", "--workflow", "own", "--option", &format!("a={all}")]),
        (
            "phase evidence",
            &["start", "--workflow", "own"],
            &["phase", "complete", "First", &format!("a={all}")],
        ),
        (
            "skip reason",
            &["start", "--workflow", "own"],
            &["phase", "skip", "First", "--reason", &all],
        ),
    ] {
        let env = project();
        if place != "objective" && place != "option" && setup.is_empty() {
            env.start("Add login");
        }
        if !setup.is_empty() {
            env.ok(setup);
        }
        env.ok(args);
        assert!(arrived(&env), "{place}");
        env.ok(&["publish", &only_session(&env)]);
        nothing_is_kept(&env, place);
    }
}

#[test]
fn what_is_short_is_kept_without_credentials() {
    let env = project();
    env.start("Add login");
    env.ok(&["checkpoint", "init", "3"]);
    let mut client = Client::start(&env, NEWER, &[]);
    for Kind { text, .. } in kinds() {
        client.call("session_set_focus", json!({"feature": text, "task": text}));
        client.call("session_complete_task", json!({"task_id": text}));
        client.call("session_add_note", json!({"kind": text, "text": "x"}));
        client.call("session_update_git", json!({"branch": text, "base_branch": text}));
    }
    assert_eq!(client.end(), Some(0));
    assert!(arrived(&env));
    env.ok(&["publish"]);
    nothing_is_kept(&env, "focus, task or branch");
}

#[test]
fn what_agents_say_over_mcp_is_kept_without_credentials() {
    let all = every_kind();
    for (tool, arguments) in [
        ("session_add_note", json!({"kind": "note", "text": all})),
        ("session_add_note", json!({"kind": "decision", "text": all})),
        ("session_pause", json!({"reason": all, "context": all})),
        ("session_end", json!({"summary": all, "next_session_notes": all})),
        (
            "requirement_satisfy",
            json!({"name": "said", "metadata": {"why": all, "deep": [{"a": all}]}}),
        ),
        ("session_start", json!({"objective": all, "description": all})),
        ("workflow_start", json!({"workflow": "own", "options": {"a": all}})),
        ("session_add_commit", json!({"sha": "HEAD", "message": all})),
    ] {
        let env = project();
        if tool != "session_start" {
            env.start("Add login");
        }
        let mut client = Client::start(&env, NEWER, &[]);
        let answer = client.call(tool, arguments);
        assert!(arrived(&env), "{tool}: {answer}");
        assert_eq!(client.end(), Some(0));
        nothing_is_kept(&env, tool);
    }
}

#[test]
fn a_field_that_is_named_after_a_credential_loses_its_value() {
    let env = project();
    env.ok(&["start", "--workflow", "own", "--option", "password=swordfish-battery"]);
    let log = std::fs::read_to_string(env.log_of(&only_session(&env))).unwrap();
    assert!(!log.contains("swordfish-battery") && log.contains("[redacted:password]"), "{log}");
}

#[test]
fn what_hooks_see_is_kept_without_credentials() {
    let env = project();
    env.hook("SessionStart", &json!({"source": "startup"}));
    env.hook("UserPromptSubmit", &json!({"prompt": every_kind()}));
    for (call, Kind { text, secret }) in kinds().into_iter().enumerate() {
        let id = format!("call-{call}");
        let name = if text == secret { &text } else { "plain" };
        let tools: [(&str, Value); 5] = [
            ("Bash", json!({"command": text, "description": text})),
            ("Edit", json!({"file_path": env.project().join(name)})),
            ("WebFetch", json!({"url": text, "prompt": text})),
            ("Task", json!({"description": text, "prompt": text, "subagent_type": text})),
            ("mcp__other__tool", json!({"text": text})),
        ];
        for (tool, input) in tools {
            let mut fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id});
            env.hook("PreToolUse", &fields);
            fields["tool_response"] = json!({"stdout": text, "stderr": text});
            env.hook("PostToolUse", &fields);
        }
    }
    let agent = json!({"agent_id": "a1", "agent_type": kinds()[0].text});
    env.hook("SubagentStart", &agent);
    env.stop();
    env.hook("SessionEnd", &json!({"reason": every_kind()}));
    assert!(arrived(&env) || env.ok(&["list"]).contains("[redacted:"));
    nothing_is_kept(&env, "a hook");
}

#[test]
fn a_branch_with_a_credential_in_its_name_is_kept_without_it() {
    let env = project();
    let token = &kinds()[0].text;
    env.git(&["switch", "-q", "-c", &format!("fix/{token}")]);
    env.start("Add login");
    env.ok(&["publish"]);
    nothing_is_kept(&env, "the branch");
}
