//! Records of every released format: `testdata/v*`. Whatever this version does, it reads them, folds
//! them, rules as it was ruled then, and would write them again byte for byte.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::record::{Draft, Position};
use waypost_testkit::TestEnv;

const KEY: &str = "waypost-key-v1 ";

fn testdata(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(format)
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// A project whose store, key and published copies are those of a format.
fn restored(format: &str) -> TestEnv {
    let mut env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    "2026-11-15T13:00:00.000Z".clone_into(&mut env.time);
    put_key(&env, &fs::read(testdata(format).join("key")).unwrap());
    copy_all(&testdata(format).join("store"), &env.store());
    copy_all(&testdata(format).join("sessions"), &env.project().join("agents/sessions"));
    env.write("waypost.toml", waypost_testkit::GATE);
    env
}

fn put_key(env: &TestEnv, key: &[u8]) {
    fs::create_dir_all(env.key_file().parent().unwrap()).unwrap();
    fs::write(env.key_file(), key).unwrap();
    fs::set_permissions(env.key_file(), fs::Permissions::from_mode(0o600)).unwrap();
}

/// What is looked at of every session.
fn told(env: &TestEnv) -> Value {
    let sessions = env.json(&["list", "--all", "--json"]);
    let ids: Vec<String> = sessions
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["session_id"].as_str().unwrap().to_owned())
        .collect();
    let mut told = serde_json::Map::new();
    for id in &ids {
        let history = env.json(&["history", id, "--json"]);
        let events = history["events"].as_array().unwrap();
        let rulings: Vec<Value> = events
            .iter()
            .filter(|entry| entry["event"]["type"] == "ruling_made")
            .map(|entry| {
                let id = entry["event"]["id"].as_str().unwrap();
                let explained = env.json(&["explain", id, "--json"]);
                assert_eq!(explained["replay_agrees"], true, "{explained}");
                explained["ruling"].clone()
            })
            .collect();
        let state = env.json(&["export", id])["state"].clone();
        told.insert(id.clone(), json!({"history": events, "rulings": rulings, "state": state}));
    }
    Value::Object(told)
}

/// Whether `now` holds everything that `then` held. A newer state may hold more.
fn holds(now: &Value, then: &Value) -> bool {
    match (now, then) {
        (Value::Object(now), Value::Object(then)) => {
            then.iter().all(|(key, then)| now.get(key).is_some_and(|now| holds(now, then)))
        }
        (Value::Array(now), Value::Array(then)) => {
            now.len() == then.len() && now.iter().zip(then).all(|(now, then)| holds(now, then))
        }
        _ => now == then,
    }
}

#[test]
fn version_1_is_read_verified_and_ruled_as_it_was() {
    let env = restored("v1");
    env.ok(&["verify", "--all"]);
    let then: Value =
        serde_json::from_slice(&fs::read(testdata("v1").join("told.json")).unwrap()).unwrap();
    let now = told(&env);
    assert!(holds(&now, &then), "{now:#}");
    assert_eq!(then.as_object().unwrap().len(), now.as_object().unwrap().len());
}

