//! The pages over HTTP: who may open them, what they tell programs, and what can be done from them. How they look and change
//! in a browser is tested with a real one (`scripts/test-dashboard`).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::process::Stdio;

use serde_json::{Value, json};
use waypost_testkit::serve::Server;
use waypost_testkit::{TestEnv, everything};

const ASKS: &str = "[[gate]]\nid = \"deploy\"\nbefore = [\"edit\"]\nproof = { approval = \"local\", ttl = \"1h\" }\nmessage = \"Deploys wait for a person.\"\n";

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A server beside a session whose edits wait for an approval, and that session's id.
fn waiting() -> (Server, String) {
    let env = env();
    env.init_with(ASKS);
    let session = env.start("Deploy <b>it</b>");
    env.begin();
    assert!(env.before_edit(&env.project().join("src/lib.txt")).denied().is_some());
    (Server::of(env), session)
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

fn told(answer: &str) -> Value {
    serde_json::from_str(body(answer)).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// The inbox, once something waits in it: the server looks in the background.
fn inbox(server: &Server) -> Value {
    loop {
        let (status, answer) = server.ask("GET /api", &[], "");
        assert_eq!(status, 200, "{answer}");
        let told = told(&answer);
        let is_whole = |one: &Value| one["project_id"].is_string();
        if told["waiting"].as_array().is_some_and(|all| all.iter().any(is_whole)) {
            return told;
        }
        std::thread::yield_now();
    }
}

/// What a form of the inbox asks to be done.
fn offered(server: &Server) -> Value {
    let inbox = inbox(server);
    let waiting = &inbox["waiting"][0];
    assert_eq!(waiting["state"], "approval", "{inbox}");
    let offer = &waiting["offers"][0];
    assert!(offer["text"].as_str().unwrap().contains("Deploys wait for a person."), "{offer}");
    json!({
        "project": waiting["project_id"],
        "session": waiting["session_id"],
        "gate": offer["gate"],
        "shown": offer["hash"],
    })
}

fn form(fields: &Value, more: &[(&str, &str)]) -> String {
    let fields = fields.as_object().unwrap();
    let own = fields.iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap()));
    own.chain(more.iter().map(|(name, value)| format!("{name}={value}")))
        .collect::<Vec<_>>()
        .join("&")
}

#[test]
fn the_link_opens_the_pages_and_then_a_cookie_does() {
    let server = Server::start(env());
    let no_token = ("Authorization", None);
    let (status, page) = server.ask("GET /", &[no_token, ("Accept", Some("text/html"))], "");
    assert!(status == 401 && page.contains("Open the link with the token"), "{page}");
    assert_eq!(server.ask("GET /api", &[no_token], "").0, 401);
    let (status, _) = server.ask("GET /?token=wrong", &[no_token], "");
    assert_eq!(status, 401);
    let line = format!("GET /?a=1&token={}", server.token);
    let (status, answer) = server.ask(&line, &[no_token], "");
    assert_eq!(status, 303, "{answer}");
    let header = |name: &str| {
        let lines = answer.lines().find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then(|| value.to_owned())
        });
        lines.unwrap_or_else(|| panic!("no {name}: {answer}"))
    };
    assert_eq!(header("location"), "/?a=1");
    let cookie = header("set-cookie");
    assert!(
        cookie.contains("HttpOnly; SameSite=Strict") && !cookie.contains(&server.token),
        "{cookie}"
    );
    let kept = cookie.split(';').next().unwrap();
    let by_cookie = [no_token, ("Cookie", Some(kept))];
    let (status, page) = server.ask("GET /", &by_cookie, "");
    assert!(status == 200 && page.contains("<h1>Inbox</h1>"), "{page}");
    for rule in [
        "default-src 'none'",
        "script-src 'self'",
        "x-content-type-options: nosniff",
        "referrer-policy: same-origin",
    ] {
        assert!(page.contains(rule), "{rule}: {page}");
    }
    assert_eq!(server.ask("POST /mcp", &by_cookie, "{}").0, 401, "that is for who has the token");
    assert_eq!(server.ask("GET /nothing", &by_cookie, "").0, 404);
    assert_eq!(server.ask("DELETE /", &by_cookie, "").0, 405);
}

#[test]
fn programs_are_told_what_pages_show_and_what_they_know_is_not_sent_again() {
    let (server, session) = waiting();
    let inbox = inbox(&server);
    assert_eq!(inbox["waiting"][0]["session_id"], session.as_str(), "{inbox}");
    let (_, page) = server.ask("GET /", &[], "");
    assert!(page.contains("Deploy &lt;b&gt;it&lt;/b&gt;") && !page.contains("<b>it</b>"), "{page}");
    let (_, answer) = server.ask("GET /api/openapi.json", &[], "");
    let api = told(&answer);
    assert_eq!(api["paths"]["/api"]["get"]["operationId"], "inbox");
    assert!(api["paths"]["/api/do/approve"]["post"].is_object(), "{api}");
    let tag = answer.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().trim();
    let (status, again) = server.ask("GET /api/openapi.json", &[("If-None-Match", Some(tag))], "");
    assert!(status == 304 && body(&again).is_empty(), "{again}");
}

