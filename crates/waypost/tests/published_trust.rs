//! Published copies that others wrote: forged, signed with unknown keys, or made by other programs.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A clone of a project with a paused session, and another user's home to work in it with.
struct Elsewhere {
    env: TestEnv,
    id: String,
    clone: PathBuf,
    home: PathBuf,
}

impl Elsewhere {
    fn new() -> Self {
        let env = env();
        env.init_publishing();
        let id = env.start("Add login");
        env.ok(&["note", "add", "here"]);
        env.ok(&["pause", "--reason", "lunch"]);
        let clone = env.clone_as("clone");
        let home = env.home().join("another-user");
        fs::create_dir_all(&home).unwrap();
        Self { env, id, clone, home }
    }

    fn run_with(&self, args: &[&str], vars: &[(&str, &str)], stdin: &str) -> (Option<i32>, String) {
        let binary = env!("CARGO_BIN_EXE_waypost");
        let mut command = self.env.command(binary, &self.clone);
        command.args(args).env("HOME", &self.home).envs(vars.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Whoever does not read it does not need it.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        (output.status.code(), everything(&output))
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        self.run_with(args, &[], "")
    }

    fn ok(&self, args: &[&str]) -> String {
        let (status, told) = self.run(args);
        assert_eq!(status, Some(0), "waypost {args:?}: {told}");
        told
    }

    fn copy(&self) -> PathBuf {
        self.clone.join("agents/sessions").join(&self.id)
    }
}

#[test]
fn another_machine_with_the_same_secret_verifies_and_goes_on() {
    let secret = [("WAYPOST_SESSION_SECRET", "a secret that is long enough for it")];
    let mut env = env();
    env.vars.extend(secret.map(|(name, value)| (name.to_owned(), value.to_owned())));
    env.init_publishing();
    let id = env.start("Add login");
    env.ok(&["pause", "--reason", "lunch"]);
    let clone = env.clone_as("clone");
    let home = env.home().join("another-user");
    fs::create_dir_all(&home).unwrap();
    let there = Elsewhere { env, id, clone, home };
    for args in [&["verify", "--all"][..], &["resume", &there.id], &["verify", "--all"]] {
        let (status, told) = there.run_with(args, &secret, "");
        assert_eq!(status, Some(0), "{args:?}: {told}");
    }
}

#[test]
fn a_copy_of_an_unknown_key_is_readable_but_unverified_until_its_key_is_trusted() {
    let there = Elsewhere::new();
    there.ok(&["init", "--harness", "claude-code"]);
    let id = there.id.as_str();
    let told = there.ok(&["list"]);
    assert!(told.contains("paused, unverified") && told.contains("Add login"), "{told}");
    assert!(there.ok(&["show", id]).contains("unverified: signed with key"));
    let (status, told) = there.run(&["verify", id]);
    assert_eq!(status, Some(1), "{told}");
    assert!(there.ok(&["verify", "--all"]).contains("unverified"));
    let (status, told) = there.run(&["resume", id]);
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("waypost trust key") && told.contains("waypost trust copy"), "{told}");
    let exported = there.env.ok(&["key", "export"]);
    let (status, told) = there.run_with(&["trust", "key"], &[], "too short");
    assert_eq!(status, Some(1), "{told}");
    let (status, told) = there.run_with(&["trust", "key"], &[], &exported);
    assert_eq!(status, Some(0), "{told}");
    there.ok(&["verify", id]);
    there.ok(&["resume", id]);
    there.ok(&["note", "add", "there"]);
    there.ok(&["publish"]);
    there.ok(&["verify", "--all"]);
    assert_eq!(there.ok(&["key", "list"]).matches("verifies").count(), 1);
}