#[test]
fn a_workflow_that_began_under_an_earlier_version_goes_on_by_its_own_contract() {
    let env = restored("v1");
    let id = "2026-11-15_back_p8vaeu";
    env.ok(&["resume", id]);
    let phase = ["phase", "complete", "--json", "--session", id];
    assert_eq!(env.json(&phase)["next_phase"], "build", "no plan was asked for then");
    env.ok(&["checkpoint", "init", "1", "--session", id]);
    let shown = env.ok(&["phase", "show", "--session", id]);
    assert!(shown.contains("Complete the checkpoints of the build, or approve it"), "{shown}");
    assert!(!shown.contains("build.open =="), "{shown}");
    let refused = env.waypost(&["phase", "complete", "--session", id]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    env.ok(&["checkpoint", "complete", "1", "--session", id]);
    assert_eq!(env.json(&phase)["workflow_complete"], true);
}

#[test]
fn version_1_is_written_again_byte_for_byte() {
    let ring = Keyring::from_file(&fs::read(testdata("v1").join("key")).unwrap()).unwrap();
    let store = testdata("v1").join("store");
    let mut streams = vec![(StreamId::Project, store.join("project/events.jsonl"))];
    for entry in fs::read_dir(store.join("sessions")).unwrap() {
        let path = entry.unwrap().path();
        let id: SessionId = path.file_name().unwrap().to_str().unwrap().parse().unwrap();
        streams.push((StreamId::Session(id), path.join("events.jsonl")));
    }
    let mut kinds = std::collections::BTreeSet::new();
    for (stream, path) in streams {
        let (mut read, mut written) = (Position::start(&stream), Position::start(&stream));
        for line in fs::read(path).unwrap().split_inclusive(|byte| *byte == b'\n') {
            let record = read.read(&stream, &ring, line).unwrap();
            kinds.insert(record.event.type_name());
            let draft = Draft { time: record.time, actor: record.actor, event: record.event };
            let again = written.append(&stream, ring.current(), &draft).unwrap();
            assert_eq!(again.as_bytes(), line);
        }
    }
    assert!(kinds.len() >= 20, "the golden records tell of most that can happen: {kinds:?}");
    assert!(kinds.contains("of_a_newer_version"));
}

#[test]
fn version_1_goes_on() {
    let env = restored("v1");
    let sessions = env.json(&["list", "--all", "--json"]);
    for session in sessions.as_array().unwrap() {
        let id = session["session_id"].as_str().unwrap();
        let _ = env.waypost(&["resume", id]);
        env.ok(&["note", "add", "going on", "--session", id]);
        env.ok(&["publish", id]);
    }
    env.ok(&["verify", "--all"]);
}

/// What the golden records were made of still tells of the same things. With `WAYPOST_WRITE_GOLDEN=v1`
/// they are made anew: formats that were released stay as they are, this is for changes before that.
#[test]
fn version_1_is_what_these_commands_record() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let key = Keyring::new(waypost_core::key::Key::from_bytes((0..32).collect()));
    assert!(key.to_file().starts_with(KEY));
    put_key(&env, key.to_file().as_bytes());
    env.init_publishing();
    env.begin();
    let id = env.json(&["list", "--json"])[0]["session_id"].as_str().unwrap().to_owned();
    env.ok(&["start", "--objective", "Add login — \u{1F511} \"quoted\"\nwith two lines"]);
    env.ok(&["note", "add", "--kind", "decision", "Passkeys only \u{e9}\u{301}\u{7f}"]);
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
    env.bash("./check.sh", "run");
    assert!(env.stop().held().is_none());
    env.bash("awk 'BEGIN { print \"three\" > \"src/lib.txt\" }'", "unseen");
    for _ in 0..3 {
        assert!(env.stop().held().is_some());
    }
    assert!(env.stop().held().is_none());
    env.ok(&["run", "--", "./check.sh", "--all"]);
    env.ok(&["gate", "satisfy", "checks-pass", "--note", "by hand", "--ttl", "1h"]);
    env.ok(&["gate", "clear", "checks-pass"]);
    env.ok(&["mode", "planning"]);
    assert!(env.before_edit(&env.project().join("src/lib.txt")).denied().is_some());
    env.ok(&["mode", "coding"]);
    env.ok(&["commit", "HEAD", "-m", "Add the form", "--checkpoint", "2"]);
    fs::write(env.copy_of(&id).join("spec.md"), "# Mine\n").unwrap();
    env.ok(&["pause", "--reason", "Waiting", "--context", "Form done"]);
    let torn = fs::OpenOptions::new().append(true).open(env.log_of(&id));
    std::io::Write::write_all(&mut torn.unwrap(), b"{\"actor\":").unwrap();
    env.ok(&["resume", &id]);
    env.hook("SessionEnd", &json!({"reason": "exit"}));
    newer_event(&env, &id, &key);
    env.ok(&["end", &id, "--summary", "Passkeys work", "--next-notes", "Remove the old form"]);
    foreign(&env);
    workflow(&env);
    let adopted = env.start("Adopted");
    env.ok(&["pause", &adopted, "--reason", "elsewhere"]);
    fs::remove_dir_all(env.log_of(&adopted).parent().unwrap()).unwrap();
    fs::remove_file(env.store().join("heads").join(format!("session-{adopted}"))).unwrap();
    env.ok(&["resume", &adopted]);
    env.ok(&["verify", "--all"]);
    let mut kinds: Vec<String> = told(&env).as_object().unwrap().values().map(kinds_of).collect();
    let then: Value =
        serde_json::from_slice(&fs::read(testdata("v1").join("told.json")).unwrap()).unwrap();
    // What is imported brings its workflow with it by now.
    let imported = "session_imported session_resumed";
    let told_now = |kinds: String| kinds.replace(&format!("{imported} track_started"), imported);
    let mut before: Vec<String> =
        then.as_object().unwrap().values().map(kinds_of).map(told_now).collect();
    kinds.sort();
    before.sort();
    if std::env::var("WAYPOST_WRITE_GOLDEN").as_deref() == Ok("v1") {
        write(&env, &key);
    } else {
        assert_eq!(kinds, before);
    }
}

