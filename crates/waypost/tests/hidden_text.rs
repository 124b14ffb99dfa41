//! Characters that nobody sees never come out as they went in: a terminal is not steered, and a model is
//! not told what its user cannot read.

use serde_json::json;
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER};

/// What a terminal or a model must not be given.
const HIDDEN: &[char] = &[
    '\u{7}',
    '\u{8}',
    '\u{1b}',
    '\u{7f}',
    '\u{80}',
    '\u{85}',
    '\u{9b}',
    '\u{9f}',
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{180e}',
    '\u{200b}',
    '\u{200d}',
    '\u{200e}',
    '\u{200f}',
    '\u{2028}',
    '\u{2029}',
    '\u{202a}',
    '\u{202e}',
    '\u{2060}',
    '\u{2061}',
    '\u{2064}',
    '\u{2066}',
    '\u{2069}',
    '\u{fe00}',
    '\u{feff}',
    '\u{fff9}',
    '\u{fffa}',
    '\u{fffb}',
    '\u{e0000}',
    '\u{e0001}',
    '\u{e0041}',
    '\u{e007f}',
    '\u{e0100}',
    '\u{e01ef}',
];

const GATES: &str = r#"
[project]

[[gate]]
id = "reviewed"
level = "must"
before = ["stop", "commit"]
scope = "session"
proof = { ran = "./check.sh*", fresh = "tree" }
accept = "claimed"
message = "Let somebody review it."
"#;

/// A text with all of them, which is told apart by its beginning.
fn hiding(word: &str) -> String {
    let mut text = word.to_owned();
    for c in HIDDEN {
        text.push('x');
        text.push(*c);
    }
    text
}

#[track_caller]
fn shows_nothing_hidden(what: &str, text: &str) {
    for c in HIDDEN {
        assert!(!text.contains(*c), "{what} has {} in {text:?}", c.escape_unicode());
    }
}

/// A session in which everything that can be said was said.
fn project() -> (TestEnv, String) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(GATES);
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let denied = env.before_bash("git commit -m x", "c1").denied();
    assert!(denied.is_some());
    let id = env.start(&hiding("objective"));
    for kind in ["note", "decision", "question", "kin\u{202e}d\u{e0041}"] {
        env.ok(&["note", "add", "--kind", kind, &hiding("text")]);
    }
    env.ok(&["focus", "--feature", &hiding("feature"), "--task", &hiding("task")]);
    env.ok(&["commit", "HEAD", "-m", &hiding("message")]);
    env.ok(&["gate", "satisfy", "reviewed", "--note", &hiding("note")]);
    work_together(&env);
    env.ok(&["pause", "--reason", &hiding("reason"), "--context", &hiding("context")]);
    (env, id)
}

/// What agents say of each other, each part with something hidden in it. Names have at most 64 bytes.
fn work_together(env: &TestEnv) {
    let [text, name] = [&hiding("text"), "na\u{202e}m\u{1b}e\u{e0041}"];
    env.ok(&["agent", "invoke", name, "--prompt", text]);
    env.ok(&["agent", "complete", name, "--summary", text]);
    env.ok(&["decision", "record", text, "--rationale", text, "--decided-by", name]);
    let verdict = ["verdict", "record", name, "--decision", "conditional", "--confidence", "0.5"];
    let more = ["--reasoning", text, "--condition", text, "--blocker", text];
    env.ok(&[&verdict[..], &more].concat());
    let handoff =
        ["handoff", "create", "--from", name, "--to", name, "--reason", text, "--context", text];
    let told = env.ok(&[&handoff[..], &["--artifact", text, "--check", text]].concat());
    shows_nothing_hidden("handoff create", &told);
}

#[test]
fn nothing_hidden_reaches_a_terminal() {
    let (env, id) = project();
    let history = env.json(&["history", &id, "--json"]);
    let mut events = history["events"].as_array().unwrap().iter();
    let ruling = events.find_map(|entry| entry["event"]["id"].as_str()).unwrap();
    for args in [
        &["list", "--all"][..],
        &["watch"],
        &["status", &id],
        &["show", &id],
        &["history", &id],
        &["brief", &id],
        &["export", &id],
        &["violations", &id],
        &["evidence", "list", &id],
        &["explain", ruling],
        &["gate", "check", "--session", &id],
        &["focus", "--session", &id],
        &["mode", "--session", &id],
        &["agent", "list", &id],
        &["decision", "list", &id],
        &["verdict", "list", &id],
        &["handoff", "list", &id],
        &["handoff", "show", "--session", &id],
        &["session", "get-state", &id],
        &["verify"],
        &["statusline"],
    ] {
        let text = env.waypost(args);
        shows_nothing_hidden(&args.join(" "), &String::from_utf8(text.stdout).unwrap());
        shows_nothing_hidden(&args.join(" "), &String::from_utf8(text.stderr).unwrap());
        if args[0] == "statusline" {
            continue;
        }
        let json = env.waypost(&[args, &["--json"]].concat());
        shows_nothing_hidden(&args.join(" "), &String::from_utf8(json.stdout).unwrap());
    }
}

#[test]
fn json_says_all_that_was_said() {
    let (env, id) = project();
    let shown = env.json(&["history", &id, "--json"]);
    let texts: Vec<&str> = shown["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["event"]["text"].as_str())
        .collect();
    assert_eq!(texts, [hiding("text"), hiding("text"), hiding("text"), hiding("text")]);
    let exported = env.json(&["export", &id]);
    let records = exported["records"].as_array().unwrap();
    let log = std::fs::read_to_string(env.log_of(&id)).unwrap();
    let lines: Vec<&str> = records.iter().map(|record| record.as_str().unwrap()).collect();
    assert_eq!(lines, log.lines().collect::<Vec<_>>(), "records are the same byte for byte");
}

#[test]
fn what_cannot_be_done_is_told_without_hidden_characters() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(GATES);
    env.start("Add login");
    for args in [
        &["show", &hiding("id")][..],
        &["gate", "satisfy", &hiding("gate")],
        &["mode", &hiding("mode")],
        &["explain", &hiding("ruling")],
        &["start", "--workflow", &hiding("workflow")],
    ] {
        let output = env.waypost(args);
        assert!(!output.status.success(), "{args:?}");
        shows_nothing_hidden(args[0], &String::from_utf8(output.stdout).unwrap());
        shows_nothing_hidden(args[0], &String::from_utf8(output.stderr).unwrap());
    }
}

#[test]
fn nothing_hidden_reaches_a_model() {
    let (env, id) = project();
    env.ok(&["resume", &id]);
    let mut client = Client::start(&env, NEWER, &[]);
    for tool in
        ["session_brief", "session_show", "session_get_state", "session_list", "requirement_status"]
    {
        let answer = client.call(tool, json!({})).to_string();
        shows_nothing_hidden(tool, &answer);
    }
    assert_eq!(client.end(), Some(0));
    let answer = env.hook("SessionStart", &json!({"source": "compact"}));
    assert!(answer.stdout.contains("objective"), "{}", answer.stdout);
    shows_nothing_hidden("a hook", &answer.stdout);
    let held = env.before_bash("git commit -m x", "c2");
    shows_nothing_hidden("a denial", &held.stdout);
}