#[test]
fn a_copy_that_is_trusted_by_its_hash_goes_on_and_stays_what_it_was() {
    let there = Elsewhere::new();
    there.ok(&["init", "--harness", "claude-code"]);
    let id = there.id.as_str();
    there.ok(&["trust", "copy", id]);
    let told = there.ok(&["verify", id]);
    assert!(told.contains("accepted by hash"), "{told}");
    there.ok(&["resume", id]);
    there.ok(&["note", "add", "there"]);
    there.ok(&["publish"]);
    there.ok(&["verify", "--all"]);
    let log = there.clone.join(".git/waypost/sessions").join(id).join("events.jsonl");
    let content = fs::read_to_string(&log).unwrap();
    fs::write(&log, content.replacen("here", "hare", 1)).unwrap();
    fs::remove_file(log.with_file_name("snapshot")).ok();
    let (status, told) = there.run(&["verify", id]);
    assert_eq!(status, Some(3), "{told}");
    fs::write(&log, &content).unwrap();
    there.ok(&["verify", id]);
    let trusted = there.clone.join(".git/waypost/trusted").join(format!("session-{id}"));
    let mut seal = fs::read(&trusted).unwrap();
    seal[10] ^= 1;
    fs::write(&trusted, seal).unwrap();
    assert_eq!(there.run(&["verify", id]).0, Some(3));
}

#[test]
fn a_copy_that_was_forged_cannot_be_trusted() {
    let there = Elsewhere::new();
    there.ok(&["init", "--harness", "claude-code"]);
    let events = there.copy().join("events.jsonl");
    let content = fs::read_to_string(&events).unwrap();
    fs::write(&events, content.replacen("here", "hare", 1)).unwrap();
    let (status, told) = there.run(&["trust", "copy", &there.id]);
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("record 3"), "the chain tells: {told}");
    assert_eq!(there.run(&["verify", "--all"]).0, Some(3));
}

#[test]
fn agents_trust_nothing_and_see_no_key() {
    let env = env();
    env.init_publishing();
    env.begin();
    for args in [&["trust", "key"][..], &["key", "rotate"], &["key", "export"]] {
        let mut command = env.command(env!("CARGO_BIN_EXE_waypost"), env.project());
        let output = command.args(args).env("CLAUDE_CODE_SESSION_ID", "s1").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", everything(&output));
        assert!(everything(&output).contains("is for people"), "{}", everything(&output));
    }
}

#[test]
fn a_new_key_signs_and_the_old_one_still_verifies() {
    let env = env();
    env.init_publishing();
    let id = env.start("Add login");
    env.ok(&["note", "add", "before"]);
    let new = env.json(&["key", "rotate", "--json"])["key"].as_str().unwrap().to_owned();
    env.ok(&["note", "add", "after"]);
    env.ok(&["verify", "--all"]);
    env.ok(&["publish"]);
    env.ok(&["verify", "--all"]);
    let records = fs::read_to_string(env.log_of(&id)).unwrap();
    let signed: Vec<bool> = records.lines().map(|line| line.contains(&new)).collect();
    assert_eq!(signed, [false, false, true]);
    assert_eq!(env.notes(&id), ["before", "after"]);
    assert!(env.begin().stdout.contains("Add login"));
}

fn tampered(change: impl Fn(&Path)) {
    let env = env();
    env.init_publishing();
    let id = env.start("Add login");
    env.ok(&["note", "add", "one"]);
    env.ok(&["publish"]);
    change(&env.copy_of(&id));
    let output = env.waypost(&["verify", "--all"]);
    assert_eq!(output.status.code(), Some(3), "{}", everything(&output));
    let forged: Vec<_> = ["events.jsonl", "state.json"]
        .map(|name| fs::read(env.copy_of(&id).join(name)).unwrap())
        .into();
    let output = env.waypost(&["publish"]);
    assert!(output.status.success(), "{}", everything(&output));
    assert!(everything(&output).contains("it is kept as"), "{}", everything(&output));
    env.ok(&["verify", "--all"]);
    let aside = fs::read_dir(env.store().join("aside").join(&id)).unwrap();
    let kept: Vec<_> = aside.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(forged.iter().all(|bytes| kept.contains(bytes)));
    assert_eq!(env.notes(&id), ["one"]);
}

