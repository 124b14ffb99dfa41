//! `waypost audit` and `waypost transcripts` as people meet them: on what clients keep, with and without a project.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

const ID: &str = "31569691-e4d9-4215-a79c-1f052ae3b831";
/// A token as a vendor makes them; it opens nothing.
const TOKEN: &str = concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// Where the client keeps what is said in the project.
fn folder(env: &TestEnv) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = env.project().to_string_lossy().chars().map(plain).collect();
    env.home().join(".claude/projects").join(name)
}

fn keep(env: &TestEnv, id: &str, lines: &[Value]) -> PathBuf {
    let file = folder(env).join(format!("{id}.jsonl"));
    fs::create_dir_all(folder(env)).unwrap();
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(&file, lines.join("\n") + "\n").unwrap();
    file
}

fn line(env: &TestEnv, time: &str, kind: &str, content: impl Into<Value>) -> Value {
    let content = content.into();
    json!({"type": kind, "timestamp": time, "cwd": env.project(), "parentUuid": null, "message": {"content": content}})
}

/// A turn in which a file is edited, a command is run, and something is said.
fn turn(env: &TestEnv, day: &str, command: Option<(&str, bool)>, said: &str) -> Vec<Value> {
    let at = |second: u32| format!("{day}T10:00:{second:02}.000Z");
    let call = |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    let result = |id: &str, text: &str, failed: bool| json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}]);
    let file = env.project().join("a.rs");
    let mut lines = vec![
        line(env, &at(0), "user", json!("fix the parser")),
        line(env, &at(1), "assistant", call("e", "Edit", json!({"file_path": file}))),
        line(env, &at(2), "user", result("e", "ok", false)),
    ];
    if let Some((command, failed)) = command {
        let text = if failed {
            "Exit code 101\nbad"
        } else {
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s"
        };
        lines.push(line(env, &at(3), "assistant", call("r", "Bash", json!({"command": command}))));
        lines.push(line(env, &at(4), "user", result("r", text, failed)));
    }
    lines.push(line(env, &at(5), "assistant", json!([{"type": "text", "text": said}])));
    lines
}

