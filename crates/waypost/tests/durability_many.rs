//! Many processes at one session: exact counts, no deadlock, bounded waits.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};

use waypost_testkit::process::{self, Watch};
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
    let (lock, folder) = (lock_of(env, session), env.store().join("sessions").join(session));
    let caught = (0..).find_map(|attempt| {
        let text = format!("holder {attempt}");
        let watch = Watch::on(&[&folder]);
        let mut child = note(env, session, &text);
        // Some of what it does in the session's folder it does with the lock, and some without.
        watch.wait(1 + attempt % 16, &child);
        if process::stop(&child) && is_held(env, &lock) {
            return Some((child, text));
        }
        process::go_on(&child);
        assert!(child.wait().unwrap().success());
        None
    });
    caught.unwrap()
}

/// A command that has said that it waits for a lock.
struct Waiting {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Waiting {
    /// Adds a note while somebody else holds the lock.
    fn note(env: &TestEnv, session: &str, text: &str) -> Self {
        let mut child = note(env, session, text);
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        stderr.read_line(&mut said).unwrap();
        assert!(said.contains("waiting for another Waypost process"), "{said}");
        Self { child, stderr }
    }

    fn still_waits(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    fn succeeds(mut self) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success(), "{rest}");
    }
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
fn waiting_for_a_stopped_lock_holder_comes_to_an_end_and_changes_nothing() {
    let (mut env, session) = env();
    env.ok(&["note", "add", "before", "--session", &session]);
    let (mut holder, held) = stopped_holder(&env, &session);
    let before = fs::read(env.log_of(&session)).unwrap();

    let mut patient: Vec<Waiting> =
        (0..4).map(|_| Waiting::note(&env, &session, "patient")).collect();
    env.ok(&["history", &session]);
    assert!(patient.iter_mut().all(Waiting::still_waits), "reading did not wait, and they do");

    env.vars.push(("WAYPOST_TEST_PATIENCE_MS".into(), "100".into()));
    for _ in 0..4 {
        let output = env.waypost(&["note", "add", "in vain", "--session", &session]);
        let told = everything(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        let lock = lock_of(&env, &session).display().to_string();
        assert!(told.contains(&lock) && told.contains("locked"), "{told}");
    }
    env.vars.clear();
    assert!(patient.iter_mut().all(Waiting::still_waits));
    assert_eq!(fs::read(env.log_of(&session)).unwrap(), before, "nothing was appended");

    process::go_on(&holder);
    assert!(holder.wait().unwrap().success());
    patient.into_iter().for_each(Waiting::succeeds);
    env.ok(&["note", "add", "after", "--session", &session]);
    let notes = env.notes(&session);
    let expected = [&held, "patient", "patient", "patient", "patient", "after"];
    assert_eq!(notes[notes.len() - 6..], expected);
    assert!(!notes.contains(&"in vain".to_owned()));
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_hook_gives_up_on_a_lock_that_a_command_still_waits_for() {
    let mut env = TestEnv::new(BINARY);
    env.init();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let session = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
    let (mut holder, _) = stopped_holder(&env, &session);
    let mut patient = Waiting::note(&env, &session, "patient");

    // The limits of a released binary: whatever the machine does, the hook's are the shorter ones,
    // and the command above has a thousand times its own.
    env.vars.push(("WAYPOST_TEST_LIMITS".into(), "1".into()));
    let commit = |env: &TestEnv| env.before_bash("git commit -am x", "c").denied().unwrap();
    let denied = commit(&env);
    assert!(denied.contains("Waypost cannot decide"), "{denied}");
    assert!(patient.still_waits());

    process::go_on(&holder);
    assert!(holder.wait().unwrap().success());
    patient.succeeds();
    env.vars.clear();
    let denied = commit(&env);
    assert!(denied.contains("Run the checks"), "it can decide again: {denied}");
    assert!(env.notes(&session).contains(&"patient".to_owned()));
}

#[test]
fn the_lock_of_a_killed_process_is_free_at_once() {
    let (env, session) = env();
    env.ok(&["note", "add", "before", "--session", &session]);
    let (mut holder, held) = stopped_holder(&env, &session);
    let waiting = Waiting::note(&env, &session, "waits");
    holder.kill().unwrap();
    assert!(!holder.wait().unwrap().success());
    waiting.succeeds();
    assert!(lock_of(&env, &session).exists(), "the file stays and means nothing");
    fs::write(lock_of(&env, &session), "4711\n").unwrap();
    env.ok(&["note", "add", "after", "--session", &session]);
    let notes = env.notes(&session);
    let count = |text: &str| notes.iter().filter(|note| *note == text).count();
    assert_eq!((count("before"), count("waits"), count("after")), (1, 1, 1));
    assert!(count(&held) <= 1, "it was never acknowledged");
    env.ok(&["verify", "--all"]);
}
