//! The MCP server over HTTP: who may ask, and that everybody who may is answered.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use waypost_testkit::mcp::{NEWER, OLDER, request};
use waypost_testkit::serve::Server;
use waypost_testkit::{TestEnv, everything};

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

fn server() -> Server {
    Server::start(env())
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
    let server = server();
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
fn the_token_is_kept_for_its_owner_and_shown_in_the_link_alone() {
    let server = server();
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
fn an_address_that_cannot_be_bound_is_told() {
    let env = env();
    env.init();
    for (address, status) in [("192.0.2.1:0", 1), ("nowhere", 2)] {
        let output = env.waypost(&["serve", "--bind", address]);
        assert_eq!(output.status.code(), Some(status), "{address}: {}", everything(&output));
    }
}

#[test]
fn a_thousand_requests_at_once_are_all_answered() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let most = rustix::process::Rlimit { current: limit.maximum, ..limit };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, most).unwrap();
    let server = server();
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
    let server = server();
    let params = json!({"name": "session_add_note", "arguments": {"kind": "n", "text": "x"}});
    let body = request(NEWER, 1, "tools/call", params).to_string();
    assert_eq!(server.ask("POST /mcp", &[], &body).0, 200);
    let history = server.env.json(&["history", "--json"]);
    let entry = &history["events"].as_array().unwrap().last().unwrap()["actor"];
    assert_eq!((&entry["kind"], &entry["harness"]), (&json!("agent"), &json!("mcp")), "{entry}");
}

#[test]
fn a_client_that_leaves_is_told_that_it_is_done() {
    let server = server();
    let (_, answer, id) = server.begin_session();
    let id = id.unwrap_or_else(|| panic!("{answer}"));
    let older = ("MCP-Protocol-Version", Some(OLDER));
    let leaving = [older, ("Mcp-Session-Id", Some(id.as_str()))];
    assert_eq!(server.ask("DELETE /mcp", &leaving, "").0, 204);
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    assert_eq!(server.ask("POST /mcp", &leaving, &ping.to_string()).0, 404, "it is gone");
}

#[test]
fn it_ends_well_when_it_is_told_to() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        assert_eq!(server().end(signal), Some(0));
    }
}
