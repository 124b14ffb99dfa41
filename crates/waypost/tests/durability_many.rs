//! Many processes at one session: exact counts, no deadlock, bounded waits.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use waypost_testkit::{TestEnv, everything};

const BINARY: &str = env!("CARGO_BIN_EXE_waypost");

fn env() -> (TestEnv, String) {
    let env = TestEnv::new(BINARY);
    env.init();
    let session = env.start("Many");
    (env, session)
}

fn lock_of(env: &TestEnv, session: &str) -> PathBuf {
    env.store().join("locks").join(format!("session-{session}"))
}

fn signal(env: &TestEnv, child: &Child, signal: &str) {
    let sent = env.command("kill", env.project()).args([signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Whether anybody holds the lock, as another program sees it.
fn is_held(env: &TestEnv, lock: &Path) -> bool {
    let tried = env.command("flock", env.project()).arg("-n").arg(lock).arg("true").status();
    !tried.unwrap().success()
}

fn note(env: &TestEnv, session: &str, text: &str) -> Child {
    env.command(BINARY, env.project())
        .args(["note", "add", text, "--session", session])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A process that was stopped while it held the session's lock, and the note it was writing.
fn stopped_holder(env: &TestEnv, session: &str) -> (Child, String) {
    let lock = lock_of(env, session);
    for attempt in 0..2_000 {
        let text = format!("holder {attempt}");
        let mut child = note(env, session, &text);
        std::thread::sleep(Duration::from_micros(attempt * 371 % 9_000));
        signal(env, &child, "-STOP");
        if is_held(env, &lock) {
            return (child, text);
        }
        signal(env, &child, "-CONT");
        assert!(child.wait().unwrap().success());
    }
    panic!("no process was ever caught with the lock");
}

#[test]
fn sixty_four_processes_with_a_hundred_updates_each_are_counted_exactly() {
    let (env, session) = env();
    let script = "for i in $(seq 100); do \
        waypost note add \"$0-$i\" --session \"$1\" >/dev/null || exit 1; done";
    let shells: Vec<Child> = (0..64)
        .map(|shell| {
            env.command("bash", env.project())
                .args(["-c", script, &shell.to_string(), &session])
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for shell in shells {
        let output = shell.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", everything(&output));
    }
    let notes = env.notes(&session);
    assert_eq!(notes.len(), 6_400);
    assert_eq!(notes.iter().collect::<HashSet<_>>().len(), 6_400, "each of them once");
    env.ok(&["verify", "--all"]);
}

#[test]
fn waiting_for_a_stopped_lock_holder_ends_after_five_seconds_and_changes_nothing() {
    let (env, session) = env();
    env.ok(&["note", "add", "before", "--session", &session]);
    let (mut holder, held) = stopped_holder(&env, &session);
    let before = fs::read(env.log_of(&session)).unwrap();

    let begun = Instant::now();
    let waiting: Vec<Child> = (0..4).map(|_| note(&env, &session, "in vain")).collect();
    env.ok(&["history", &session]);
    assert!(begun.elapsed() < Duration::from_secs(3), "reading does not wait");
    let outputs: Vec<Output> =
        waiting.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let waited = begun.elapsed();
    assert!((4_800..9_000).contains(&waited.as_millis()), "{waited:?}");
    for output in &outputs {
        let told = everything(output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        let lock = lock_of(&env, &session).display().to_string();
        assert!(told.contains(&lock) && told.contains("locked"), "{told}");
    }
    assert_eq!(fs::read(env.log_of(&session)).unwrap(), before, "nothing was appended");

    signal(&env, &holder, "-CONT");
    assert!(holder.wait().unwrap().success());
    env.ok(&["note", "add", "after", "--session", &session]);
    let notes = env.notes(&session);
    assert_eq!(notes[notes.len() - 2..], [held, "after".to_owned()]);
    assert!(!notes.contains(&"in vain".to_owned()));
    env.ok(&["verify", "--all"]);
}

#[test]
fn the_lock_of_a_killed_process_is_free_at_once() {
    let (env, session) = env();
    env.ok(&["note", "add", "before", "--session", &session]);
    let (mut holder, held) = stopped_holder(&env, &session);
    let waiting = note(&env, &session, "waits");
    holder.kill().unwrap();
    assert!(!holder.wait().unwrap().success());
    let output = waiting.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", everything(&output));
    assert!(lock_of(&env, &session).exists(), "the file stays and means nothing");
    fs::write(lock_of(&env, &session), "4711\n").unwrap();
    env.ok(&["note", "add", "after", "--session", &session]);
    let notes = env.notes(&session);
    let count = |text: &str| notes.iter().filter(|note| *note == text).count();
    assert_eq!((count("before"), count("waits"), count("after")), (1, 1, 1));
    assert!(count(&held) <= 1, "it was never acknowledged");
    env.ok(&["verify", "--all"]);
}
