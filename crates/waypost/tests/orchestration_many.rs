//! Many writers at one session's agents, decisions and verdicts, and some that are killed: every one that was
//! acknowledged is there, once, in one order.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, NEWER, request};
use waypost_testkit::process::Watch;
use waypost_testkit::{TestEnv, everything};

const WRITERS: usize = 64;
const ROUNDS: usize = 4;
const SERVERS: usize = 8;

fn env() -> (TestEnv, String) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let session = env.start("Many agents");
    (env, session)
}

/// The texts below `key` of everything in a list, each of them once.
fn told(env: &TestEnv, args: &[&str], list: &str, key: &str) -> BTreeSet<String> {
    let told = env.json(&[args, &["--json"]].concat());
    let all = told[list].as_array().unwrap();
    let texts: BTreeSet<String> =
        all.iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect();
    assert_eq!(texts.len(), all.len(), "each of them once");
    texts
}

/// Everything that happened in a session is in one order, without a gap.
fn is_in_one_order(env: &TestEnv, session: &str) {
    let history = env.json(&["history", session, "--json"]);
    let seqs: Vec<u64> = history["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    let expected: Vec<u64> = (1..=u64::try_from(seqs.len()).unwrap()).collect();
    assert_eq!(seqs, expected);
    env.ok(&["verify", "--all"]);
}

fn expected(what: &str) -> BTreeSet<String> {
    let all = (0..WRITERS).flat_map(|writer| (0..ROUNDS).map(move |round| (writer, round)));
    all.map(|(writer, round)| format!("{what} {writer}-{round}")).collect()
}

#[test]
fn sixty_four_processes_lose_no_invocation_decision_or_verdict() {
    let (env, session) = env();
    let script = format!(
        "for i in $(seq 0 {last}); do \
           waypost agent invoke qa --prompt \"test $0-$i\" --session \"$1\" && \
           waypost decision record \"choice $0-$i\" --rationale r --session \"$1\" && \
           waypost verdict record security --decision approve --confidence 0.9 \
             --reasoning \"reason $0-$i\" --session \"$1\" || exit 1; \
         done >/dev/null",
        last = ROUNDS - 1
    );
    let shells: Vec<Child> = (0..WRITERS)
        .map(|shell| {
            env.command("bash", env.project())
                .args(["-c", &script, &shell.to_string(), &session])
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for shell in shells {
        let output = shell.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", everything(&output));
    }
    let of = |args: [&'static str; 2], list: &str, key: &str| {
        told(&env, &[args[0], args[1], &session], list, key)
    };
    assert_eq!(of(["agent", "list"], "invocations", "prompt"), expected("test"));
    assert_eq!(of(["decision", "list"], "decisions", "description"), expected("choice"));
    assert_eq!(of(["decision", "list"], "decisions", "id").len(), WRITERS * ROUNDS);
    assert_eq!(of(["verdict", "list"], "verdicts", "reasoning"), expected("reason"));
    is_in_one_order(&env, &session);
}

/// What a client answers to everything that was asked of it at once.
fn answers(client: &mut Client, asked: usize) -> Vec<Value> {
    let mut answers = Vec::new();
    while answers.len() < asked {
        let message = client.next_message();
        if message["id"].as_u64().is_some_and(|id| id >= 10_000) {
            assert_eq!(message["result"]["isError"], json!(false), "{message}");
            answers.push(message["result"]["structuredContent"].clone());
        }
    }
    answers
}

#[test]
fn sixty_four_calls_at_once_in_eight_servers_lose_nothing_either() {
    let (env, session) = env();
    let mut clients: Vec<Client> = (0..SERVERS).map(|_| Client::start(&env, NEWER, &[])).collect();
    let all: Vec<Value> = std::thread::scope(|scope| {
        let asking: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|(server, client)| {
                let session = &session;
                scope.spawn(move || {
                    let writers = WRITERS / SERVERS;
                    for (id, writer) in
                        (10_000..).zip((0..writers).map(|own| server * writers + own))
                    {
                        let own = format!("{writer}-0");
                        let (name, mut given) = match writer % 3 {
                            0 => ("agent_invoke", json!({"agent": "qa", "prompt": own})),
                            1 => (
                                "decision_record",
                                json!({"type": "scope", "description": own,
                                "rationale": "r", "decided_by": "architect"}),
                            ),
                            _ => (
                                "verdict_record",
                                json!({"agent": "security",
                                "decision": "reject", "confidence": 0.5, "reasoning": own}),
                            ),
                        };
                        given["session_id"] = json!(session);
                        let about = json!({"name": name, "arguments": given});
                        client.send(&request(NEWER, id, "tools/call", about));
                    }
                    answers(client, writers)
                })
            })
            .collect();
        asking.into_iter().flat_map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(all.len(), WRITERS);
    let mut ids = BTreeSet::new();
    for key in ["invocation", "decision_id", "verdict_id"] {
        ids.extend(all.iter().map(|told| told[key].to_string()).filter(|id| id != "null"));
    }
    assert_eq!(ids.len(), WRITERS, "every answer names another record");
    let prompts = told(&env, &["agent", "list", &session], "invocations", "prompt");
    let choices = told(&env, &["decision", "list", &session], "decisions", "description");
    let reasons = told(&env, &["verdict", "list", &session], "verdicts", "reasoning");
    let written: BTreeSet<String> = prompts.into_iter().chain(choices).chain(reasons).collect();
    assert_eq!(written, (0..WRITERS).map(|writer| format!("{writer}-0")).collect());
    is_in_one_order(&env, &session);
}

#[test]
fn of_two_who_decided_on_one_version_the_second_is_told_of_both() {
    let (env, session) = env();
    let mut client = Client::start(&env, NEWER, &[]);
    let version = client.works("session_get_state", json!({"session_id": session}));
    let version = version["version"].as_u64().unwrap();
    let invoke = |version: u64| json!({"agent": "qa", "prompt": "x", "session_id": session, "expected_version": version});
    let first = client.works("agent_invoke", invoke(version));
    let refused = client.call("agent_invoke", invoke(version));
    let error = &refused["structuredContent"]["error"];
    let actual = first["version"].as_u64().unwrap();
    assert!(actual > version);
    assert_eq!(error["kind"], "conflict");
    assert_eq!((&error["expected"], &error["actual"]), (&json!(version), &json!(actual)));
    let prompts = env.json(&["agent", "list", &session, "--json"]);
    assert_eq!(prompts["invocations"].as_array().unwrap().len(), 1, "it was not tried again");
}

#[test]
fn whoever_is_killed_while_history_is_compacted_loses_nothing_that_was_acknowledged() {
    let (env, session) = env();
    let folder = env.store().join("sessions").join(&session);
    let invoke = |text: &str| {
        env.command(env.binary(), env.project())
            .args(["agent", "invoke", "qa", "--prompt", text, "--session", &session])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let (mut acknowledged, mut tried) = (BTreeSet::new(), BTreeSet::new());
    let mut number = 0;
    for round in 0..24 {
        // Seven that nobody disturbs: the eighth is the one that compacts, again and again.
        for _ in 0..7 {
            let text = format!("whole {number}");
            number += 1;
            assert!(invoke(&text).wait().unwrap().success());
            acknowledged.insert(text);
        }
        let text = format!("killed {round}");
        tried.insert(text.clone());
        let watch = Watch::on(&[&folder]);
        let mut child = invoke(&text);
        watch.wait(1 + round % 8, &child);
        // It may be over by then.
        let _ = child.kill();
        if child.wait().unwrap().success() {
            acknowledged.insert(text);
        }
    }
    let prompts = told(&env, &["agent", "list", &session], "invocations", "prompt");
    assert!(acknowledged.is_subset(&prompts), "{:?}", acknowledged.difference(&prompts));
    let more: BTreeSet<&String> = prompts.difference(&acknowledged).collect();
    assert!(more.iter().all(|text| tried.contains(*text)), "{more:?}");
    is_in_one_order(&env, &session);
    let events = env.event_types_of(&session);
    assert!(events.iter().filter(|event| *event == "history_compacted").count() >= 10);
}
