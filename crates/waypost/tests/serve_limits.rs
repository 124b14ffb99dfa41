//! What a client of `waypost serve` may take from others, whether it shows the token or not: there is an
//! end to everything, and who comes to it is told.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{NEWER, OLDER, request};
use waypost_testkit::serve::{Connection, Server};

const MAX_CONNECTIONS: usize = 1024;
const MAX_SESSIONS: usize = 512;

fn server() -> Server {
    Server::start(TestEnv::new(env!("CARGO_BIN_EXE_waypost")))
}

/// A server whose clients have a hundredth of the time.
fn hurried_server() -> Server {
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.vars.push(("WAYPOST_TEST_LIMITS".into(), "0.01".into()));
    Server::start(env)
}

fn health(server: &Server) -> Vec<u8> {
    server.request("GET /health", &[], b"")
}

#[test]
fn a_connection_that_does_not_ask_is_closed() {
    let server = hurried_server();
    let begun = health(&server);
    for sent in [&b""[..], b"GET", &begun[..begun.len() - 2]] {
        let mut connection = server.connect();
        connection.send(sent);
        assert!(connection.is_closed(), "{:?}", String::from_utf8_lossy(sent));
    }
    // One header after the other, without end.
    let mut connection = server.connect();
    connection.send(b"GET /health HTTP/1.1\r\n");
    while connection.is_sent(b"X") {}
}

#[test]
fn a_connection_that_asks_nothing_more_is_closed() {
    let server = hurried_server();
    // A busy machine may take its time between connecting and asking.
    let mut connection = std::iter::repeat_with(|| {
        let mut connection = server.connect();
        connection.send(&health(&server));
        (connection.line().contains("200 OK")).then_some(connection)
    });
    let mut connection = connection.find_map(|answered| answered).unwrap();
    while !connection.line().is_empty() {}
    assert!(connection.is_closed());
}

#[test]
fn who_comes_when_all_connections_are_taken_is_told() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let server = server();
    let mut open: Vec<Connection> = (0..MAX_CONNECTIONS).map(|_| server.connect()).collect();
    let mut late = server.connect();
    late.send(&health(&server));
    let (status, answer) = late.everything();
    assert!(answer.contains("too many connections are open: close one"), "{answer}");
    assert!(status == 503 && answer.to_lowercase().contains("retry-after: 1"), "{answer}");
    // Those who are there are answered, and who leaves makes room.
    let mut first = open.pop().unwrap();
    first.send(&health(&server));
    assert_eq!(first.answer().0, 200);
    drop(first);
    while server.ask("GET /health", &[], "").0 != 200 {}
}

#[test]
fn a_header_has_an_end() {
    let server = server();
    let long = "x".repeat(20_000);
    let (status, _) = server.ask("GET /health", &[("X-Long", Some(&long))], "");
    assert_eq!(status, 431);
    let many: Vec<String> = (0..200).map(|number| format!("X-{number}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), Some("x"))).collect();
    assert_eq!(server.ask("GET /health", &many, "").0, 431);
}

#[test]
fn requests_that_were_sent_ahead_are_answered_in_order() {
    let server = server();
    let mut connection = server.connect();
    for id in 1..=100 {
        let body = json!({"id": id}).to_string();
        connection.send(&server.request("POST /mcp", &[], body.as_bytes()));
    }
    for id in 1..=100 {
        let (status, answer) = connection.answer();
        assert!(status == 400 && answer.contains(&format!("\"id\":{id},")), "{answer}");
    }
}

#[test]
fn a_client_that_does_not_read_is_let_go() {
    let server = hurried_server();
    let list = request(NEWER, 1, "tools/list", json!({})).to_string();
    let list = server.request("POST /mcp", &[], list.as_bytes());
    let connection = std::net::TcpStream::connect(server.address).unwrap();
    connection.set_nonblocking(true).unwrap();
    // More is asked for than all that is between the two could hold.
    while std::io::Write::write(&mut &connection, &list).is_ok() {}
    let mut gone = [PollFd::from_borrowed_fd(connection.as_fd(), PollFlags::RDHUP)];
    rustix::io::retry_on_intr(|| poll(&mut gone, None)).unwrap();
    assert!(!gone[0].revents().is_empty());
}

#[test]
fn who_wants_a_session_when_there_are_too_many_is_told() {
    let server = server();
    let mut sessions = Vec::new();
    for number in 0..MAX_SESSIONS {
        let (status, answer, id) = server.begin_session();
        assert_eq!(status, 200, "{number}: {answer}");
        sessions.extend(id);
    }
    let (status, answer, id) = server.begin_session();
    assert!(answer.contains("too many sessions are open: end one (DELETE)"), "{answer}");
    assert_eq!((status, id), (503, None));
    // Clients of the newer revision have none, and those who have one go on.
    let list = request(NEWER, 1, "tools/list", json!({})).to_string();
    assert_eq!(server.ask("POST /mcp", &[], &list).0, 200);
    let older = ("MCP-Protocol-Version", Some(OLDER));
    let one = [older, ("Mcp-Session-Id", sessions.first().map(String::as_str))];
    let ping = request(OLDER, 1, "ping", json!({})).to_string();
    assert_eq!(server.ask("POST /mcp", &one, &ping).0, 200);
    assert_eq!(server.ask("DELETE /mcp", &one, "").0, 204);
    assert_eq!(server.begin_session().0, 200);
}
