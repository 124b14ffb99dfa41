//! Projects with workflows of their own.

use serde_json::Value;
use waypost_testkit::mcp::{Client, OLDER};
use waypost_testkit::{TestEnv, everything};

/// Two phases; the first asks for coverage.
pub(crate) const SPEC: &str = r#"version = "v1"
description = "Execute a specification"
first_phase = 0

[[phase]]
name = "Planning"
purpose = "Understand what is wanted"
tasks = ["Read the spec", { name = "List the risks", text = "All of them", accept = ["a list"] }]

[[phase.gate]]
id = "coverage"
accept = "claimed"
proof = { fields = { coverage = { type = "number", check = "value >= 80" } } }
message = "Add more tests to reach 80% coverage."

[[phase]]
name = "Building"

[[phase.entry]]
id = "plan-there"
proof = { file = "plan.md" }

[[phase]]
name = "Docs"
"#;

/// A project with the workflow `spec`.
pub(crate) fn with(spec: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write(".waypost/workflows/spec.toml", spec);
    env.init_with("[project]\n");
    env
}

/// The same, in which a session follows it.
pub(crate) fn following(spec: &str) -> TestEnv {
    let env = with(spec);
    env.ok(&["start", "--workflow", "spec", "--target", "specs/login"]);
    env
}

/// How the workflow goes.
pub(crate) fn phases(env: &TestEnv) -> Value {
    env.json(&["phase", "list", "--json"])
}

/// What became of each phase.
pub(crate) fn checkpoints(env: &TestEnv) -> Vec<String> {
    let phases = phases(env);
    let all = phases["phases"].as_array().into_iter().flatten();
    all.map(|phase| phase["checkpoint"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The phase that the workflow is in.
pub(crate) fn current(env: &TestEnv) -> String {
    phases(env)["current_phase"].as_str().unwrap_or_default().to_owned()
}

/// Runs a command that has to be refused, and gives all that it said.
pub(crate) fn refused(env: &TestEnv, args: &[&str]) -> String {
    let output = env.waypost(args);
    let said = everything(&output);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
    said
}

/// A client of the MCP server.
pub(crate) fn client(env: &TestEnv) -> Client {
    Client::start(env, OLDER, &[])
}
