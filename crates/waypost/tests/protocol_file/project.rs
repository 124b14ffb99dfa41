//! Projects with a protocol of their own.

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, OLDER};

pub(crate) const FILE: &str = ".agents/SESSION-PROTOCOL.md";
pub(crate) const HARBOUR: &str = include_str!("harbour.md");
pub(crate) const CONFIG: &str = "[project]\nprotocol = \".agents/SESSION-PROTOCOL.md\"\n";

/// A project that follows the harbour's protocol.
pub(crate) fn harbour() -> TestEnv {
    with(HARBOUR, CONFIG)
}

/// A project that follows what `protocol` says.
pub(crate) fn with(protocol: &str, config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".serena/project.yml", "project_name: test\n");
    env.write(".agents/HANDOFF.md", "where it stands\n");
    env.write("scripts/check.sh", "echo checked\n");
    env.write(FILE, protocol);
    env.init_with(config);
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

pub(crate) fn record(client: &mut Client, phase: &str, step: &str, of: &str, said: &str) -> Value {
    let given = json!({"phase": phase, "step": step, "evidence_type": of, "evidence": said});
    client.works("record_evidence", given)
}

pub(crate) fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The steps of a checklist that are in a status.
pub(crate) fn steps_in<'v>(checklist: &'v Value, status: &str) -> Vec<&'v str> {
    let parts = ["start", "end"].into_iter().filter_map(|part| checklist[part].as_array());
    let such = parts.flatten().filter(|item| item["status"] == status);
    such.filter_map(|item| item["step"].as_str()).collect()
}
