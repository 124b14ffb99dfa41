//! Projects that follow the protocol, and what agents do in them.

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, OLDER};

pub(crate) const PROTOCOL: &str = "[project]\nprotocol = \"builtin\"\n";

/// A project that follows the protocol and has none of its subjects.
pub(crate) fn bare() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(PROTOCOL);
    env
}

/// A project that has what the protocol asks about.
pub(crate) fn furnished() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".serena/project.yml", "project_name: test\n");
    env.write(".serena/memories/skill-usage-mandatory.md", "use the skills\n");
    env.write(".claude/skills/github/scripts/new-pr.sh", "true\n");
    env.write(".agents/HANDOFF.md", "where it stands\n");
    env.write(".agents/governance/PROJECT-CONSTRAINTS.md", "no shell\n");
    env.init_with(PROTOCOL);
    env
}

pub(crate) fn client(env: &TestEnv) -> Client {
    Client::start(env, OLDER, &[])
}

pub(crate) fn start(client: &mut Client) -> Value {
    client.works("session_start", json!({"objective": "Test"}))
}

pub(crate) fn gate(client: &mut Client, name: &str) -> Value {
    client.works("validate_gate", json!({"phase": name}))
}

pub(crate) fn evidence(client: &mut Client, phase: &str, of: &str, evidence: &str) -> Value {
    let given = json!({"phase": phase, "evidence_type": of, "evidence": evidence});
    client.works("record_evidence", given)
}

/// Does what the protocol asks for before the work, as an agent whom no hook watches.
pub(crate) fn get_ready(env: &TestEnv, client: &mut Client, session: &str) {
    for (phase, of, said) in [
        ("SERENA_INIT", "tool_output", "activate_project: project test is active"),
        ("SERENA_INIT", "tool_output", "initial_instructions: read them"),
        ("SKILL_VALIDATION", "content_hash", &sha256("use the skills\n")),
        (
            "CONTEXT_RETRIEVAL",
            "content_hash",
            &format!("HANDOFF.md {}", sha256("where it stands\n")),
        ),
        (
            "CONTEXT_RETRIEVAL",
            "content_hash",
            &format!("PROJECT-CONSTRAINTS.md {}", sha256("no shell\n")),
        ),
    ] {
        let recorded = evidence(client, phase, of, said);
        assert_eq!(recorded["evidence_recorded"], true, "{recorded}");
    }
    env.write(&format!(".agents/sessions/{session}.md"), "| MUST | Commit | [x] | |\n");
}

pub(crate) fn sha256(text: &str) -> String {
    waypost_core::key::sha256_hex(&[text.as_bytes()])
}

pub(crate) fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A server whose client is the harness that the hooks of [`TestEnv`] speak for.
pub(crate) fn watched(env: &TestEnv) -> Client {
    Client::start(env, OLDER, &[])
}

/// The agent calls one of Serena's tools.
pub(crate) fn call_serena(env: &TestEnv, tool: &str) {
    let fields = json!({
        "tool_name": format!("mcp__serena__{tool}"),
        "tool_input": {},
        "tool_use_id": format!("call-{tool}"),
    });
    env.hook("PreToolUse", &fields);
    let mut done = fields;
    done["tool_response"] = json!([{"type": "text", "text": "ok"}]);
    env.hook("PostToolUse", &done);
}

/// The agent reads what it is to know of skills through Serena.
pub(crate) fn read_memory(env: &TestEnv) {
    let memory = json!({
        "tool_name": "mcp__serena__read_memory",
        "tool_input": {"memory_name": "skill-usage-mandatory"},
        "tool_use_id": "memory",
    });
    env.hook("PreToolUse", &memory);
    let mut done = memory;
    done["tool_response"] = json!("use the skills");
    env.hook("PostToolUse", &done);
}