/// Every action of the pages, with all that it would need to be done.
fn everything_that_pages_do(offered: &Value) -> Vec<(String, Value)> {
    let of = |more: Value| {
        let mut all = json!({"project": offered["project"], "session": offered["session"]});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let all = [
        ("approve", offered.clone()),
        ("archive", of(json!({"reason": "not needed"}))),
        ("note", of(json!({"text": "a person said so"}))),
        ("onboard", json!({"path": "/"})),
        ("pause", of(json!({"reason": "later"}))),
        ("put_away", of(json!({}))),
        ("rename", of(json!({"name": "Mine"}))),
        ("resume", of(json!({}))),
        ("scan", json!({})),
        ("switch", json!({"project": offered["project"]})),
        ("take_out", of(json!({}))),
    ];
    all.map(|(name, asked)| (name.to_owned(), asked)).into()
}

#[test]
fn an_agent_that_has_the_token_does_nothing_that_pages_do() {
    let (server, session) = waiting();
    let asked = offered(&server);
    let all = everything_that_pages_do(&asked);
    let (_, api) = server.ask("GET /api/openapi.json", &[], "");
    let api = told(&api);
    let known = api["paths"].as_object().unwrap().keys();
    let mut known: Vec<&str> = known.filter_map(|path| path.strip_prefix("/api/do/")).collect();
    known.sort_unstable();
    assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), known);
    let records = || std::fs::read_to_string(server.env.log_of(&session)).unwrap();
    let listed = || told(&server.ask("GET /api/projects", &[], "").1);
    let names =
        |listed: &Value| (listed["projects"][0]["name"].clone(), listed["archived"].clone());
    // This test is the harness of a conversation that runs: whatever it asks, an agent asks.
    let (recorded, shown) = (records(), names(&listed()));
    for (name, asked) in &all {
        let line = format!("POST /api/do/{name}");
        let (status, answer) = server.ask(&line, &[], &asked.to_string());
        assert!(status == 404 && answer.contains("for people"), "{name}: {answer}");
    }
    assert_eq!((records(), names(&listed())), (recorded, shown.clone()));
    server.env.hook("SessionEnd", &json!({"reason": "exit"}));
    let recorded = records();
    for (name, asked) in &all {
        let answer = asked_by_an_agent(&server, name, asked);
        assert!(answer.contains("for people") && answer.contains("AI_AGENT"), "{name}: {answer}");
    }
    assert_eq!((records(), names(&listed())), (recorded, shown));
}

/// What a program is told that is started as agents start theirs, and has the token.
fn asked_by_an_agent(server: &Server, action: &str, asked: &Value) -> String {
    let port = server.address.port();
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'POST /api/do/{action} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nAuthorization: Bearer {}\\r\\nContent-Type: application/json\\r\\nConnection: close\\r\\nContent-Length: %s\\r\\n\\r\\n%s' \"${{#ASKED}}\" \"$ASKED\" >&3; cat <&3",
        server.token
    );
    let mut command = server.env.command("bash", server.env.project());
    command.args(["-c", &script]).env("ASKED", asked.to_string()).env("AI_AGENT", "1");
    everything(&command.stderr(Stdio::piped()).output().unwrap())
}

#[test]
fn a_person_approves_exactly_what_was_shown() {
    let (server, session) = waiting();
    let asked = offered(&server);
    server.env.hook("SessionEnd", &json!({"reason": "exit"}));
    let browser = server.open();
    let (status, _) = browser.send_as("approve", &form(&asked, &[]), Some(&browser.cookie));
    assert_eq!(status, 403, "no form of ours asked for it");
    let mut other = asked.clone();
    other["shown"] = json!("0".repeat(64));
    let (status, answer) = browser.send("approve", &form(&other, &[]));
    assert!(status == 404 && answer.contains("not what was shown"), "{answer}");
    let (status, answer) = browser.send("approve", &form(&asked, &[("back", "//evil.example")]));
    assert_eq!(status, 303, "{answer}");
    assert!(answer.lines().any(|line| line == "location: /"), "{answer}");
    let log = std::fs::read_to_string(server.env.log_of(&session)).unwrap();
    let mark = log
        .lines()
        .find(|line| line.contains("\"gate_marked\""))
        .unwrap_or_else(|| panic!("{log}"));
    assert!(
        mark.contains(asked["shown"].as_str().unwrap()) && mark.contains("\"approved\""),
        "{mark}"
    );
    server.env.begin();
    assert_eq!(server.env.before_edit(&server.env.project().join("src/lib.txt")).denied(), None);
}
