//! A client of the MCP server that sends raw lines, so that nothing between it and the server is
//! forgiving.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::TestEnv;

/// The revision that begins with a handshake.
pub const OLDER: &str = "2025-11-25";
/// The revision whose requests each say all that there is to say.
pub const NEWER: &str = "2026-07-28";

/// A client with a server of its own.
#[derive(Debug)]
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    revision: &'static str,
    asked: u64,
}

#[expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::needless_pass_by_value,
    reason = "a test that cannot talk to its server has failed; JSON is written where it is passed"
)]
impl Client {
    /// Starts a server in the project and, on the older revision, shakes hands.
    pub fn start(env: &TestEnv, revision: &'static str, args: &[&str]) -> Self {
        let mut command = env.command(env.binary(), env.project());
        command.arg("mcp").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, stdin, stdout, revision, asked: 0 };
        if revision == OLDER {
            let about = json!({"name": "test", "version": "1"});
            client.ask(
                "initialize",
                json!({"protocolVersion": OLDER, "capabilities": {}, "clientInfo": about}),
            );
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        client
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
    }

    /// Sends any bytes.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Sends nothing more. What was sent is still answered.
    pub fn send_no_more(&mut self) {
        drop(self.stdin.take());
    }

    /// The server's process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// The next message of the server.
    pub fn next_message(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Asks, and gives the whole answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&request(self.revision, id, method, params));
        loop {
            let message = self.next_message();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Asks, and gives what came of it.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Calls a tool.
    pub fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// Calls a tool that has to work, and gives its structured content.
    pub fn works(&mut self, name: &str, arguments: Value) -> Value {
        let mut result = self.call(name, arguments);
        assert_ne!(result["isError"], true, "{name}: {result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that has to be refused, and gives its text.
    pub fn refused(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments.clone());
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert!(text.contains("\nNext: "), "{name} {arguments}: {text}");
        assert!(result["structuredContent"]["error"]["message"].is_string(), "{result}");
        text
    }

    /// Kills the server as a crash would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Goes away, and gives the server's exit status.
    pub fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

/// A request as a client of that revision sends it.
pub fn request(revision: &str, id: u64, method: &str, mut params: Value) -> Value {
    if revision == NEWER {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!(NEWER);
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}
