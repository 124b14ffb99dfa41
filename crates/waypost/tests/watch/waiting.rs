//! What waits beside the sessions that are at work: copies, configuration, budgets.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

use super::{env, rows, watch};

const BUDGET: &str = "[project]\n\n[[gate]]\nid = \"budget\"\nbefore = [\"edit\"]\n\
                      proof = { check = \"usage.cost_usd < 5\" }\n";

#[test]
fn a_budget_is_told_of_from_four_fifths_on_until_it_holds() {
    let env = env(BUDGET);
    env.begin();
    env.start("Add login");
    let file = env.home().join(".claude/projects/p/s1.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let use_up = |message: &str, dollars: u64| {
        let usage = json!({"input_tokens": dollars * 250_000, "output_tokens": 0});
        let line = json!({"type": "assistant", "timestamp": "2026-11-16T10:00:00Z", "parentUuid": null,
            "message": {"id": message, "model": "claude-opus-5-5", "role": "assistant", "content": [],
                "usage": usage}});
        let known = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, format!("{known}{line}\n")).unwrap();
        env.hook("Stop", &json!({"transcript_path": file}));
    };
    use_up("m1", 3);
    assert_eq!(watch(&env)["rows"][0]["state"], "waiting");
    use_up("m2", 1);
    let told = watch(&env);
    let near =
        "budget is near the limit: this session used $4.00, 1000000 tokens, more than 80% of it";
    assert_eq!(rows(&told), [("budget", near)]);
    assert_eq!(told["rows"][0]["gates"], json!(["budget"]));
    assert_eq!(
        (&told["rows"][0]["group"], &told["totals"]["needs_you"]),
        (&json!("needs_you"), &json!(1))
    );
    use_up("m3", 2);
    assert_eq!(watch(&env)["rows"][0]["state"], "waiting", "what is used up holds by itself");
}

#[test]
fn a_copy_that_went_another_way_is_told_of_until_it_is_taken_away() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_publishing();
    let id = env.start("Add login");
    let clone = env.clone_as("clone");
    env.ok_in(&clone, &["resume", &id]);
    env.ok_in(&clone, &["note", "add", "there"]);
    env.ok_in(&clone, &["publish"]);
    env.git(&["-C", &clone.display().to_string(), "commit", "-qam", "more"]);
    env.ok(&["note", "add", "here"]);
    assert_eq!(watch(&env)["rows"][0]["state"], "resting");
    env.git(&["pull", "-q", &clone.display().to_string(), "main"]);
    env.ok(&["publish"]);
    let told = watch(&env);
    let kept = env.store().join("aside").join(&id);
    let text = format!("a copy of it went another way, and is kept in {}", kept.display());
    assert_eq!(rows(&told), [("diverged", text.as_str())]);
    assert_eq!(told["rows"][0]["session_id"], id.as_str());
    fs::rename(&kept, env.home().join("looked at")).unwrap();
    assert_eq!(watch(&env)["rows"][0]["state"], "resting");
}

#[test]
fn a_copy_that_nobody_here_can_vouch_for_is_told_of_until_it_is_trusted() {
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_publishing();
    let id = env.start("Add login");
    env.ok(&["pause", "--reason", "lunch"]);
    let clone = env.clone_as("clone");
    let home = env.home().join("another-user");
    fs::create_dir_all(&home).unwrap();
    env.vars.push(("HOME".to_owned(), home.display().to_string()));
    env.ok_in(&clone, &["init", "--harness", "claude-code"]);
    let there = || serde_json::from_str::<Value>(&env.ok_in(&clone, &["watch", "--json"])).unwrap();
    let told = there();
    let row = &told["rows"][0];
    assert_eq!((&row["state"], &row["session_id"]), (&json!("unverified"), &json!(id)), "{told:#}");
    assert_eq!((&row["objective"], &row["lifecycle"]), (&json!("Add login"), &json!("paused")));
    let text = row["text"].as_str().unwrap();
    assert!(text.starts_with("its copy is signed with key "), "{text}");
    assert!(text.contains(&format!("waypost trust copy {id}")), "{text}");
    let output = env.waypost_in(&clone, &["trust", "copy", &id]);
    assert!(output.status.success(), "{}", everything(&output));
    assert_eq!(there()["rows"], json!([]));
}

#[test]
fn what_the_configuration_says_waits_for_the_next_prompt_where_it_is_looser() {
    let env = env(super::APPROVAL);
    env.begin();
    env.start("Add login");
    assert_eq!(watch(&env)["rows"][0]["state"], "working");
    env.write("waypost.toml", "[project]\n");
    let told = watch(&env);
    assert_eq!(told["rows"][0]["state"], "config", "{told:#}");
    let text = told["rows"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("deploy") && text.ends_with(": that waits for your next prompt"),
        "{text}"
    );
    env.hook("UserPromptSubmit", &json!({"prompt": "Go on."}));
    assert_eq!(rows(&watch(&env)), [("working", "claude-code is at work")]);
}

#[test]
fn a_configuration_that_changed_after_it_was_trusted_is_told_of_while_somebody_is_at_work() {
    let env = env(waypost_testkit::GATE);
    let (trusted, said) = env.as_person(&["trust", "config"]);
    assert!(trusted, "{said}");
    env.begin();
    env.start("Add login");
    assert_eq!(rows(&watch(&env)), [("working", "claude-code is at work")]);
    let config = fs::read_to_string(env.project().join("waypost.toml")).unwrap();
    env.write("waypost.toml", &format!("{config}\n# changed\n"));
    let told = watch(&env);
    let row = &told["rows"][0];
    assert_eq!((&row["state"], &row["session_id"]), (&json!("config"), &Value::Null), "{told:#}");
    let text = row["text"].as_str().unwrap();
    assert!(text.starts_with("waypost.toml was changed since you trusted it"), "{text}");
    assert!(text.contains("waypost trust config"), "{text}");
    let (trusted, said) = env.as_person(&["trust", "config"]);
    assert!(trusted, "{said}");
    assert_eq!(rows(&watch(&env)), [("working", "claude-code is at work")]);
}
