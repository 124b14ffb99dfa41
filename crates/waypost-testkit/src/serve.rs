//! `waypost serve` with a project of its own, and connections to it that send exactly what they are told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::TestEnv;
use crate::mcp::{NEWER, OLDER, request};

/// A server that runs until this is dropped.
#[derive(Debug)]
pub struct Server {
    /// Where it runs, with a session `Add login`.
    pub env: TestEnv,
    /// Where it listens.
    pub address: SocketAddr,
    /// What its clients show.
    pub token: String,
    child: Child,
}

/// A header that is sent instead of the usual one of its name, or not at all.
pub type Instead<'a> = (&'a str, Option<&'a str>);

#[expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test whose server does not run has failed"
)]
impl Server {
    /// Starts one in a project that is set up for it.
    pub fn start(env: TestEnv) -> Self {
        env.init();
        env.start("Add login");
        Self::of(env)
    }

    /// Starts one in a project as it is.
    pub fn of(env: TestEnv) -> Self {
        let mut command = env.command(env.binary(), env.project());
        command.args(["serve", "--bind", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let opened = line.trim().strip_prefix("http://").unwrap();
        let address = opened.split_once('/').unwrap().0.parse().unwrap();
        let token = env.home().join(".local/state/waypost/serve/token");
        let token = std::fs::read_to_string(token).unwrap().trim().to_owned();
        Self { env, address, token, child }
    }

    /// A request with everything that is needed, and these headers instead.
    pub fn request(&self, line: &str, instead: &[Instead<'_>], body: &[u8]) -> Vec<u8> {
        let (host, bearer) = (self.address.to_string(), format!("Bearer {}", self.token));
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        let length = body.len().to_string();
        let text = |value: &'static str, of: &Value| of[value].as_str().map(str::to_owned);
        let (method, name) = (text("method", &asked), text("name", &asked["params"]));
        let mut headers = vec![
            ("Host", Some(host.as_str())),
            ("Authorization", Some(&bearer)),
            ("Content-Type", Some("application/json")),
            ("Accept", Some("application/json, text/event-stream")),
            ("MCP-Protocol-Version", Some(NEWER)),
            ("Mcp-Method", method.as_deref()),
            ("Mcp-Name", name.as_deref()),
            ("Content-Length", Some(&length)),
        ];
        for (name, value) in instead {
            headers.retain(|(known, _)| known != name);
            headers.push((name, *value));
        }
        let mut sent = format!("{line} HTTP/1.1\r\n");
        for (name, value) in headers {
            sent.extend(value.map(|value| format!("{name}: {value}\r\n")));
        }
        [sent.as_bytes(), b"\r\n", body].concat()
    }

    /// Asks over a connection of its own; gives the status and all that came back.
    pub fn ask(&self, line: &str, instead: &[Instead<'_>], body: &str) -> (u16, String) {
        let mut connection = self.connect();
        let last = [&[("Connection", Some("close"))], instead].concat();
        connection.send(&self.request(line, &last, body.as_bytes()));
        connection.everything()
    }

    /// A browser in which the link was opened.
    pub fn open(&self) -> Browser<'_> {
        let line = format!("GET /?token={}", self.token);
        let (_, answer) = self.ask(&line, &[("Authorization", None)], "");
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let (_, page) = self.ask("GET /projects", &[], "");
        let form =
            page.split("name=\"form\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        Browser { server: self, cookie, form: form.unwrap().to_owned() }
    }

    /// A connection that has not asked for anything.
    pub fn connect(&self) -> Connection {
        Connection { stream: BufReader::new(TcpStream::connect(self.address).unwrap()) }
    }

    /// Begins a session of the older revision; gives the answer, and its id if there is one.
    pub fn begin_session(&self) -> (u16, String, Option<String>) {
        let about = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": OLDER, "capabilities": {}, "clientInfo": about});
        let hello = request(OLDER, 1, "initialize", params).to_string();
        let older = [("MCP-Protocol-Version", Some(OLDER))];
        let (status, answer) = self.ask("POST /mcp", &older, &hello);
        let lower = answer.to_lowercase();
        let id = lower.split("mcp-session-id: ").nth(1).and_then(|rest| rest.lines().next());
        (status, answer, id.map(str::to_owned))
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Tells it to end, and gives its exit status.
    pub fn end(mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A browser that has the cookie, and what forms carry along.
#[derive(Debug)]
pub struct Browser<'s> {
    server: &'s Server,
    /// What it shows instead of the token.
    pub cookie: String,
    /// What every form of the pages carries along.
    pub form: String,
}

impl Browser<'_> {
    /// The page at an address.
    pub fn page(&self, address: &str) -> (u16, String) {
        let line = format!("GET {address}");
        self.server.ask(&line, &[("Authorization", None), ("Cookie", Some(&self.cookie))], "")
    }

    /// Sends a form as pages do: `fields` are written as in an address.
    pub fn send(&self, action: &str, fields: &str) -> (u16, String) {
        let fields = format!("form={}&{fields}", self.form);
        self.send_as(action, &fields, Some(&self.cookie))
    }

    /// Sends exactly these fields, with this cookie or none.
    pub fn send_as(&self, action: &str, fields: &str, cookie: Option<&str>) -> (u16, String) {
        let by_form = [
            ("Authorization", None),
            ("Cookie", cookie),
            ("Content-Type", Some("application/x-www-form-urlencoded")),
        ];
        self.server.ask(&format!("POST /do/{action}"), &by_form, fields)
    }
}

/// A connection to a server.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
}

#[expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot talk to its server has failed"
)]
impl Connection {
    /// Sends any bytes. A server that has heard enough does not read them all; that is its right.
    pub fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.get_mut().write_all(bytes);
    }

    /// Sends any bytes; whether the server still takes them.
    pub fn is_sent(&mut self, bytes: &[u8]) -> bool {
        self.stream.get_mut().write_all(bytes).is_ok()
    }

    /// The status and the body of the next answer, whose length the server told.
    pub fn answer(&mut self) -> (u16, String) {
        let (head, length) = self.head();
        let mut body = vec![0; length.unwrap_or_else(|| panic!("no length: {head}"))];
        self.stream.read_exact(&mut body).unwrap();
        (status(&head), String::from_utf8(body).unwrap())
    }

    /// The status of the next answer, and everything up to its first empty line.
    pub fn head(&mut self) -> (String, Option<usize>) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(self.stream.read_line(&mut head).unwrap(), 0, "it broke off: {head:?}");
        }
        let lower = head.to_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
        (head.clone(), length.map(|length| length.trim().parse().unwrap()))
    }

    /// The next line, with its end; nothing if the server has closed the connection.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap_or_default();
        line
    }

    /// The status, and everything until the server closes the connection.
    pub fn everything(mut self) -> (u16, String) {
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).unwrap();
        (status(&answer), answer)
    }

    /// Whether the server closes the connection without another word. Waits until it does something.
    pub fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0]), Ok(0) | Err(_))
    }
}

#[expect(clippy::panic, reason = "an answer without a status is none")]
fn status(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("no status: {answer:?}"))
}