#[test]
fn a_changed_manifest_is_tampering_and_is_kept_apart() {
    tampered(|copy| {
        let path = copy.join("state.json");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("active", "complete", 1)).unwrap();
    });
}

#[test]
fn a_changed_record_of_a_copy_is_tampering_and_is_kept_apart() {
    tampered(|copy| {
        let path = copy.join("events.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("\"one\"", "\"two\"", 1)).unwrap();
    });
}

#[test]
fn a_manifest_of_another_session_is_tampering() {
    let env = env();
    env.init_publishing();
    let (one, two) = (env.start("One"), env.start("Two"));
    let stolen = fs::read(env.copy_of(&one).join("state.json")).unwrap();
    fs::write(env.copy_of(&two).join("state.json"), stolen).unwrap();
    assert_eq!(env.waypost(&["verify", &two]).status.code(), Some(3));
    assert_eq!(env.waypost(&["verify", &one]).status.code(), Some(0));
}

#[test]
fn every_flipped_bit_of_a_copy_is_told() {
    let env = env();
    env.init_publishing();
    let id = env.start("X");
    for name in ["events.jsonl", "state.json"] {
        let path = env.copy_of(&id).join(name);
        let good = fs::read(&path).unwrap();
        for place in (0..good.len()).step_by(7) {
            let mut bad = good.clone();
            bad[place] ^= 1 << (place % 8);
            fs::write(&path, bad).unwrap();
            let output = env.waypost(&["verify", &id]);
            let told = everything(&output);
            // A flipped bit of the record's key id makes the key an unknown one: unverified, not bad.
            let expected = matches!(output.status.code(), Some(3))
                || (output.status.code() == Some(1) && told.contains("unverified"));
            assert!(expected, "{name}, byte {place}: {told}");
        }
        fs::write(&path, good).unwrap();
    }
}

/// A session folder as another program wrote it, with keys that only it knows.
fn legacy(env: &TestEnv, id: &str) -> Value {
    let manifest = json!({
        "$schema": "Session state manifest v2 - programmatic updates only",
        "session_id": id,
        "topic": "Track sessions in a database",
        "description": null,
        "granularity": "feature",
        "prior_session": "2026-02-14_claude-code-agent-sdk-integration",
        "session_type": "full",
        "created_at": "2026-02-16T21:14:17.566903+00:00",
        "current_phase": "build",
        "status": "active",
        "phase_history": {
            "spec_started_at": "2026-02-16T21:14:17+00:00",
            "spec_completed_at": "2026-02-16T21:45:00+00:00",
            "build_completed_at": null,
        },
        "build_progress": {"checkpoints_total": 0, "checkpoints_completed": [2, 1], "current_checkpoint": null},
        "git": {"branch": "main", "worktree": null, "base_branch": null},
        "commits": [{"sha": "8d20e29", "message": "feat: x", "checkpoint_id": 1, "created_at": "2026-02-16T23:45:00+00:00"}],
        "artifacts": {"spec": "spec.md", "plan": "plan.json", "plan_readable": "plan.md"},
        "plan_state": {"status": "complete", "file_path": null},
    });
    env.write(
        &format!("agents/sessions/{id}/state.json"),
        &serde_json::to_string_pretty(&manifest).unwrap(),
    );
    env.write(&format!("agents/sessions/{id}/spec.md"), "# Theirs\n");
    manifest
}

