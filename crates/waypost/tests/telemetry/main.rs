//! What happens gets to a collector of OpenTelemetry: every ruling once, whatever the collector does meanwhile, from each
//! program that sends, and nothing of it to one that no human said yes to.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod collector;

use std::net::TcpListener;
use std::process::Output;

use rustix::process::Signal;
use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, NEWER};
use waypost_testkit::serve::Server;
use waypost_testkit::{GATE, TestEnv, everything};

use collector::{Collector, Does, attribute};

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A gate, and a collector at an address.
fn config(url: &str, more: &str) -> String {
    format!("{GATE}\n[telemetry]\notlp = \"{url}\"\n{more}\n")
}

/// A project whose human said that what happens may be sent to the collector.
fn sending_to(collector: &Collector, more: &str) -> TestEnv {
    let env = env();
    env.init_with(&config(&collector.url(), more));
    trust(&env);
    env
}

/// A human says yes to the file as it is.
fn trust(env: &TestEnv) {
    let (done, told) = env.as_person(&["trust", "config"]);
    assert!(done, "{told}");
}

/// The agent changes a file, and is held at the end of its turn.
fn held(env: &TestEnv, content: &str) {
    env.hook("UserPromptSubmit", &json!({"prompt": "go"}));
    env.edit("src/lib.txt", content);
    assert!(env.stop().held().is_some());
}

/// The ids of all rulings, in their order.
fn rulings(env: &TestEnv) -> Vec<String> {
    let history = env.json(&["history", "--json"]);
    let events = history["events"].as_array().unwrap().iter().map(|entry| &entry["event"]);
    let rulings = events.filter(|event| event["type"] == "ruling_made");
    rulings.map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

/// Sends what waits, with limits that a test can wait for.
fn flush(env: &TestEnv, args: &[&str]) -> Output {
    let mut command = env.command(env.binary(), env.project());
    command.args(["telemetry", "flush"]).args(args).output().unwrap()
}

fn failed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", everything(output));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_ruling_is_sent_once_with_the_call_that_it_is_about() {
    let collector = Collector::new();
    let env = sending_to(&collector, "");
    env.begin();
    held(&env, "two\n");
    assert!(env.before_bash("git commit -qam x", "toolu_7").denied().is_some());
    assert!(!env.store().join("outbox/locks").exists());
    let sent = env.json(&["telemetry", "flush", "--json"]);
    assert_eq!((&sent["waiting"], &sent["refused"]), (&json!(0), &json!(0)), "{sent}");
    let expected = rulings(&env);
    assert_eq!(expected.len(), 2);
    assert_eq!(collector.rulings(), expected);
    let commit = &collector.logs("waypost.ruling")[1];
    let text = |key: &str| attribute(commit, key)["stringValue"].clone();
    assert_eq!(text("tool_use_id"), "toolu_7");
    assert_eq!(text("waypost.ruling.outcome"), "deny");
    assert_eq!(text("waypost.harness"), "claude-code");
    assert_eq!(text("gen_ai.conversation.id"), "s1");
    let again = env.json(&["telemetry", "flush", "--json"]);
    assert_eq!(again["sent"], 0);
    assert_eq!(collector.rulings(), expected);
    // What was written freely stays here.
    let all = format!("{:?}", collector.got());
    for free in
        ["src/lib.txt", "Run the checks after", "git commit", env.project().to_str().unwrap()]
    {
        assert!(!all.contains(free), "{free}");
    }
}

#[test]
fn a_collector_that_is_down_in_every_way_gets_every_ruling_once_and_in_order_afterwards() {
    let collector = Collector::new();
    let mut env = sending_to(&collector, "");
    env.begin();
    held(&env, "first\n");
    env.ok(&["telemetry", "flush"]);
    for (number, down) in [
        Does::Answer("503 Service Unavailable", "Retry-After: 3600"),
        Does::Answer("429 Too Many Requests", "X: y"),
        Does::Answer("500 Internal Server Error", "X: y"),
        Does::Answer("404 Not Found", "X: y"),
    ]
    .into_iter()
    .enumerate()
    {
        held(&env, &format!("{number}\n"));
        collector.does(down);
        let told = failed(&flush(&env, &[]));
        assert!(told.contains("answers") && told.contains("wait"), "{told}");
    }
    // One that never answers is given up on; meanwhile hooks go on as ever.
    collector.does(Does::Hang);
    env.vars.push(("WAYPOST_TEST_LIMITS".to_owned(), "0.02".to_owned()));
    let told = failed(&flush(&env, &[]));
    assert!(told.contains("no answer in time"), "{told}");
    env.vars.clear();
    held(&env, "while it hangs\n");
    let status = env.json(&["telemetry", "status", "--json"]);
    let logs = &status["parts"][0];
    assert_eq!((&status["state"], &logs["signals"]), (&json!("on"), &json!("logs")));
    assert_eq!(logs["failures"], 5, "{status}");
    assert!(logs["waiting"].as_u64().unwrap() > 5 && logs["next_try"].is_string(), "{status}");
    assert!(logs["error"].as_str().unwrap().contains("/v1/logs"), "{status}");
    let doctor = env.waypost(&["doctor"]);
    assert!(everything(&doctor).contains("no answer in time"), "{}", everything(&doctor));
    collector.does(Does::Take);
    env.ok(&["telemetry", "flush"]);
    assert_eq!(collector.rulings(), rulings(&env));
    assert_eq!(env.json(&["telemetry", "status", "--json"])["parts"][0]["failures"], 0);
}

