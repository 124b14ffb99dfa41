//! Agents that work for each other: what hooks see of them, what is said of them, whose verdict counts, and what is handed
//! over. With the real binary, as command, hook and MCP server.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod handoffs;
mod judging;
mod resources;
mod said;
mod seen;
mod verdicts;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::Client;

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A project under gates, in which a conversation has begun.
fn begun(config: &str) -> TestEnv {
    let env = env();
    env.init_with(config);
    env.begin();
    env
}

/// A subagent, as the harness names it in everything that it does.
fn subagent(name: &str, kind: &str) -> Value {
    json!({"agent_id": name, "agent_type": kind})
}

/// What a hook is told, in the name of somebody.
fn with(mut fields: Value, more: &Value) -> Value {
    if let (Some(fields), Some(more)) = (fields.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    fields
}

/// A subagent writes a file with the harness' own tool.
fn writes(env: &TestEnv, by: &Value, path: &str, content: &str) {
    let input = json!({"file_path": env.project().join(path), "content": content});
    let call =
        json!({"tool_name": "Write", "tool_input": input, "tool_use_id": format!("w-{path}")});
    let call = with(call, by);
    assert_eq!(env.hook("PreToolUse", &call).denied(), None, "{path}");
    env.write(path, content);
    env.hook("PostToolUse", &call);
}

/// Calls a tool of Waypost's as the harness does for `by`: its hooks see the call, and the call has the harness' name.
fn calls(env: &TestEnv, client: &mut Client, by: &Value, tool: &str, arguments: &Value) -> Value {
    let call = format!("toolu_{tool}_{}", by["agent_id"].as_str().unwrap_or("main"));
    let (name, input) = (format!("mcp__waypost__{tool}"), arguments.clone());
    let fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": call});
    assert_eq!(env.hook("PreToolUse", &with(fields.clone(), by)).denied(), None, "{tool}");
    let meta = json!({"claudecode/toolUseId": call});
    let asked = json!({"name": tool, "arguments": arguments, "_meta": meta});
    let result = client.result("tools/call", asked);
    env.hook("PostToolUse", &with(with(fields, &json!({"tool_response": "done"})), by));
    result
}
