//! `single_active`: one session of the project is active at a time.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::process::Stdio;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER};

const SINGLE: &str = "[project]\nsingle_active = true\n";
const SEVERAL: &str = "[project]\nsingle_active = false\n";

fn with(config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(config);
    env
}

fn shown(env: &TestEnv, id: &str) -> Value {
    env.json(&["show", id, "--json"])
}

fn lifecycle(env: &TestEnv, id: &str) -> String {
    shown(env, id)["lifecycle"].as_str().unwrap().to_owned()
}

fn lives(env: &TestEnv, ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| lifecycle(env, id)).collect()
}

/// Why a session rests, as its last pause says.
fn reason(env: &TestEnv, id: &str) -> String {
    let history = env.json(&["history", id, "--json"]);
    let mut events = history["events"].as_array().unwrap().iter().map(|entry| &entry["event"]);
    let pause = events.rfind(|event| event["type"] == "session_paused").unwrap();
    pause["reason"].as_str().unwrap().to_owned()
}

#[test]
fn beginning_a_session_pauses_the_other_one_and_says_so() {
    let env = with(SINGLE);
    let first = env.start("The first");
    let started = env.waypost(&["start", "--objective", "The second", "--json"]);
    let told = String::from_utf8(started.stderr).unwrap();
    let started: Value = serde_json::from_slice(&started.stdout).unwrap();
    let second = started["session_id"].as_str().unwrap();
    assert_eq!(lives(&env, &[&first, second]), ["paused", "active"]);
    assert!(told.contains(&format!("session {first} is paused")), "{told}");
    assert_eq!(started["others"], json!([]), "nothing else is active");
    assert!(reason(&env, &first).contains(second), "{}", reason(&env, &first));
    env.ok(&["verify", "--all"]);
}

#[test]
fn resuming_and_switching_do_the_same() {
    let env = with(SINGLE);
    let (first, second) = (env.start("The first"), env.start("The second"));
    env.ok(&["resume", &first]);
    assert_eq!(lives(&env, &[&first, &second]), ["active", "paused"]);
    let told = env.ok(&["switch", &second]);
    assert_eq!(lives(&env, &[&first, &second]), ["paused", "active"]);
    assert!(!told.contains("stays active"), "{told}");
    assert!(reason(&env, &first).contains(&second));
    // Whoever resumes what is active already pauses nobody.
    let before = shown(&env, &first)["version"].clone();
    env.ok(&["switch", &second]);
    assert_eq!(shown(&env, &first)["version"], before);
}

#[test]
fn what_agents_begin_and_resume_counts_alike() {
    let env = with(SINGLE);
    let first = env.start("A person's");
    let mut client = Client::start(&env, NEWER, &[]);
    let begun = client.works("session_start", json!({"objective": "An agent's"}));
    let own = begun["session_id"].as_str().unwrap().to_owned();
    assert_eq!(lives(&env, &[&first, &own]), ["paused", "active"]);
    assert!(begun["warnings"].to_string().contains(&first), "{begun}");
    let resumed = client.works("session_resume", json!({"session_id": first}));
    assert_eq!(lives(&env, &[&first, &own]), ["active", "paused"]);
    assert_eq!(resumed["left"], json!(own), "it left it, which paused it already");
    let third = env.start("A person's again");
    assert_eq!(lives(&env, &[&first, &own, &third]), ["paused", "paused", "active"]);
    let resumed = client.works("session_resume", json!({"session_id": own}));
    assert!(resumed["warnings"].to_string().contains(&third), "{resumed}");
    assert_eq!(lives(&env, &[&first, &own, &third]), ["paused", "active", "paused"]);
    client.works("session_pause", json!({"reason": "enough"}));
    let begun = client.works("session_start", json!({"objective": "Its next"}));
    assert_eq!((&begun["others"], &begun["warnings"]), (&json!([]), &json!([])), "{begun}");
}