#[test]
fn a_collector_that_is_not_there_is_told_and_nothing_is_lost() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let env = env();
    env.init_with(&config(&format!("http://{nobody}"), ""));
    trust(&env);
    env.begin();
    held(&env, "two\n");
    let output = flush(&env, &[]);
    let told = failed(&output);
    assert!(told.contains("cannot be reached") && told.contains("nothing is lost"), "{told}");
    let output = flush(&env, &["--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && json["waiting"].as_u64() > Some(0), "{json}");
    // Another collector is told all that happened since a human said yes for the first time.
    let collector = Collector::new();
    env.write("waypost.toml", &config(&collector.url(), ""));
    trust(&env);
    held(&env, "three\n");
    env.ok(&["telemetry", "flush"]);
    assert_eq!(collector.rulings(), rulings(&env));
}

#[test]
fn nothing_is_sent_where_no_human_said_yes_to_the_file_as_it_is() {
    let collector = Collector::new();
    let env = env();
    env.init_with(&config(&collector.url(), ""));
    env.begin();
    held(&env, "two\n");
    let untrusted = || {
        let told = failed(&flush(&env, &[]));
        assert!(told.contains("waypost trust config"), "{told}");
        let status = env.json(&["telemetry", "status", "--json"]);
        assert_eq!(status["state"], "untrusted", "{status}");
        let doctor = env.waypost(&["doctor"]);
        assert!(everything(&doctor).contains("nothing is sent to"), "{}", everything(&doctor));
    };
    untrusted();
    assert!(collector.got().is_empty());
    trust(&env);
    env.ok(&["telemetry", "flush"]);
    let count = collector.got().len();
    assert!(count > 0);
    env.write("waypost.toml", &config(&collector.url(), "content = true"));
    untrusted();
    assert_eq!(collector.got().len(), count);
}

#[test]
fn what_happened_before_is_sent_if_asked_for_and_once() {
    let collector = Collector::new();
    let mut env = env();
    env.init();
    env.begin();
    held(&env, "old\n");
    env.time = "2026-11-15T13:00:00.000Z".to_owned();
    env.write("waypost.toml", &config(&collector.url(), ""));
    trust(&env);
    held(&env, "new\n");
    env.ok(&["telemetry", "flush"]);
    let all = rulings(&env);
    assert_eq!((all.len(), collector.rulings()), (2, vec![all[1].clone()]));
    for _ in 0..2 {
        env.ok(&["telemetry", "flush", "--all"]);
        assert_eq!(collector.rulings(), [all[1].clone(), all[0].clone()]);
    }
}

#[test]
fn content_is_sent_only_if_asked_for_and_headers_come_from_the_environment() {
    let collector = Collector::new();
    let headers = "content = true\nheaders = { authorization = \"env:MY_TOKEN\" }";
    let mut env = sending_to(&collector, headers);
    env.ok(&["start", "--objective", "Add login with password=hunter2hunter2 soon"]);
    env.begin();
    held(&env, "two\n");
    let told = failed(&flush(&env, &[]));
    assert!(told.contains("the variable MY_TOKEN is not set"), "{told}");
    assert!(collector.got().is_empty());
    env.vars.push(("MY_TOKEN".to_owned(), "Bearer s3cr3t-t0ken".to_owned()));
    let output = flush(&env, &[]);
    assert!(output.status.success(), "{}", everything(&output));
    let got = collector.got();
    assert!(
        got.iter().all(|one| one.head.to_lowercase().contains("bearer s3cr3t-t0ken")),
        "{got:?}"
    );
    let bodies: String = got.iter().map(|one| one.body.to_string()).collect();
    assert!(bodies.contains("Run the checks after your last change."), "{bodies}");
    assert!(bodies.contains("Add login with") && !bodies.contains("hunter2"), "{bodies}");
    let status = everything(&env.waypost(&["telemetry", "status"]));
    assert!(!(everything(&output) + &status).contains("s3cr3t"));
    // Nor is the value in anything that is kept.
    for kept in std::fs::read_dir(env.store().join("outbox")).unwrap().flatten() {
        for file in std::fs::read_dir(kept.path()).unwrap().flatten() {
            assert!(!std::fs::read_to_string(file.path()).unwrap().contains("s3cr3t"));
        }
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let (first, second) = (Collector::new(), Collector::new());
    let env = sending_to(&first, "");
    env.begin();
    held(&env, "two\n");
    let location = format!("Location: {}/v1/logs", second.url());
    first.does(Does::Answer("307 Temporary Redirect", location.leak()));
    let told = failed(&flush(&env, &[]));
    assert!(told.contains("307") && told.contains("name the address"), "{told}");
    assert!(second.got().is_empty());
}

#[test]
fn a_conversation_joins_the_trace_that_its_client_works_in() {
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let collector = Collector::new();
    let mut env = sending_to(&collector, "");
    env.vars.push(("TRACEPARENT".to_owned(), format!("00-{trace}-00f067aa0ba902b7-01")));
    env.begin();
    env.vars.clear();
    held(&env, "two\n");
    env.hook("SessionEnd", &json!({"reason": "exit"}));
    env.ok(&["telemetry", "flush"]);
    assert_eq!(collector.logs("waypost.ruling")[0]["traceId"], trace);
    let spans = collector.spans();
    let span = spans.iter().find(|span| span["name"] == "conversation claude-code").unwrap();
    assert_eq!(
        (&span["traceId"], &span["parentSpanId"]),
        (&json!(trace), &json!("00f067aa0ba902b7"))
    );
}

#[test]
fn a_run_is_a_span() {
    let collector = Collector::new();
    let env = sending_to(&collector, "");
    env.start("Add login");
    env.ok(&["run", "--", "./check.sh"]);
    env.ok(&["end"]);
    env.ok(&["telemetry", "flush"]);
    let spans = collector.spans();
    let names: Vec<&Value> = spans.iter().map(|span| &span["name"]).collect();
    assert_eq!(names, ["run check.sh", "session"]);
    assert_eq!(attribute(&spans[0], "waypost.provenance"), json!({"stringValue": "verified"}));
    assert_eq!(spans[0]["parentSpanId"], spans[1]["spanId"]);
}

/// Servers look at the streams often enough for a test, and try again at once.
fn often(env: &mut TestEnv) {
    env.vars.push(("WAYPOST_TEST_TELEMETRY_MS".to_owned(), "5".to_owned()));
}

#[test]
fn mcp_servers_send_what_hooks_record_while_the_collector_comes_and_goes() {
    let collector = Collector::new();
    let mut env = sending_to(&collector, "");
    often(&mut env);
    env.begin();
    // Two at once send nothing twice.
    let clients = [(); 2].map(|()| Client::start(&env, NEWER, &[]));
    held(&env, "first\n");
    collector.wait_for_rulings(1);
    for (number, down) in
        [Does::Answer("503 Service Unavailable", "X: y"), Does::Answer("500 Oops", "X: y")]
            .into_iter()
            .enumerate()
    {
        collector.does(down);
        collector.forget();
        held(&env, &format!("{number}\n"));
        while collector.next().path != "/v1/logs" {}
        collector.does(Does::Take);
        collector.wait_for_rulings(2 + number);
    }
    for client in clients {
        assert_eq!(client.end(), Some(0));
    }
    env.ok(&["telemetry", "flush"]);
    assert_eq!(collector.rulings(), rulings(&env));
}

#[test]
fn a_server_ends_at_once_though_the_collector_never_answers() {
    let collector = Collector::new();
    let mut env = sending_to(&collector, "");
    often(&mut env);
    env.begin();
    collector.does(Does::Hang);
    let client = Client::start(&env, NEWER, &[]);
    held(&env, "two\n");
    collector.next();
    // Hooks and commands do not wait for it either; the limits of this process are hours.
    held(&env, "three\n");
    assert_eq!(client.end(), Some(0));
    collector.does(Does::Take);
    env.ok(&["telemetry", "flush"]);
    assert_eq!(collector.rulings(), rulings(&env));
}

#[test]
fn serve_sends_too_and_from_when_a_human_says_yes() {
    let collector = Collector::new();
    let mut env = env();
    often(&mut env);
    let server = Server::start(env);
    let env = &server.env;
    env.write("waypost.toml", &config(&collector.url(), ""));
    env.begin();
    held(env, "two\n");
    assert!(collector.got().is_empty());
    trust(env);
    collector.wait_for_rulings(1);
    held(env, "three\n");
    collector.wait_for_rulings(2);
    let expected = rulings(env);
    assert_eq!(collector.rulings(), expected);
    assert_eq!(server.end(Signal::TERM), Some(0));
}
