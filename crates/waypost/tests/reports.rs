//! The pages about cost, claims and health, beside the commands that tell the same; and `waypost up`, which leads there.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use waypost_testkit::serve::Server;
use waypost_testkit::{TestEnv, everything};

const ID: &str = "31569691-e4d9-4215-a79c-1f052ae3b831";

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

fn transcript(env: &TestEnv) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = env.project().to_string_lossy().chars().map(plain).collect();
    env.home().join(".claude/projects").join(name).join(format!("{ID}.jsonl"))
}

fn keep(env: &TestEnv, lines: &[Value]) {
    let file = transcript(env);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(file, lines.join("\n") + "\n").unwrap();
}

fn said(env: &TestEnv, time: &str, id: &str, model: &str, text: &str) -> Value {
    json!({"type": "assistant", "timestamp": time, "cwd": env.project(), "parentUuid": null, "sessionId": ID,
        "message": {"id": id, "model": model, "role": "assistant", "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 1000, "output_tokens": 200, "cache_read_input_tokens": 30_000}}})
}

fn kept(env: &TestEnv) -> Vec<Value> {
    vec![
        said(env, "2026-11-10T10:00:00Z", "m1", "claude-opus-4-5-20251101", "Looking."),
        said(env, "2026-11-12T10:00:00Z", "m2", "<b>wild</b>", "All tests pass now."),
    ]
}

/// What a page tells programs, once it tells what is waited for: answers are found in the background.
fn told(server: &Server, path: &str, is_there: impl Fn(&Value) -> bool) -> Value {
    loop {
        let (status, answer) = server.ask(&format!("GET /api{path}"), &[], "");
        assert_eq!(status, 200, "{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let told: Value = serde_json::from_str(body).unwrap();
        if is_there(&told) {
            return told;
        }
        std::thread::yield_now();
    }
}

fn page(server: &Server, path: &str) -> String {
    let (status, page) = server.ask(&format!("GET {path}"), &[], "");
    assert_eq!(status, 200, "{page}");
    page
}

#[test]
fn the_page_about_cost_tells_what_the_command_tells() {
    let env = env();
    keep(&env, &kept(&env));
    let server = Server::start(env);
    for by in ["day", "week", "month", "block", "model", "project", "session", "phase", "agent"] {
        let command = server.env.json(&["cost", "--all", "--json", "--by", by]);
        let path = format!("/cost?since=all&by={by}");
        let told = told(&server, &path, |told| told["rows"].is_array());
        for name in ["total_usd", "tokens", "unknown_models", "messages", "prices_as_of"] {
            assert_eq!(told[name], command[name], "{by} {name}");
        }
        let sorted = |all: &Value| {
            let mut all = all["rows"].as_array().unwrap().clone();
            all.sort_by_key(|row| row["key"].to_string());
            all
        };
        for (own, other) in sorted(&told).iter().zip(sorted(&command)) {
            assert_eq!((&own["key"], &own["usd"]), (&other["key"], &other["usd"]), "{by}");
            assert_eq!(own["tokens"], other["tokens"], "{by}");
        }
        let page = page(&server, &path);
        assert!(page.contains("role=\"img\" aria-labelledby=\"cost-chart-title"), "{page}");
        assert!(page.contains("<code>&lt;b&gt;wild&lt;/b&gt;</code>"), "{page}");
        assert!(!page.contains("<b>wild") && !page.contains("style=\""), "{page}");
    }
    for wrong in ["by=nothing", "since=someday", "until=x", "page=x", "by=day&since=-5d"] {
        let (status, answer) = server.ask(&format!("GET /api/cost?{wrong}"), &[], "");
        assert_eq!(status, 400, "{wrong}: {answer}");
    }
    assert_eq!(server.ask("GET /api/cost?project=nobody", &[], "").0, 404);
}

#[test]
fn what_changes_in_a_transcript_changes_the_pages() {
    let env = env();
    keep(&env, &kept(&env));
    let server = Server::start(env);
    let first = told(&server, "/audit?since=all", |told| told["claims"].is_u64());
    let command = server.env.json(&["audit", "--all", "--json"]);
    for name in ["turns", "claims", "verified", "never_ran", "weeks", "worst", "conversations"] {
        assert_eq!(first[name], command[name], "{name}");
    }
    let shown = page(&server, "/audit?since=all");
    assert!(shown.contains("<blockquote>All tests pass now.</blockquote>"), "{shown}");
    let mut more = kept(&server.env);
    more.push(
        json!({"type": "user", "timestamp": "2026-11-13T10:00:00Z", "cwd": server.env.project(),
        "message": {"role": "user", "content": "again"}}),
    );
    more.push(said(&server.env, "2026-11-13T10:00:01Z", "m3", "wild", "It is fixed and tested."));
    keep(&server.env, &more);
    told(&server, "/audit?since=all", |told| told["claims"] == 2);
    told(&server, "/cost?since=all&by=day", |told| told["messages"] == 3);
}

#[test]
fn the_page_about_health_tells_what_the_doctor_says_and_who_called() {
    let env = env();
    env.init();
    env.begin();
    let server = Server::of(env);
    let told = told(&server, "/health-report", |told| {
        told["projects"].as_array().is_some_and(|all| {
            !all.is_empty() && all.iter().all(|one| one["health"]["findings"].is_array())
        }) && told["disk"].is_object()
    });
    let health = &told["projects"][0]["health"];
    let checks = |findings: &Value| -> Vec<String> {
        findings.as_array().unwrap().iter().map(|one| one["check"].to_string()).collect()
    };
    let doctor = server.env.waypost(&["doctor", "--json"]);
    let doctor: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    assert_eq!(checks(&health["findings"]), checks(&doctor["findings"]));
    assert_eq!(health["hooks"][0]["conversations"], 1, "{health}");
    assert!(health["record_bytes"].as_u64().unwrap() > 0, "{health}");
    let page = page(&server, "/health-report");
    assert!(page.contains("checks as they should be"), "{page}");
}

/// A server that was started with these words, what it said before its link, and the link.
struct Started {
    child: Child,
    before: String,
    link: String,
}

fn started(env: &TestEnv, words: &[&str]) -> Started {
    let mut command = env.command(env.binary(), env.project());
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut before, mut link) = (String::new(), String::new());
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    while !link.starts_with("http://") {
        before.push_str(&link);
        link.clear();
        assert_ne!(lines.read_line(&mut link).unwrap(), 0, "it ended: {before}");
    }
    Started { child, before, link }
}

impl Started {
    /// What it said to whoever started it, until it ended.
    fn end(mut self) -> String {
        self.child.kill().unwrap();
        everything(&self.child.wait_with_output().unwrap())
    }
}

#[test]
fn up_sets_up_what_is_not_and_leaves_what_is() {
    let env = env();
    fs::remove_file(env.project().join("waypost.toml")).unwrap_or_default();
    let first = started(&env, &["up", "--yes", "--bind", "127.0.0.1:0"]);
    assert!(first.before.contains("waypost.toml"), "{}", first.before);
    assert!(first.link.contains("/?token="), "{}", first.link);
    assert!(env.project().join("waypost.toml").is_file());
    first.end();
    let config = fs::read(env.project().join("waypost.toml")).unwrap();
    let again = started(&env, &["up", "--bind", "127.0.0.1:0"]);
    assert_eq!(again.before, "", "there is nothing to set up");
    let said = again.end();
    assert!(!said.contains("is not set up"), "{said}");
    assert_eq!(fs::read(env.project().join("waypost.toml")).unwrap(), config);
}

#[test]
fn up_says_what_it_would_do_where_nobody_can_be_asked() {
    let env = env();
    fs::remove_file(env.project().join("waypost.toml")).unwrap_or_default();
    let output = env.waypost(&["up", "--bind", "127.0.0.1:0"]);
    let said = everything(&output);
    assert_eq!(output.status.code(), Some(2), "there is no key yet: {said}");
    assert!(said.contains("is not set up") && said.contains("waypost up --yes"), "{said}");
    assert!(!env.project().join("waypost.toml").exists());
}

#[test]
fn whoever_serves_others_is_told_what_they_can_do() {
    let env = env();
    env.init();
    let open = started(&env, &["serve", "--bind", "0.0.0.0:0"]);
    let said = open.end();
    assert!(said.contains("whoever has the link can read all sessions and act as you"), "{said}");
    let own = started(&env, &["serve", "--bind", "127.0.0.1:0"]);
    let said = own.end();
    assert!(!said.contains("whoever has the link"), "{said}");
}