#[test]
fn a_pinned_version_is_that_of_the_session_that_is_resumed() {
    let env = with(SINGLE);
    let (first, second) = (env.start("The first"), env.start("The second"));
    let mut client = Client::start(&env, NEWER, &[]);
    let version = shown(&env, &first)["version"].as_u64().unwrap();
    let late = json!({"session_id": first, "expected_version": version + 1});
    let refused = client.call("session_resume", late);
    assert_eq!(refused["structuredContent"]["error"]["kind"], "conflict", "{refused}");
    assert_eq!(lives(&env, &[&first, &second]), ["paused", "active"], "nothing has changed");
    client.works("session_resume", json!({"session_id": first, "expected_version": version}));
    assert_eq!(lives(&env, &[&first, &second]), ["active", "paused"]);
}

#[test]
fn an_unnamed_session_of_a_conversation_is_left_to_it() {
    let env = with(SINGLE);
    env.begin();
    let listed = env.json(&["list", "--json"]);
    let unnamed = listed[0]["session_id"].as_str().unwrap().to_owned();
    let named = env.start("A person's");
    assert_eq!(lives(&env, &[&unnamed, &named]), ["active", "active"]);
    env.edit("src/lib.txt", "two\n");
    assert_eq!(lifecycle(&env, &unnamed), "active");
}

#[test]
fn sessions_of_other_work_trees_are_paused_too() {
    let env = with(SINGLE);
    let here = env.start("Here");
    env.git_unasked(&["worktree", "add", "-q", "../second", "-b", "second"]);
    let second = env.project().parent().unwrap().join("second");
    env.ok_in(&second, &["start", "--objective", "There"]);
    assert_eq!(lifecycle(&env, &here), "paused");
}

#[test]
fn several_go_on_where_the_file_does_not_say_so() {
    for config in ["", SEVERAL] {
        let env = with(config);
        let (first, second) = (env.start("The first"), env.start("The second"));
        env.ok(&["resume", &first]);
        assert_eq!(lives(&env, &[&first, &second]), ["active", "active"]);
    }
}

#[test]
fn what_was_left_active_by_somebody_who_was_killed_is_paused_by_the_next() {
    for next in ["start", "resume", "switch"] {
        let env = with(SEVERAL);
        // The same as somebody leaves who was killed before the others were paused.
        let (first, second, third) = (env.start("One"), env.start("Two"), env.start("Three"));
        env.write("waypost.toml", SINGLE);
        let active = if next == "start" {
            env.start("Four")
        } else {
            env.ok(&[next, &first]);
            first.clone()
        };
        for id in [&first, &second, &third, &active] {
            let expected = if *id == active { "active" } else { "paused" };
            assert_eq!(lifecycle(&env, id), expected, "{next}");
        }
    }
}

#[test]
fn of_many_that_are_begun_at_once_one_stays_active() {
    let env = with(SINGLE);
    let begun: Vec<_> = (0..8)
        .map(|number| {
            let mut command = env.command(env.binary(), env.project());
            command.args(["start", "--objective", &format!("Number {number}"), "--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in begun {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", waypost_testkit::everything(&output));
    }
    let listed = env.json(&["list", "--json"]);
    let sessions = listed.as_array().unwrap();
    let count = |life: &str| sessions.iter().filter(|entry| entry["lifecycle"] == life).count();
    assert_eq!((count("active"), count("paused")), (1, 7), "{listed}");
    env.ok(&["verify", "--all"]);
}

#[test]
fn the_key_is_known_to_those_who_look_at_the_file() {
    let env = with(SINGLE);
    assert!(!env.ok(&["gate", "list"]).contains("single_active"));
    let doctor = waypost_testkit::everything(&env.waypost(&["doctor", "--json"]));
    assert!(!doctor.contains("single_active"), "{doctor}");
    env.write("waypost.toml", "[project]\nsingle_activ = true\n");
    let told = waypost_testkit::everything(&env.waypost(&["gate", "list"]));
    assert!(told.contains("did you mean `single_active`?"), "{told}");
}
