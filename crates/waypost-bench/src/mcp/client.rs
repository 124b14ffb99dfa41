//! A client of an MCP server that adds as little as possible to what it measures.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::failure::{During, Failure};
use crate::store::pair::{Pair, by_turns, time};

/// A server of its own.
pub(crate) struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
}

impl Client {
    /// Starts a server and shakes hands.
    pub(crate) fn start(mut command: Command) -> Result<Self, Failure> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().during(|| format!("starting {command:?}"))?;
        let piped = || Failure::new("a pipe is missing");
        let stdin = child.stdin.take().ok_or_else(piped)?;
        let stdout = BufReader::new(child.stdout.take().ok_or_else(piped)?);
        let mut client = Self { child, stdin, stdout, line: String::new() };
        let about = json!({"name": "bench", "version": "1"});
        client.ask(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}),
        )?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Asks whether it is there.
    pub(super) fn ping(&mut self) -> Result<(), Failure> {
        self.ask("ping", &json!({}))
    }

    /// Calls a tool, which has to succeed.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Result<(), Failure> {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        if self.line.contains("\"isError\":true") {
            return Err(Failure::new(format!("{name}: {}", self.line)));
        }
        Ok(())
    }

    /// A tool by turns with a ping.
    pub(super) fn by_turns_with_ping(
        &mut self,
        rounds: usize,
        name: &str,
        arguments: &Value,
    ) -> Result<Pair, Failure> {
        let server = RefCell::new(self);
        by_turns(
            rounds,
            20,
            || time(|| server.borrow_mut().call(name, arguments)),
            || time(|| server.borrow_mut().ping()),
        )
    }

    /// How much memory it has, in bytes.
    pub(super) fn resident(&self) -> Result<u64, Failure> {
        memory(self.child.id(), "VmRSS:")
    }

    /// How much it ever had, in bytes.
    pub(crate) fn peak(&self) -> Result<u64, Failure> {
        memory(self.child.id(), "VmHWM:")
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<(), Failure> {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))?;
        loop {
            self.line.clear();
            let read = self.stdout.read_line(&mut self.line).during(|| method.to_owned())?;
            if read == 0 {
                return Err(Failure::new(format!("the server ended before it answered {method}")));
            }
            if self.line.contains("\"id\":1") {
                return Ok(());
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let line = format!("{message}\n");
        self.stdin.write_all(line.as_bytes()).during(|| "writing to the server".to_owned())
    }
}

/// How much memory a process has, in bytes: by the name of that in what the system tells of it.
pub(crate) fn memory(process: u32, field: &str) -> Result<u64, Failure> {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path).during(|| path.clone())?;
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map(|size| size * 1024).ok_or_else(|| Failure::new(format!("{path}: no {field}")))
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