#[test]
fn a_folder_of_another_program_is_listed_shown_and_converted_on_resume() {
    let env = env();
    env.init_publishing();
    let id = "2026-02-16_track-sessions_j3ehqn";
    let original = legacy(&env, id);
    let told = everything(&env.waypost(&["list"]));
    assert!(
        told.contains("abandoned, legacy") && told.contains("Track sessions in a database"),
        "{told}"
    );
    assert!(told.contains("Legacy session format, limited resumption context"), "{told}");
    let told = env.ok(&["show", id]);
    assert!(told.contains("limited resumption context") && told.contains("8d20e29"), "{told}");
    let before = fs::read(env.copy_of(id).join("state.json")).unwrap();
    env.ok(&["verify", "--all"]);
    assert_eq!(
        fs::read(env.copy_of(id).join("state.json")).unwrap(),
        before,
        "looking changes nothing"
    );
    env.ok(&["resume", "2026-02-16_track"]);
    let now: Value =
        serde_json::from_slice(&fs::read(env.copy_of(id).join("state.json")).unwrap()).unwrap();
    for kept in [
        "topic",
        "granularity",
        "prior_session",
        "session_type",
        "current_phase",
        "plan_state",
        "artifacts",
    ] {
        assert_eq!(now[kept], original[kept], "{kept}");
    }
    assert_eq!(now["commits"][0]["checkpoint_id"], 1);
    assert_eq!(now["build_progress"], original["build_progress"]);
    assert_eq!(now["created_at"], "2026-02-16T21:14:17.566Z");
    assert_eq!(now["status"], "active");
    assert_eq!(fs::read_to_string(env.copy_of(id).join("spec.md")).unwrap(), "# Theirs\n");
    let aside = fs::read_dir(env.store().join("aside").join(id)).unwrap();
    let kept: Vec<_> = aside.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(kept, [before], "the original stays, byte for byte");
    env.ok(&["note", "add", "going on"]);
    env.ok(&["verify", "--all"]);
    assert!(env.ok(&["list"]).contains("active"));
}

#[test]
fn one_folder_that_cannot_be_read_keeps_no_other_from_being_used() {
    let env = env();
    env.init_publishing();
    let id = env.start("Add login");
    let folder = env.copy_of("2026-02-16_link_aaaaaa");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("state.json"), "{}").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.join("events.jsonl")).unwrap();
    let listed = env.ok(&["list"]);
    assert!(listed.contains(&id) && listed.contains("damaged"), "{listed}");
    let output = env.waypost(&["verify", "--all"]);
    assert_eq!(output.status.code(), Some(3), "{}", everything(&output));
    assert!(everything(&output).contains("symbolic link"), "{}", everything(&output));
    assert_eq!(env.waypost(&["resume", "2026-02-16_link"]).status.code(), Some(3));
}

#[test]
fn credentials_get_into_no_record_no_copy_and_no_name() {
    let env = env();
    env.init_publishing();
    let token = format!("gh{}_{}", "p", "a1B2".repeat(9));
    env.write("waypost.toml", "[project]\npublish = \"always\"\npublish_activity = true\n");
    let id = env.start(&format!("Use {token} to log in"));
    env.ok(&["note", "add", &format!("the token is {token}")]);
    env.ok(&["run", "--", "echo", &format!("--token={token}")]);
    env.ok(&["commit", "HEAD", "-m", &format!("with {token}")]);
    env.ok(&["pause", "--reason", &token, "--context", &token]);
    env.ok(&["resume"]);
    env.ok(&["end", "--summary", &token, "--next-notes", &token]);
    legacy(&env, "2026-02-16_leak_aaaaaa");
    let path = "agents/sessions/2026-02-16_leak_aaaaaa/state.json";
    env.write(path, &env.read(path).replace("feat: x", &token));
    env.ok(&["resume", "2026-02-16_leak"]);
    let output = env
        .command("grep", env.home())
        .args(["-rlF", &token])
        .arg(env.project())
        .arg(env.home())
        .output();
    let found = String::from_utf8_lossy(&output.unwrap().stdout).into_owned();
    // What somebody wrote into the work tree is theirs; it is kept as it was.
    let ours: Vec<&str> = found.lines().filter(|line| !line.contains("/aside/")).collect();
    assert!(ours.is_empty(), "{ours:?}");
    assert!(env.ok(&["history", &id]).contains("[redacted:"));
    env.ok(&["verify", "--all"]);
}