/// A session of another program, resumed, whose copy somebody writes over.
fn foreign(env: &TestEnv) {
    let id = "2026-02-16_track-sessions_j3ehqn";
    env.write(
        &format!("agents/sessions/{id}/state.json"),
        r#"{"session_id": "x", "topic": "Theirs", "status": "paused", "of_theirs": [1, 2.5]}"#,
    );
    env.ok(&["resume", id]);
    fs::write(env.copy_of(id).join("state.json"), "{}").unwrap();
    env.ok(&["publish", id]);
}

/// A session that follows a workflow of its own, whose phases unfold, and builds by a plan.
fn workflow(env: &TestEnv) {
    env.write(".waypost/workflows/own.toml", OWN);
    env.write("specs/x/tasks.md", "## Phase 1: Foundation\n\n- [ ] **Task 1.1**: Dig\n");
    let begin = ["start", "--workflow", "own", "--target", "specs/x", "--option", "docs=false"];
    let own = env.json(&[begin.as_slice(), &["--json"]].concat());
    let id = own["session_id"].as_str().unwrap();
    let run = |args: &[&str]| env.waypost(&[args, &["--session", id]].concat());
    assert_eq!(run(&["phase", "complete", "Think", "coverage=65"]).status.code(), Some(1));
    let done: [&[&str]; 7] = [
        &["phase", "retry", "--reset-evidence"],
        &["phase", "complete", "Think", "coverage=85"],
        &["phase", "complete", "Foundation"],
        &["checkpoint", "init", "2"],
        &["checkpoint", "start", "2"],
        &["checkpoint", "complete", "2"],
        &["focus", "--feature", "login", "--task", "form"],
    ];
    for args in done {
        let output = run(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
    }
    env.write(".waypost/workflows/two.toml", TWO);
    let back = env.json(&["start", "--objective", "Back", "--workflow", "two", "--json"]);
    let back = back["session_id"].as_str().unwrap();
    env.ok(&["phase", "complete", "--session", back]);
    env.ok(&["phase", "rollback", "plan", "--reason", "wrong plan", "--session", back]);
    for over in [id, back] {
        env.ok(&["end", over, "--failed"]);
    }
}

const TWO: &str = r#"[[phase]]
name = "plan"

[[phase]]
name = "build"

[[phase.gate]]
id = "checkpoints"
proof = { check = "build.open == 0" }
message = "Complete the checkpoints of the build."
"#;

const OWN: &str = r#"first_phase = 0
phases_from = "tasks.md"

[[phase]]
name = "Docs"
skip_when = "!options.docs"

[[phase]]
name = "Think"

[[phase.gate]]
id = "coverage"
accept = "claimed"
proof = { fields = { coverage = { type = "number", check = "value >= 80" } } }
"#;

fn kinds_of(session: &Value) -> String {
    let events = session["history"].as_array().unwrap().iter();
    events.map(|entry| entry["event"]["type"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

fn write(env: &TestEnv, key: &Keyring) {
    let target = testdata("v1");
    for old in ["store", "sessions"] {
        fs::remove_dir_all(target.join(old)).ok();
    }
    copy_all(&env.store(), &target.join("store"));
    for derived in ["trees", "locks", "install.json"] {
        let path = target.join("store").join(derived);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).ok();
        }
    }
    for entry in fs::read_dir(target.join("store/sessions")).unwrap() {
        fs::remove_file(entry.unwrap().path().join("snapshot")).ok();
    }
    fs::remove_file(target.join("store/project/snapshot")).ok();
    copy_all(&env.project().join("agents/sessions"), &target.join("sessions"));
    fs::write(target.join("key"), key.to_file()).unwrap();
    let told = serde_json::to_string_pretty(&told(env)).unwrap();
    fs::write(target.join("told.json"), told + "\n").unwrap();
}

/// Appends a record of a type that this version does not know, as a newer one would.
fn newer_event(env: &TestEnv, id: &str, key: &Keyring) {
    let stream = StreamId::Session(id.parse().unwrap());
    let mut position = Position::start(&stream);
    let mut content = fs::read(env.log_of(id)).unwrap();
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        position.read(&stream, key, line).unwrap();
    }
    let event = json!({
        "type": "of_a_newer_version", "v": 9, "kept": {"deep": [null, "9007199254740993"]},
    });
    let event = waypost_core::event::Event::from_json(&event.to_string()).unwrap();
    let actor = waypost_core::actor::Actor::Waypost;
    let draft = Draft { time: env.time.parse().unwrap(), actor, event };
    let line = position.append(&stream, key.current(), &draft).unwrap();
    content.extend_from_slice(line.as_bytes());
    fs::write(env.log_of(id), content).unwrap();
}
