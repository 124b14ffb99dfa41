//! Files of the store that somebody damaged or removed: it is noticed by the next who writes or asks,
//! what is derived is made again, and a command that failed has stored nothing.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;

use waypost_testkit::{TestEnv, everything};

/// A conversation whose state is at hand, as it is before nearly every call.
fn conversing() -> (TestEnv, PathBuf) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.ok(&["status"]);
    let session = fs::read_dir(env.store().join("sessions")).unwrap().next().unwrap().unwrap();
    assert!(session.path().join("snapshot").exists());
    (env, session.path().join("events.jsonl"))
}

#[test]
fn a_log_whose_end_is_not_what_was_written_denies_edits_and_takes_no_note() {
    let zeroed: fn(&mut Vec<u8>) = |log| log.fill(0);
    let flipped: fn(&mut Vec<u8>) = |log| {
        let place = log.len() - 9;
        log[place] ^= 1;
    };
    for (what, damage) in [("zeroed", zeroed), ("flipped", flipped)] {
        let (env, log) = conversing();
        let mut content = fs::read(&log).unwrap();
        damage(&mut content);
        fs::write(&log, &content).unwrap();
        let edit = env.before_edit(&env.project().join("src/lib.txt"));
        let reason = edit.denied().unwrap_or_default();
        assert!(reason.contains("events.jsonl") && reason.contains("Next:"), "{what}: {edit:?}");
        for _ in 0..2 {
            let note = env.waypost(&["note", "add", "x"]);
            let told = everything(&note);
            assert_eq!(note.status.code(), Some(3), "{what}: {told}");
            assert!(told.contains("events.jsonl") && told.contains(" next: "), "{what}: {told}");
        }
        assert_eq!(fs::read(&log).unwrap(), content, "{what}");
    }
}

#[test]
fn heads_that_are_gone_are_made_again_and_a_note_is_stored_once() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let session = env.start("Headless");
    fs::remove_dir_all(env.store().join("heads")).unwrap();
    let first = everything(&env.waypost(&["note", "add", "one", "--session", &session]));
    assert!(first.contains("warning") && first.contains("made again from"), "{first}");
    let second = env.waypost(&["note", "add", "two", "--session", &session]);
    assert!(second.status.success(), "{}", everything(&second));
    assert!(!everything(&second).contains("warning"), "{}", everything(&second));
    assert_eq!(env.notes(&session), ["one", "two"]);
}

/// What is left of the session is its copy, and the head that tells how much there was.
fn without_records(env: &TestEnv, session: &str) -> PathBuf {
    fs::remove_dir_all(env.log_of(session).parent().unwrap()).unwrap();
    env.store().join("heads").join(format!("session-{session}"))
}

#[test]
fn a_session_whose_records_are_gone_is_resumed_from_a_copy_that_has_them_all() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_publishing();
    let session = env.start("Gone");
    env.ok(&["note", "add", "one", "--session", &session]);
    env.ok(&["pause", &session, "--reason", "later"]);
    without_records(&env, &session);
    env.ok(&["resume", &session]);
    assert_eq!(env.notes(&session), ["one"]);
    env.ok(&["verify", "--all"]);
}

#[test]
fn resuming_from_a_copy_that_is_behind_keeps_the_proof_that_records_are_gone() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let session = env.start("Gone");
    env.ok(&["publish", &session]);
    env.ok(&["note", "add", "only here", "--session", &session]);
    let head = without_records(&env, &session);
    let proof = fs::read(&head).unwrap();
    for _ in 0..2 {
        let resumed = env.waypost(&["resume", &session]);
        let told = everything(&resumed);
        assert_eq!(resumed.status.code(), Some(3), "{told}");
        assert!(told.contains("had been acknowledged"), "{told}");
        assert_eq!(fs::read(&head).unwrap(), proof);
    }
}
