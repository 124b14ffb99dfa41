//! Messages that are none, or too much: each is answered, and the same connection goes on.

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER, OLDER, request};
use waypost_testkit::serve::Server;

/// A message may have this many bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// What a server may take at most while somebody sends it ten times as much as it takes.
const MAX_MEMORY_KB: u64 = 96 * 1024;

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

fn project() -> TestEnv {
    let env = env();
    env.init();
    env.start("Add login");
    env
}

/// Messages that are none, with the code and the id of their answers.
fn broken() -> Vec<(Vec<u8>, i64, Value)> {
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"deep\",\"x\":{}", "[".repeat(100_000));
    let zeros = vec!["0"; 200_000].join(",");
    let many =
        format!("{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[{zeros}],\"id\":\"many\"}}");
    let texts = [
        ("hello", -32700, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"cut\",\"method\":", -32700, json!("cut")),
        (&deep, -32700, json!("deep")),
        ("7", -32600, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"mute\"}", -32600, json!("mute")),
        ("{\"id\":\"old\",\"method\":\"ping\"}", -32600, json!("old")),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600, Value::Null),
        (&many, -32600, json!("many")),
    ];
    let texts = texts.map(|(text, code, id)| (text.as_bytes().to_vec(), code, id));
    let no_text = b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\",\"id\":\"bytes\"}".to_vec();
    texts.into_iter().chain([(no_text, -32700, json!("bytes"))]).collect()
}

/// A request that is too long, as clients write it whose ids come last.
fn too_long(bytes: usize, id: &str) -> Vec<u8> {
    let text = "x".repeat(bytes);
    format!("{{\"method\":\"ping\",\"params\":{{\"x\":\"{text}\"}},\"jsonrpc\":\"2.0\",\"id\":\"{id}\"}}")
        .into_bytes()
}

/// The most memory that a process ever had, in KB.
#[expect(clippy::unwrap_used, reason = "a test that cannot look at its server has failed")]
fn most_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn whatever_a_client_writes_is_answered_and_the_next_request_too() {
    let env = project();
    for revision in [OLDER, NEWER] {
        let mut client = Client::start(&env, revision, &[]);
        // On the newer revision these are the first that the server hears.
        for (mut line, code, id) in broken() {
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
            line.push(b'\n');
            client.send_bytes(&line);
            let answer = client.next_message();
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{shown}");
            assert!(answer["error"]["message"].as_str().unwrap().len() > 20, "{answer}");
            client.works("session_get_state", json!({}));
        }
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn a_line_that_is_too_long_is_answered_and_never_kept() {
    let env = project();
    let mut client = Client::start(&env, OLDER, &[]);
    let mut line = too_long(10 * MAX_BYTES, "long");
    line.push(b'\n');
    client.send_bytes(&line);
    let answer = client.next_message();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!("long")));
    assert!(answer["error"]["message"].as_str().unwrap().contains("16 MB"), "{answer}");
    client.works("session_get_state", json!({}));
    let most = most_memory(client.process());
    assert!(most < MAX_MEMORY_KB, "{most} KB");
}

#[test]
fn a_line_without_an_end_is_answered_while_it_is_waited_for() {
    let mut env = project();
    env.vars.push(("WAYPOST_TEST_LIMITS".into(), "0.01".into()));
    let mut client = Client::start(&env, NEWER, &[]);
    client.send_bytes(&vec![b'x'; MAX_BYTES + 1]);
    let answer = client.next_message();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    client.send_bytes(b"\n");
    client.result("ping", json!({}));
}

#[test]
fn the_last_line_needs_no_end() {
    let env = project();
    for (line, expected) in [
        (request(NEWER, 1, "ping", json!({})).to_string(), "result"),
        ("hello".to_owned(), "error"),
    ] {
        let mut client = Client::start(&env, NEWER, &[]);
        client.send_bytes(line.as_bytes());
        client.send_no_more();
        let answer = client.next_message();
        assert!(answer.get(expected).is_some(), "{line}: {answer}");
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn what_is_said_before_anything_is_asked_ends_nothing() {
    let env = project();
    let mut client = Client::start(&env, NEWER, &[]);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    client.result("ping", json!({}));
}

#[test]
fn a_text_that_was_cut_in_a_character_is_taken() {
    let env = project();
    let mut client = Client::start(&env, NEWER, &[]);
    let given = json!({"kind": "note", "text": "cut <CUT>"});
    let params = json!({"name": "session_add_note", "arguments": given});
    let line = request(NEWER, 1, "tools/call", params).to_string().replace("<CUT>", "\\ud83d");
    client.send_bytes(format!("{line}\n").as_bytes());
    let answer = client.next_message();
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    let shown = client.works("session_show", json!({}));
    assert_eq!(shown["notes"][0]["text"], "cut \u{fffd}", "{shown}");
}

fn state(id: u64) -> Vec<u8> {
    let params = json!({"name": "session_get_state", "arguments": {}});
    request(NEWER, id, "tools/call", params).to_string().into_bytes()
}

#[test]
fn whatever_is_posted_is_answered_and_the_connection_goes_on() {
    let server = Server::start(env());
    let mut connection = server.connect();
    for (body, code, id) in broken() {
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        connection.send(&server.request("POST /mcp", &[], &body));
        let (status, answer) = connection.answer();
        assert_eq!(status, 400, "{shown}: {answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{shown}");
    }
    connection.send(&server.request("POST /mcp", &[("Connection", Some("close"))], &state(1)));
    let (status, answer) = connection.everything();
    assert!(status == 200 && answer.contains("Add login"), "{answer}");
}

#[test]
fn a_body_that_is_too_long_is_answered_and_never_kept() {
    let server = Server::start(env());
    let mut connection = server.connect();
    connection.send(&server.request("POST /mcp", &[], &too_long(7 * MAX_BYTES, "long")));
    let (status, answer) = connection.answer();
    assert_eq!(status, 413, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!("long")));
    // Its length was not told, and it has no end.
    let chunked = [("Content-Length", None), ("Transfer-Encoding", Some("chunked"))];
    connection.send(&server.request("POST /mcp", &chunked, b""));
    let chunk = [b"100000\r\n", vec![b'x'; 0x10_0000].as_slice(), b"\r\n"].concat();
    (0..100).for_each(|_| connection.send(&chunk));
    let mut other = server.connect();
    other.send(&server.request("POST /mcp", &[("Connection", Some("close"))], &state(1)));
    assert_eq!(other.everything().0, 200);
    let most = most_memory(server.process());
    assert!(most < MAX_MEMORY_KB, "{most} KB");
}

#[test]
fn a_body_that_was_cut_in_a_character_is_taken() {
    let server = Server::start(env());
    let given = json!({"kind": "note", "text": "cut <CUT>"});
    let params = json!({"name": "session_add_note", "arguments": given});
    let body = request(NEWER, 1, "tools/call", params).to_string();
    let headers = [("Mcp-Method", Some("tools/call")), ("Mcp-Name", Some("session_add_note"))];
    let (status, answer) = server.ask("POST /mcp", &headers, &body.replace("<CUT>", "\\ud83d"));
    assert!(status == 200 && !answer.contains("isError\":true"), "{answer}");
    let history = server.env.ok(&["history"]);
    assert!(history.contains("cut \u{fffd}"), "{history}");
}
