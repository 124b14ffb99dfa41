//! What the conversations of a session use is counted into its records, and gates may ask for it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

/// What a budget asks for, in dollars.
const BUDGET: &str = r#"
[project]

[[gate]]
id = "budget"
level = "must"
before = ["edit"]
proof = { check = "usage.cost_usd < 5" }
"#;

fn env(config: &str) -> (TestEnv, PathBuf) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(config);
    env.begin();
    let file = env.home().join(".claude/projects/p/s1.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    (env, file)
}

/// A message that costs so many dollars, in so many lines.
fn say(file: &Path, time: &str, message: &str, dollars: u64, model: &str) {
    let tokens = dollars * 250_000;
    let line = json!({"type": "assistant", "timestamp": time, "parentUuid": null,
        "message": {"id": message, "model": model, "role": "assistant", "content": [],
            "usage": {"input_tokens": tokens, "output_tokens": 0}}});
    let known = fs::read_to_string(file).unwrap_or_default();
    fs::write(file, format!("{known}{line}\n{line}\n")).unwrap();
}

const LATER: &str = "2026-11-16T10:00:00Z";
const OPUS: &str = "claude-opus-5-5";

fn stop(env: &TestEnv, file: &Path) -> Value {
    env.hook("Stop", &json!({"transcript_path": file})).json()
}

fn counted(env: &TestEnv) -> Vec<Value> {
    let session = env.json(&["list", "--json"])[0]["session_id"].as_str().unwrap().to_owned();
    let records = fs::read_to_string(env.log_of(&session)).unwrap();
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["event"]["type"] == "usage_counted").collect()
}

#[test]
fn a_budget_is_told_of_once_when_four_fifths_are_used_and_denies_when_all_is() {
    let (env, file) = env(BUDGET);
    let edit = || env.before_edit(&env.project().join("a.txt"));
    say(&file, LATER, "m1", 3, OPUS);
    assert_eq!(stop(&env, &file), Value::Null, "three dollars are not four fifths");
    say(&file, LATER, "m2", 1, OPUS);
    let told = stop(&env, &file)["systemMessage"].as_str().unwrap().to_owned();
    assert_eq!(
        told,
        "Waypost: budget is near the limit: this session used $4.00, 1000000 tokens, more than 80% of it"
    );
    assert_eq!(stop(&env, &file), Value::Null, "it is told once");
    assert_eq!(edit().denied(), None);
    say(&file, LATER, "m3", 2, OPUS);
    env.hook("UserPromptSubmit", &json!({"prompt": "go on", "transcript_path": file}));
    let denied = edit().denied().unwrap();
    assert!(denied.contains("usage.cost_usd is 6"), "{denied}");
    let (approved, said) = env.as_person(&["gate", "approve", "budget"]);
    assert!(approved, "{said}");
    assert_eq!(edit().denied(), None, "whoever pays may say that it goes on");
}

#[test]
fn what_is_counted_is_counted_once_whichever_call_counts_it() {
    let (env, file) = env("[project]\n");
    say(&file, "2026-11-01T10:00:00Z", "before", 9, OPUS);
    say(&file, LATER, "m1", 1, OPUS);
    stop(&env, &file);
    stop(&env, &file);
    say(&file, LATER, "m2", 2, "some-model");
    env.hook("SessionEnd", &json!({"reason": "other", "transcript_path": file}));
    let all = counted(&env);
    assert_eq!(all.len(), 2, "{all:?}");
    let first = &all[0]["event"]["used"][0];
    assert_eq!((&first["input"], &first["nano_usd"]), (&json!(250_000), &json!(1_000_000_000)));
    let second = &all[1]["event"]["used"][0];
    assert_eq!((&second["model"], second.get("nano_usd")), (&json!("some-model"), None));
    let line = env.ok(&["statusline", "--cost"]);
    assert!(line.contains("· $1.00+, 750000 tokens ·"), "{line}");
    assert!(!env.ok(&["statusline"]).contains("tokens"));
}

#[test]
fn a_budget_in_a_model_without_a_price_says_so() {
    let (env, file) = env(BUDGET);
    say(&file, LATER, "m1", 1, "some-model");
    stop(&env, &file);
    let denied = env.before_edit(&env.project().join("a.txt")).denied().unwrap();
    assert!(denied.contains("usage.cost_usd is not known"), "{denied}");
    assert!(denied.contains("[prices]"), "{denied}");
}

#[test]
fn a_transcript_that_cannot_be_read_or_is_anothers_holds_nobody() {
    let (env, file) = env(BUDGET);
    for other in
        [file.with_file_name("s2.jsonl"), PathBuf::from("/dev/null"), env.home().to_owned()]
    {
        assert_eq!(stop(&env, &other), Value::Null, "{}", other.display());
    }
    fs::write(&file, b"\xff\xfe{\"type\": \"assistant\"\n[[[[\n").unwrap();
    assert_eq!(stop(&env, &file), Value::Null);
    say(&file.with_file_name("s2.jsonl"), LATER, "m1", 9, OPUS);
    stop(&env, &file.with_file_name("s2.jsonl"));
    assert!(counted(&env).is_empty());
    assert_eq!(env.before_edit(&env.project().join("a.txt")).denied(), None);
}
