//! A conversation that resumes another session goes on in it, and settles nothing by that.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use serde_json::json;
use waypost_testkit::TestEnv;

/// A project with a paused session, and the conversation `s1` in another one that has no name.
fn env() -> (TestEnv, String) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let paused = env.start("Add login");
    env.ok(&["pause", &paused, "--reason", "waiting", "--context", "the form is done"]);
    env.begin();
    (env, paused)
}

fn session_of(env: &TestEnv) -> String {
    let sessions = env.json(&["list", "--json"]);
    let mut attached = Vec::new();
    for session in sessions.as_array().unwrap() {
        let id = session["session_id"].as_str().unwrap();
        let status = env.json(&["status", id, "--json"]);
        let own = status["conversations"].as_array().unwrap().iter();
        if own.clone().any(|one| one["id"] == "s1" && one["attached"] == true) {
            attached.push(id.to_owned());
        }
    }
    assert_eq!(attached.len(), 1, "{attached:?}");
    attached.remove(0)
}

#[test]
fn an_agent_that_resumes_a_session_goes_on_in_it() {
    let (env, paused) = env();
    let unnamed = session_of(&env);
    assert_ne!(unnamed, paused);
    env.ok(&["resume", &paused]);
    assert_eq!(session_of(&env), paused);
    assert_eq!(env.json(&["status", &unnamed, "--json"])["lifecycle"], "completed");
    env.ok(&["note", "add", "Now in it"]);
    assert!(env.ok(&["history", &paused]).contains("Now in it"));
    env.ok(&["verify", "--all"]);
}

#[test]
fn what_was_changed_before_has_to_be_proven_all_the_same() {
    let (env, paused) = env();
    env.edit("src/lib.txt", "two\n");
    env.ok(&["resume", &paused]);
    assert!(env.stop().held().is_some(), "going elsewhere settles nothing");
    env.bash("./check.sh", "call");
    assert_eq!(env.stop().held(), None);
}

#[test]
fn what_was_changed_unseen_is_found_all_the_same() {
    let (env, paused) = env();
    env.bash("awk 'BEGIN { print > \"src/lib.txt\" }'", "script");
    env.ok(&["resume", &paused]);
    assert!(env.stop().held().is_some(), "the turn began before it");
}

#[test]
fn a_conversation_whose_session_has_a_name_leaves_it_to_rest() {
    let (env, paused) = env();
    env.ok(&["start", "--objective", "Something else"]);
    let own = session_of(&env);
    let resumed = env.json(&["resume", &paused, "--json"]);
    assert_eq!(resumed["left"], json!(own), "{resumed}");
    assert_eq!(session_of(&env), paused);
    let left = env.json(&["status", &own, "--json"]);
    assert_eq!(left["lifecycle"], "paused", "{left}");
    let reason = left["pause"]["reason"].as_str().unwrap();
    assert!(reason.contains(&paused), "{reason}");
}
