//! Texts that a harness cut in the middle of a character: half an emoji is left as an escape, which is no
//! reason to refuse or to overlook what the rest says.

use serde_json::json;
use waypost_testkit::{HookAnswer, TestEnv};

fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env.begin();
    env
}

/// Stands where a text was cut.
const CUT: &str = "<CUT>";

/// Calls the hook as a harness does that wrote half a character wherever a text was cut.
fn hook(env: &TestEnv, half: &str, event: &str, fields: &serde_json::Value) -> HookAnswer {
    let text = env.event(event, fields).to_string();
    assert!(text.contains(CUT), "{text}");
    env.hook_bytes(text.replace(CUT, half).as_bytes())
}

fn plain(answer: &HookAnswer) -> bool {
    (answer.status, answer.stdout.as_str(), answer.stderr.as_str()) == (0, "", "")
}

#[test]
fn a_command_line_that_was_cut_is_read_to_its_end() {
    for half in ["\\ud83d", "\\uDE00"] {
        let env = env();
        let given = json!({"command": format!("echo '{CUT}' > src/lib.txt")});
        let fields = json!({"tool_name": "Bash", "tool_input": given, "tool_use_id": "b1"});
        let before = hook(&env, half, "PreToolUse", &fields);
        assert!(plain(&before), "{half}: {before:?}");
        env.write("src/lib.txt", "two");
        let after = hook(&env, half, "PostToolUse", &fields);
        assert!(plain(&after), "{half}: {after:?}");
        let held = env.stop().held().unwrap_or_default();
        assert!(held.contains("Run the checks after your last change."), "{half}: {held}");
    }
}

#[test]
fn a_tool_of_another_server_does_not_hide_behind_a_cut_text() {
    let env = env();
    let given = json!({"path": env.project().join("waypost.toml"), "content": CUT});
    let fields = json!({"tool_name": "mcp__files__write_file", "tool_input": given});
    let denied = hook(&env, "\\ud83d", "PreToolUse", &fields).denied();
    assert!(denied.is_some_and(|why| why.contains("waypost.toml")));
}

#[test]
fn a_run_whose_output_was_cut_was_still_interrupted() {
    let env = env();
    env.edit("src/lib.txt", "two\n");
    let mut fields = json!({"tool_name": "Bash", "tool_input": {"command": "./check.sh"}});
    fields["tool_use_id"] = json!("b1");
    env.hook("PreToolUse", &fields);
    fields["tool_response"] = json!({"stdout": CUT, "stderr": "", "interrupted": true});
    hook(&env, "\\ud83d", "PostToolUse", &fields);
    assert!(env.stop().held().is_some());
}

#[test]
fn a_prompt_that_was_cut_begins_a_turn() {
    let env = env();
    let answer = hook(&env, "\\ud83d", "UserPromptSubmit", &json!({"prompt": format!("go {CUT}")}));
    assert!(!answer.stdout.contains("cannot be read"), "{answer:?}");
    let fields = json!({"tool_name": CUT, "tool_input": {}, "tool_use_id": "t1"});
    let named = hook(&env, "\\ud83d", "PreToolUse", &fields);
    assert!(plain(&named), "{named:?}");
}
