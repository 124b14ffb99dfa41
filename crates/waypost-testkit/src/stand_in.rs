//! An MCP server that says what it was told to, in the place of the real one.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use crate::TestEnv;

/// A shell's words for a server that is called `name` and has these tools.
pub fn server(name: &str, tools: &[&str]) -> String {
    let tools: Vec<_> = tools.iter().map(|tool| json!({"name": tool})).collect();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"name": name}}});
    let listed = json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": tools}});
    format!(
        "while read -r line; do case $line in\n\
         *'\"initialize\"'*) echo '{hello}' ;;\n\
         *'\"tools/list\"'*) echo '{listed}' ;;\n\
         esac; done\n"
    )
}

/// Registers a shell script as Waypost's MCP server in a project, and gives its path.
#[expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test's setting-up")]
pub fn register(env: &TestEnv, script: &str) -> PathBuf {
    let program = env.home().join("stand-in");
    std::fs::write(&program, format!("#!/bin/sh\n{script}")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let servers = json!({"mcpServers": {"waypost": {"command": program, "args": []}}});
    env.write(".mcp.json", &servers.to_string());
    program
}

/// Registers one that is as the real one should be.
pub fn register_good(env: &TestEnv) -> PathBuf {
    register(env, &server("waypost", &["one", "two"]))
}
