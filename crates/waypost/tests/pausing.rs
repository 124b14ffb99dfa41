//! Gates that rest, gates over the text of a line, and what carries over to the next conversation.

use serde_json::{Value, json};
use waypost_testkit::{HookAnswer, TestEnv};

fn project(gates: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("src/a.txt", "a\n");
    env.init_with(gates);
    env
}

fn hook(env: &TestEnv, conversation: &str, event: &str, fields: &Value) -> HookAnswer {
    let mut given = json!({"session_id": conversation});
    if let (Some(given), Some(fields)) = (given.as_object_mut(), fields.as_object()) {
        given.extend(fields.clone());
    }
    env.hook(event, &given)
}

fn begin(env: &TestEnv, conversation: &str) {
    hook(env, conversation, "SessionStart", &json!({"source": "startup"}));
    hook(env, conversation, "UserPromptSubmit", &json!({"prompt": "go"}));
}

fn end(env: &TestEnv, conversation: &str) {
    hook(env, conversation, "SessionEnd", &json!({"reason": "clear"}));
}

/// Somebody says something at a terminal. While a conversation goes on, this test is its harness, and whatever it starts
/// passes for the agent's: so nobody is there meanwhile.
fn meanwhile(env: &TestEnv, args: &[&str]) -> String {
    end(env, "one");
    let told = env.ok_at_terminal(args);
    hook(env, "one", "SessionStart", &json!({"source": "resume"}));
    told
}

fn edit(env: &TestEnv, conversation: &str) -> Option<String> {
    let file = env.project().join("src/a.txt");
    let fields = json!({"tool_name": "Write", "tool_use_id": "w",
        "tool_input": {"file_path": file, "content": "b\n"}});
    hook(env, conversation, "PreToolUse", &fields).denied()
}

fn bash(env: &TestEnv, conversation: &str, line: &str) -> Option<String> {
    let fields = json!({"tool_name": "Bash", "tool_use_id": "b", "tool_input": {"command": line}});
    hook(env, conversation, "PreToolUse", &fields).denied()
}

fn skill(env: &TestEnv, conversation: &str, name: &str) {
    let fields = json!({"tool_name": "Skill", "tool_use_id": "s", "tool_input": {"skill": name},
        "tool_response": {"success": true}});
    hook(env, conversation, "PreToolUse", &fields);
    hook(env, conversation, "PostToolUse", &fields);
}

const PLANNED: &str = "[[gate]]\nid = \"planned\"\nbefore = [\"edit\"]\nscope = \"conversation\"\n\
                       carry_over = \"300s\"\nproof = { skill = \"plan\" }\n\
                       message = \"Plan first on {branch} ({session_id}).\"\n";

#[test]
fn a_human_lets_gates_rest_and_an_agent_cannot() {
    let env = project(PLANNED);
    begin(&env, "one");
    assert!(edit(&env, "one").is_some());
    for line in ["waypost gate pause", "waypost gate pause planned --for 1h"] {
        assert!(bash(&env, "one", line).is_some(), "{line}");
    }
    let refused = env.waypost(&["gate", "pause"]);
    assert!(!refused.status.success(), "without a terminal nobody is known to be there");
    let told = meanwhile(&env, &["gate", "pause", "planned"]);
    assert!(told.contains("planned paused until"), "{told}");
    assert_eq!(edit(&env, "one"), None);
    assert!(env.ok(&["status"]).contains("a human paused planned"));
    assert!(env.event_types().contains(&"gates_paused".to_owned()));
    env.ok(&["gate", "unpause"]);
    assert!(edit(&env, "one").is_some());
    meanwhile(&env, &["gate", "pause", "--for", "1h"]);
    assert_eq!(edit(&env, "one"), None);
    let other = env.waypost(&["gate", "unpause", "planned"]);
    assert!(!other.status.success(), "all of them rest, not this one");
    end(&env, "one");
    hook(&env, "one", "SessionStart", &json!({"source": "resume"}));
    assert!(edit(&env, "one").is_some(), "it was for the work that went on then");
}

#[test]
fn what_rests_rests_no_longer_than_was_said() {
    let mut env = project(PLANNED);
    begin(&env, "one");
    meanwhile(&env, &["gate", "pause", "--for", "30m"]);
    assert_eq!(edit(&env, "one"), None);
    env.time = "2031-01-01T00:00:00.000Z".to_owned();
    assert!(edit(&env, "one").is_some());
    end(&env, "one");
    let unknown = env.at_terminal(&["gate", "pause", "planed"]);
    assert!(!unknown.status.success(), "there is no such gate");
}

#[test]
fn a_gate_over_the_text_of_a_line_sees_the_text_and_nothing_else() {
    let gate = "[[gate]]\nid = \"reviewed\"\nbefore = ['line:git\\s+(commit|push)']\n\
                proof = { skill = \"review\" }\nmessage = \"Review first.\"\n";
    let env = project(gate);
    begin(&env, "one");
    for (line, held) in [
        ("git commit -m x", true),
        ("cd . && GIT   PUSH", true),
        ("echo 'git commit'", true),
        ("git status", false),
        ("gitcommit", false),
    ] {
        assert_eq!(bash(&env, "one", line).is_some(), held, "{line}");
    }
    skill(&env, "one", "review");
    assert_eq!(bash(&env, "one", "echo 'git push'"), None);
}

#[test]
fn an_expression_that_cannot_be_searched_for_is_told_where_it_stands() {
    let gate = "[[gate]]\nid = \"reviewed\"\nbefore = ['line:git (?!push)']\n\
                proof = { skill = \"review\" }\n";
    let env = project(gate);
    let listed = env.waypost(&["gate", "list"]);
    assert_eq!(listed.status.code(), Some(2));
    let told = waypost_testkit::everything(&listed);
    assert!(told.contains("look-around") && told.contains("waypost.toml:"), "{told}");
}

#[test]
fn what_was_planned_carries_over_to_the_next_conversation_though_it_has_its_own_session() {
    let mut env = project(PLANNED);
    env.time = "2030-01-01T10:00:00.000Z".to_owned();
    begin(&env, "one-conversation");
    let held = edit(&env, "one-conversation");
    assert!(held.is_some_and(|held| held.contains("Plan first on main (one-conv).")));
    skill(&env, "one-conversation", "plan");
    assert_eq!(edit(&env, "one-conversation"), None);
    end(&env, "one-conversation");
    env.time = "2030-01-01T10:04:00.000Z".to_owned();
    begin(&env, "two");
    assert_eq!(edit(&env, "two"), None);
    end(&env, "two");
    env.time = "2030-01-01T10:30:00.000Z".to_owned();
    begin(&env, "three");
    assert!(edit(&env, "three").is_some(), "that was too long ago");
}