#[test]
fn claims_are_counted_without_waypost_ever_having_been_there() {
    let env = env();
    let good = turn(&env, "2026-11-10", Some(("cargo test", false)), "Done.");
    let bad = turn(&env, "2026-11-11", Some(("cargo test", true)), "All tests pass.");
    let none = turn(&env, "2026-11-09", None, "Fixed the parser.");
    let asked = line(&env, "2026-11-11T11:00:00.000Z", "user", "what does it read?");
    let text = json!([{"type": "text", "text": "It reads a file."}]);
    let answered = line(&env, "2026-11-11T11:00:01.000Z", "assistant", text);
    keep(&env, ID, &[none, good, bad, vec![asked, answered]].concat());
    let told = env.json(&["audit", "--json"]);
    for (name, number) in [
        ("turns", 4),
        ("claims", 3),
        ("verified", 1),
        ("failed", 1),
        ("never_ran", 1),
        ("stale", 0),
        ("not_seen", 0),
    ] {
        assert_eq!(told[name], number, "{name}: {told}");
    }
    let worst = told["worst"].as_array().unwrap();
    assert_eq!(worst[0]["quote"], "All tests pass.");
    assert_eq!(worst[0]["conversation"], ID);
    assert_eq!(worst[0]["time"], "2026-11-11T10:00:05.000Z");
    assert!(worst[0]["why"].as_str().unwrap().contains("it ended with status 101"), "{told}");
    let text = env.ok(&["audit"]);
    for part in [
        "3 times",
        "1 of these",
        "2026-11-09",
        "never ran",
        "\"All tests pass.\"",
        "It cannot know:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!env.store().exists(), "an audit sets nothing up");
}

#[test]
fn since_and_other_folders_choose_what_is_counted() {
    let env = env();
    let old = turn(&env, "2026-10-01", None, "Done.");
    let new = turn(&env, "2026-11-12", None, "Fixed.");
    keep(&env, ID, &[old, new].concat());
    let claims = |args: &[&str]| env.json(&[&["audit", "--json"], args].concat())["claims"].clone();
    assert_eq!(claims(&[]), 2);
    assert_eq!(claims(&["--since", "2026-11-01"]), 1);
    assert_eq!(claims(&["--since", "2026-11-12T10:00:06Z"]), 0);
    assert_eq!(claims(&["--all"]), 2);
    let elsewhere = env.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    assert_eq!(claims(&[elsewhere.to_str().unwrap()]), 0);
    let text = env.ok_in(&elsewhere, &["audit"]);
    assert!(!text.contains("claims"), "{text}");
    let wrong = env.waypost(&["audit", "--since", "yesterday"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", everything(&wrong));
}

#[test]
fn a_gate_of_the_project_says_what_a_run_is_and_what_would_have_held() {
    let env = env();
    env.write("waypost.toml", "[project]\n\n[[gate]]\nid = \"checked\"\nlevel = \"must\"\nbefore = [\"stop\"]\nproof = { ran = \"./check.sh\" }\n");
    let good = turn(&env, "2026-11-10", Some(("./check.sh", false)), "Done.");
    let piped = turn(&env, "2026-11-11", Some(("./check.sh | tail", false)), "Done again.");
    keep(&env, ID, &[good, piped].concat());
    let told = env.json(&["audit", "--json"]);
    assert_eq!((&told["verified"], &told["stale"]), (&json!(1), &json!(1)), "{told}");
    assert_eq!((&told["would_hold"], &told["gates"]), (&json!(1), &json!(["checked"])));
}

#[test]
fn credentials_are_shown_nowhere_and_pages_run_nothing() {
    let env = env();
    let said = format!("Fixed <script>alert(1)</script> with {TOKEN}.");
    keep(&env, ID, &turn(&env, "2026-11-12", None, &said));
    env.ok(&["audit", "--html", "a.html", "--svg", "a.svg"]);
    let (page, card) = (env.read("a.html"), env.read("a.svg"));
    let told = [
        env.ok(&["audit", "--json"]),
        env.ok(&["audit"]),
        env.ok(&["transcripts", "show", ID]),
        env.ok(&["transcripts", "show", "3156", "--json"]),
        env.ok(&["transcripts", "search", "alert", "--json"]),
        page.clone(),
    ];
    for text in told {
        assert!(text.contains("alert(1)") && !text.contains(TOKEN), "{text}");
    }
    assert!(page.contains("1 claim in 1 turn of 1 conversation<"), "{page}");
    assert!(page.contains("would have held 1 turn."), "{page}");
    assert!(!page.contains("<script>") && page.contains("&lt;script&gt;"), "{page}");
    assert!(card.starts_with("<svg") && card.contains("1 never ran"), "{card}");
    let again = env.waypost(&["audit", "--svg", "a.svg"]);
    assert_eq!(again.status.code(), Some(1), "what is there is not written over");
}

#[test]
fn hostile_transcripts_break_nothing_and_hide_nothing() {
    let env = env();
    let file = keep(&env, ID, &turn(&env, "2026-11-10", Some(("cargo test", false)), "Done."));
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend(b"\x00\xff\xfe\n{\"type\":\"user\",\"message\":\n");
    bytes.extend("[".repeat(100_000).bytes());
    bytes.push(b'\n');
    bytes.extend(b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"te");
    fs::write(&file, &bytes).unwrap();
    fs::create_dir(folder(&env).join("folder.jsonl")).unwrap();
    fs::write(folder(&env).join("empty.jsonl"), "").unwrap();
    let told = env.json(&["audit", "--json"]);
    assert_eq!(told["unreadable"], 3, "{told}");
    // What nobody could read came after the run.
    assert_eq!((&told["claims"], &told["not_seen"]), (&json!(1), &json!(1)), "{told}");
    assert_eq!(fs::read(&file).unwrap(), bytes, "a transcript is never changed");
}

#[test]
fn a_conversation_that_begins_with_a_picture_is_one_of_its_project() {
    let env = env();
    let picture = "A".repeat(3 * 1024 * 1024);
    let shown = json!([{"type": "image", "source": {"type": "base64", "data": picture}}]);
    let first = line(&env, "2026-11-10T09:00:00.000Z", "user", shown);
    keep(&env, ID, &[vec![first], turn(&env, "2026-11-10", None, "Done.")].concat());
    assert_eq!(env.json(&["audit", "--json"])["claims"], 1);
    assert_eq!(env.json(&["transcripts", "search", "parser", "--json"])["found"], 1);
}

#[test]
fn what_a_session_says_that_another_one_started_is_no_claim_of_an_agent() {
    let env = env();
    let storage = env.home().join(".local/share/opencode/storage");
    let put = |file: &str, content: &Value| {
        let file = storage.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content.to_string()).unwrap();
    };
    for (session, parent) in [("ses_1", Value::Null), ("ses_2", json!("ses_1"))] {
        let head = json!({"id": session, "directory": env.project(), "parentID": parent});
        put(&format!("session/global/{session}.json"), &head);
        let message = json!({"id": format!("msg_{session}"), "role": "assistant", "time": {"created": 1_795_000_000_000_i64}});
        put(&format!("message/{session}/msg_{session}.json"), &message);
        put(
            &format!("part/msg_{session}/prt_1.json"),
            &json!({"type": "text", "text": "All tests pass."}),
        );
    }
    let told = env.json(&["audit", "--json"]);
    assert_eq!((&told["conversations"], &told["claims"]), (&json!(2), &json!(1)), "{told}");
}

#[test]
fn conversations_are_found_by_words_and_by_the_beginning_of_their_id() {
    let env = env();
    keep(&env, ID, &turn(&env, "2026-11-12", Some(("cargo test", false)), "Done with the Lexer."));
    keep(&env, "31569692-0000-4215-a79c-1f052ae3b831", &turn(&env, "2026-11-13", None, "Hm."));
    let found = env.json(&["transcripts", "search", "lexer", "--json"]);
    assert_eq!((&found["found"], &found["hits"][0]["by"]), (&json!(1), &json!("agent")));
    assert_eq!(found["hits"][0]["conversation"], ID);
    assert!(env.ok(&["transcripts", "search", "CARGO TEST"]).contains("Bash: cargo test"));
    let none = env.json(&["transcripts", "search", "lexer", "--since", "2026-11-13", "--json"]);
    assert_eq!(none["found"], 0);
    let shown = env.json(&["transcripts", "show", "31569691", "--json"]);
    assert_eq!(shown["conversation"], ID);
    assert_eq!(shown["entries"][0]["text"], "fix the parser");
    let two = env.waypost(&["transcripts", "show", "3156969"]);
    assert_eq!(two.status.code(), Some(1));
    assert!(everything(&two).contains("31569692-0000"), "{}", everything(&two));
    assert_eq!(env.waypost(&["transcripts", "show", "zzz"]).status.code(), Some(1));
}

#[test]
fn init_tells_what_an_audit_finds_and_nothing_where_there_is_nothing() {
    let bare = env();
    let without = bare.ok(&["init"]);
    assert!(!without.contains("agents said"), "{without}");
    let env = env();
    keep(&env, ID, &turn(&env, "2026-11-12", None, "Fixed."));
    let told = env.ok(&["init"]);
    assert!(told.contains("agents said 1 time") && told.contains("waypost audit"), "{told}");
}
