//! With hooks, which see what an agent does.

use serde_json::json;
use waypost_testkit::TestEnv;

use crate::project::{CONFIG, FILE, HARBOUR, client, gate, harbour, start, with};

fn read(env: &TestEnv, file: &str) {
    let read = json!({
        "tool_name": "Read",
        "tool_input": {"file_path": env.project().join(file)},
        "tool_use_id": file,
    });
    env.hook("PreToolUse", &read);
    let mut done = read;
    done["tool_response"] = json!({"type": "text"});
    env.hook("PostToolUse", &done);
}

fn call_serena(env: &TestEnv) {
    let call = json!({
        "tool_name": "mcp__serena__activate_project",
        "tool_input": {},
        "tool_use_id": "serena",
    });
    env.hook("PreToolUse", &call);
    let mut done = call;
    done["tool_response"] = json!([{"type": "text", "text": "ok"}]);
    env.hook("PostToolUse", &done);
}

#[test]
fn edits_wait_for_what_the_file_asks_for_first_and_for_nothing_that_nobody_sees() {
    let env = harbour();
    env.begin();
    let mut client = client(&env);
    start(&mut client);
    let source = env.project().join("src/a.rs");
    assert!(env.before_edit(&source).denied().unwrap().contains("HANDOFF.md"));
    read(&env, ".agents/HANDOFF.md");
    assert!(env.before_edit(&source).denied().unwrap().contains("mcp__serena__activate_project"));
    call_serena(&env);
    assert_eq!(env.before_edit(&source).denied(), None);
    let found = gate(&mut client, "Pilot Aboard");
    assert_eq!(found["status"], "PASS", "{found}");
    assert!(found["evidence"].as_str().unwrap().contains("observed"), "{found}");
}

#[test]
fn what_becomes_tighter_in_the_file_holds_at_once_and_what_is_loosened_waits() {
    let env = harbour();
    env.begin();
    let source = env.project().join("src/a.rs");
    read(&env, ".agents/HANDOFF.md");
    call_serena(&env);
    assert_eq!(env.before_edit(&source).denied(), None);
    env.write("RULES.md", "no shouting\n");
    let first = "1. The agent MUST read `.agents/HANDOFF.md` for what came before\n";
    env.write(
        FILE,
        &HARBOUR.replace(first, &format!("{first}1. The agent MUST read `RULES.md`\n")),
    );
    let denied = env.before_edit(&source).denied().unwrap();
    assert!(denied.contains("RULES.md"), "{denied}");
    read(&env, "RULES.md");
    assert_eq!(env.before_edit(&source).denied(), None);
}

#[test]
fn edits_wait_for_a_branch_where_the_file_forbids_to_work_on_the_main_one() {
    let rule = "1. The agent MUST read `.agents/HANDOFF.md` for what came before\n";
    let text = HARBOUR.replace(rule, "1. The agent MUST NOT proceed with work if on `main`\n");
    let env = with(&text, CONFIG);
    env.git(&["switch", "-qC", "main"]);
    env.begin();
    call_serena(&env);
    let source = env.project().join("src/a.rs");
    let denied = env.before_edit(&source).denied().unwrap();
    assert!(denied.contains("git switch -c"), "{denied}");
    env.git(&["switch", "-qc", "feat/x"]);
    assert_eq!(env.before_edit(&source).denied(), None);
}

#[test]
fn a_file_that_cannot_be_read_any_more_takes_nothing_away() {
    let env = harbour();
    env.begin();
    env.write(FILE, "# Nothing\n");
    let source = env.project().join("src/a.rs");
    assert!(env.before_edit(&source).denied().unwrap().contains("HANDOFF.md"));
    let told = env.hook("UserPromptSubmit", &json!({"prompt": "go on"})).json().to_string();
    assert!(told.contains("it holds no phase"), "{told}");
    assert!(env.before_edit(&source).denied().unwrap().contains("HANDOFF.md"));
}
