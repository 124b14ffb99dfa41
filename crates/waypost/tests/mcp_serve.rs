//! The MCP server over HTTP: who may ask, and that everybody who may is answered.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use waypost_testkit::mcp::{NEWER, OLDER, http, request};
use waypost_testkit::{TestEnv, everything};

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A server with a project of its own.
struct Server {
    env: TestEnv,
    child: Child,
    address: SocketAddr,
    token: String,
}

#[expect(clippy::unwrap_used, reason = "a test whose server does not run has failed")]
impl Server {
    fn start() -> Self {
        let env = env();
        env.init();
        env.start("Add login");
        let mut command = env.command(env.binary(), env.project());
        command.args(["serve", "--bind", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().parse().unwrap();
        let token = std::fs::read_to_string(token_file(&env)).unwrap().trim().to_owned();
        Self { env, child, address, token }
    }

    /// Asks with everything that is needed, and these headers instead.
    fn ask(&self, line: &str, instead: &[(&str, Option<&str>)], body: &str) -> (u16, String) {
        let (host, bearer) = (self.address.to_string(), format!("Bearer {}", self.token));
        let asked: Value = serde_json::from_str(body).unwrap_or_default();
        let method = asked["method"].as_str().unwrap_or_default();
        let name = asked["params"]["name"].as_str().unwrap_or_default();
        let mut headers = vec![
            ("Host", host.as_str()),
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", NEWER),
            ("Mcp-Method", method),
        ];
        if !name.is_empty() {
            headers.push(("Mcp-Name", name));
        }
        for (name, value) in instead {
            headers.retain(|(known, _)| known != name);
            headers.extend(value.map(|value| (*name, value)));
        }
        http(self.address, line, &headers, body)
    }

    fn end(mut self, signal: rustix::process::Signal) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn token_file(env: &TestEnv) -> std::path::PathBuf {
    env.home().join(".local/state/waypost/serve/token")
}

fn call(id: u64) -> String {
    let params = json!({"name": "session_get_state", "arguments": {}});
    request(NEWER, id, "tools/call", params).to_string()
}

#[test]
fn only_who_shows_the_token_from_this_machine_is_answered() {
    let server = Server::start();
    let port = server.address.port();
    let local = |name: &str| format!("{name}:{port}");
    let (localhost, six) = (local("localhost"), local("[::1]"));
    let (own, other) = (local("http://127.0.0.1"), local("https://127.0.0.1"));
    let (evil, rebound) = (local("evil.example"), local("127.0.0.1.evil.example"));
    for (status, instead) in [
        (200, vec![]),
        (200, vec![("Host", Some(localhost.as_str()))]),
        (200, vec![("Host", Some(six.as_str()))]),
        (200, vec![("Origin", Some(own.as_str()))]),
        (401, vec![("Authorization", None)]),
        (401, vec![("Authorization", Some("Bearer wrong"))]),
        (401, vec![("Authorization", Some("Basic x"))]),
        (403, vec![("Host", Some(evil.as_str()))]),
        (403, vec![("Host", Some(rebound.as_str()))]),
        (403, vec![("Host", Some("127.0.0.1:1"))]),
        (403, vec![("Host", Some("127.0.0.1"))]),
        (403, vec![("Origin", Some("null"))]),
        (403, vec![("Origin", Some("http://evil.example"))]),
        (403, vec![("Origin", Some("http://127.0.0.1:1"))]),
        (403, vec![("Origin", Some("http://127.0.0.1"))]),
        (403, vec![("Origin", Some(other.as_str()))]),
        // Who is not of this machine does not even learn that a token is missing.
        (403, vec![("Origin", Some("http://evil.example")), ("Authorization", None)]),
    ] {
        let (found, answer) = server.ask("POST /mcp", &instead, &call(1));
        assert_eq!(found, status, "{instead:?}: {answer}");
        assert_eq!(answer.contains("Add login"), status == 200, "{instead:?}: {answer}");
        let challenges = answer.to_lowercase().contains("www-authenticate: bearer");
        assert_eq!(challenges, status == 401, "{instead:?}: {answer}");
    }
    let (status, _) = server.ask("GET /mcp", &[("Authorization", None)], "");
    assert_eq!(status, 401);
    let (status, _) = server.ask("GET /nothing", &[("Authorization", None)], "");
    assert_eq!(status, 401);
    let (status, health) = server.ask("GET /health", &[("Authorization", None)], "");
    assert!(status == 200 && health.contains("\"status\":\"ok\""), "{health}");
    let evil = [("Host", Some(evil.as_str()))];
    assert_eq!(server.ask("GET /health", &evil, "").0, 403);
}

#[test]
fn the_token_is_kept_for_its_owner_and_never_shown() {
    let server = Server::start();
    let mode = std::fs::metadata(token_file(&server.env)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let second = server.env.waypost(&["serve", "--bind", &server.address.to_string()]);
    assert_eq!(second.status.code(), Some(1), "{}", everything(&second));
    assert!(!everything(&second).contains(&server.token));
    let file = token_file(&server.env);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let loose = server.env.waypost(&["serve", "--bind", "127.0.0.1:0"]);
    assert_eq!(loose.status.code(), Some(2), "{}", everything(&loose));
}

#[test]
fn only_addresses_of_this_machine_are_bound() {
    let env = env();
    env.init();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "nowhere"] {
        let output = env.waypost(&["serve", "--bind", address]);
        assert_eq!(output.status.code(), Some(2), "{address}: {}", everything(&output));
    }
}

#[test]
fn a_thousand_requests_at_once_are_all_answered() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let most = rustix::process::Rlimit { current: limit.maximum, ..limit };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, most).unwrap();
    let server = Server::start();
    let barrier = std::sync::Barrier::new(1000);
    let ask = |number: u64| {
        barrier.wait();
        let (status, answer) = server.ask("POST /mcp", &[], &call(number));
        usize::from(status == 200 && answer.contains("Add login"))
    };
    let answered: usize = std::thread::scope(|scope| {
        let ask = &ask;
        let threads: Vec<_> = (0..1000).map(|number| scope.spawn(move || ask(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(answered, 1000);
}

#[test]
fn what_came_over_http_is_never_a_humans_word() {
    let server = Server::start();
    let params = json!({"name": "session_add_note", "arguments": {"kind": "n", "text": "x"}});
    let body = request(NEWER, 1, "tools/call", params).to_string();
    assert_eq!(server.ask("POST /mcp", &[], &body).0, 200);
    let history = server.env.json(&["history", "--json"]);
    let entry = &history["events"].as_array().unwrap().last().unwrap()["actor"];
    assert_eq!((&entry["kind"], &entry["harness"]), (&json!("agent"), &json!("mcp")), "{entry}");
}

#[test]
fn a_client_that_leaves_is_told_that_it_is_done() {
    let server = Server::start();
    let params = json!({
        "protocolVersion": OLDER,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let older = [("MCP-Protocol-Version", Some(OLDER))];
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let (_, answer) = server.ask("POST /mcp", &older, &hello.to_string());
    let answer = answer.to_lowercase();
    let id = answer.split("mcp-session-id: ").nth(1).unwrap().lines().next().unwrap();
    let leaving = [older[0], ("Mcp-Session-Id", Some(id))];
    assert_eq!(server.ask("DELETE /mcp", &leaving, "").0, 204);
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    assert_eq!(server.ask("POST /mcp", &leaving, &ping.to_string()).0, 404, "it is gone");
}

#[test]
fn it_ends_well_when_it_is_told_to() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        assert_eq!(Server::start().end(signal), Some(0));
    }
}
