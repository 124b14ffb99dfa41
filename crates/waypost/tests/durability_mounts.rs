//! Read-only folders and full disks: writing is refused with what, where and what next, and changes
//! nothing; reading goes on; what was acknowledged stays.
//!
//! With real mounts in a namespace of each test's own, so that they hold for root, too.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use waypost_testkit::mounts::{Mount, fill, in_own_mounts};
use waypost_testkit::picture::Picture;
use waypost_testkit::{TestEnv, everything};

/// A project with a session, in which a person works.
fn env() -> (TestEnv, String) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let session = env.start("Kept");
    env.ok(&["note", "add", "before"]);
    (env, session)
}

/// The same with a conversation, in which an agent works.
fn env_of_agent() -> (TestEnv, String) {
    let (env, session) = env();
    env.begin();
    assert_eq!(env.json(&["status", "--json"])["session_id"], session.as_str());
    (env, session)
}

fn everywhere(env: &TestEnv) -> Picture {
    Picture::of(&[env.project(), env.home()])
}

/// The command is refused: it says what, where and what next.
fn is_refused(env: &TestEnv, args: &[&str], place: &Path, next: &str) {
    let output = env.waypost(args);
    let told = everything(&output);
    assert_eq!(output.status.code(), Some(1), "waypost {args:?}: {told}");
    let place = place.display().to_string();
    let line = told.lines().find(|line| line.starts_with("error: cannot ")).unwrap_or_default();
    assert!(line.contains(&place), "waypost {args:?}: expected {place} in: {told}");
    let hint = told.lines().find(|line| line.starts_with(" next: ")).unwrap_or_default();
    assert!(hint.contains(next), "waypost {args:?}: expected `{next}` in: {told}");
}

fn reading_goes_on(env: &TestEnv, session: &str) {
    for args in [
        &["status"][..],
        &["status", session],
        &["list", "--all"],
        &["show", session],
        &["history"],
        &["violations"],
        &["verify"],
        &["verify", session],
        &["gate", "list"],
        &["export", session],
    ] {
        env.ok(args);
    }
    assert_eq!(env.notes(session), ["before"]);
}

/// What reads goes on, what a gate stands before does not, and the user's prompt is not held up.
fn the_hook_denies_harm(env: &TestEnv) {
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": env.project().join("src")}});
    assert_eq!(env.hook("PreToolUse", &read).stdout, "");
    for command in ["waypost status", "waypost verify --all", "waypost doctor"] {
        assert_eq!(env.before_bash(command, "w").denied(), None, "{command}");
    }
    let commit = env.before_bash("git commit -am x", "c").denied().unwrap();
    assert!(commit.contains("Next: see that it can be read and written"), "{commit}");
    assert!(env.before_edit(&env.store().join("project/events.jsonl")).denied().is_some());
    let held = env.stop().held().unwrap();
    assert!(held.contains("Next: see that it can be read and written"), "{held}");
    let prompt = env.hook("UserPromptSubmit", &json!({"prompt": "help"}));
    assert_eq!((prompt.status, prompt.held()), (0, None));
    assert!(
        prompt.stdout.contains("see that it can be read and written"),
        "the user is told: {prompt:?}"
    );
}

const WRITING: [&[&str]; 5] = [
    &["note", "add", "x"],
    &["start", "--objective", "Other"],
    &["pause", "--reason", "x"],
    &["end"],
    &["commit", "HEAD", "-m", "x"],
];

/// With `place` read-only, a person can read everything and change nothing.
fn a_person_can_only_read(place: fn(&TestEnv) -> PathBuf) {
    let (env, session) = env();
    let before = everywhere(&env);
    let mount = Mount::read_only(&place(&env));
    reading_goes_on(&env, &session);
    for args in WRITING {
        is_refused(&env, args, &env.store(), "see that it can be read and written");
    }
    assert_eq!(before.changes(&everywhere(&env)), [] as [String; 0]);
    drop(mount);
    env.ok(&["note", "add", "after"]);
    assert_eq!(env.notes(&session), ["before", "after"]);
    env.ok(&["verify", "--all"]);
}

/// With `place` read-only, an agent can read everything and do no harm.
fn an_agent_can_only_read(place: fn(&TestEnv) -> PathBuf) {
    let (env, session) = env_of_agent();
    let before = everywhere(&env);
    let mount = Mount::read_only(&place(&env));
    the_hook_denies_harm(&env);
    reading_goes_on(&env, &session);
    for args in WRITING {
        is_refused(&env, args, &env.store(), "see that it can be read and written");
    }
    // What was denied is noted, where that can be written.
    let mut changes = before.changes(&everywhere(&env));
    changes.retain(|change| !change.contains("/waypost/activity"));
    assert_eq!(changes, [] as [String; 0]);
    drop(mount);
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some_and(|why| why.contains("checks-pass")));
    env.ok(&["verify", "--all"]);
}

#[test]
fn given_a_read_only_store_a_person_can_read_and_writing_is_refused() {
    in_own_mounts(|| a_person_can_only_read(TestEnv::store));
}

#[test]
fn given_a_read_only_store_an_agent_can_read_and_harm_is_denied() {
    in_own_mounts(|| an_agent_can_only_read(TestEnv::store));
}

#[test]
fn given_a_read_only_project_a_person_can_read_and_writing_is_refused() {
    in_own_mounts(|| a_person_can_only_read(|env| env.project().to_owned()));
}

#[test]
fn given_a_read_only_project_an_agent_can_read_and_harm_is_denied() {
    in_own_mounts(|| an_agent_can_only_read(|env| env.project().to_owned()));
}

#[test]
fn given_a_read_only_store_a_run_that_could_not_be_recorded_is_refused_before_it_runs() {
    in_own_mounts(|| {
        let (env, _) = env();
        let before = everywhere(&env);
        let _mount = Mount::read_only(&env.store());
        is_refused(&env, &["run", "--", "touch", "made"], &env.store(), "see that it can be");
        assert_eq!(before.changes(&everywhere(&env)), [] as [String; 0]);
    });
}

#[test]
fn given_a_read_only_store_taking_waypost_out_is_refused_and_changes_nothing() {
    in_own_mounts(|| {
        let (env, _) = env();
        let before = everywhere(&env);
        let _mount = Mount::read_only(&env.store());
        is_refused(
            &env,
            &["init", "--remove"],
            &env.store(),
            "see that it can be read and written",
        );
        assert_eq!(before.changes(&everywhere(&env)), [] as [String; 0]);
    });
}

#[test]
fn given_a_read_only_store_doctor_says_so() {
    in_own_mounts(|| {
        let (env, _) = env();
        env.ok(&["doctor"]);
        let _mount = Mount::read_only(&env.store());
        let output = env.waypost(&["doctor"]);
        let told = everything(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&env.store().display().to_string()), "{told}");
    });
}

#[test]
fn given_a_read_only_project_taking_waypost_out_is_refused_and_changes_nothing() {
    in_own_mounts(|| {
        let (env, _) = env();
        let before = everywhere(&env);
        let _mount = Mount::read_only(env.project());
        is_refused(
            &env,
            &["init", "--remove"],
            env.project(),
            "see that it can be read and written",
        );
        assert_eq!(before.changes(&everywhere(&env)), [] as [String; 0]);
    });
}

#[test]
fn given_a_read_only_project_setting_it_up_is_refused_and_changes_nothing() {
    in_own_mounts(|| {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        let before = everywhere(&env);
        let _mount = Mount::read_only(env.project());
        is_refused(&env, &["init"], env.project(), "see that it can be read and written");
        assert_eq!(before.changes(&everywhere(&env)), [] as [String; 0]);
    });
}

#[test]
fn given_a_read_only_home_the_project_s_own_work_goes_on() {
    in_own_mounts(|| {
        let (env, session) = env_of_agent();
        let home = Picture::of(&[env.home()]);
        let _mount = Mount::read_only(env.home());
        reading_goes_on(&env, &session);
        // The conversation is registered: edits are recorded, and stops held.
        env.edit("src/lib.txt", "two\n");
        assert!(env.stop().held().is_some_and(|why| why.contains("checks-pass")));
        // The beginning of a run is noted in the home: without that, it could prove nothing.
        let run = env.before_bash("./check.sh", "c").denied().unwrap();
        assert!(run.contains("Next: see that it can be read and written"), "{run}");
        env.ok(&["run", "--", "./check.sh"]);
        assert_eq!(env.stop().held(), None);
        env.ok(&["note", "add", "after"]);
        env.ok(&["pause", "--reason", "x"]);
        env.ok(&["resume"]);
        env.ok(&["verify", "--all"]);
        assert_eq!(home.changes(&Picture::of(&[env.home()])), [] as [String; 0]);
    });
}

#[test]
fn given_a_read_only_home_a_new_conversation_may_read_and_do_no_harm() {
    in_own_mounts(|| {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.init();
        let _mount = Mount::read_only(env.home());
        let told = env.hook("SessionStart", &json!({"source": "startup"}));
        assert_eq!(told.status, 0);
        assert!(told.stdout.contains("see that it can be read and written"), "{told:?}");
        for command in ["rm x", "./check.sh", "git commit -am x"] {
            assert!(env.before_bash(command, "c").denied().is_some(), "{command}");
        }
        assert_eq!(env.before_bash("git log --oneline && cat src/lib.txt", "c").denied(), None);
        let edit = env.before_edit(&env.project().join("src/lib.txt")).denied().unwrap();
        assert!(edit.contains(&env.home().display().to_string()), "{edit}");
        let read = json!({"tool_name": "Read", "tool_input": {"file_path": "/x"}});
        assert_eq!(env.hook("PreToolUse", &read).stdout, "");
        env.ok(&["verify", "--all"]);
    });
}

#[test]
fn given_a_read_only_home_without_a_key_setting_up_is_refused_and_changes_nothing() {
    in_own_mounts(|| {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        let before = everywhere(&env);
        let _mount = Mount::read_only(env.home());
        is_refused(&env, &["init"], env.home(), "see that it can be read and written");
        assert_eq!(before.changes(&everywhere(&env)), [] as [String; 0]);
    });
}

/// Notes of `size` bytes until the disk is full: exactly those that were acknowledged are there.
fn fill_with_notes(env: &TestEnv, session: &str, size: usize) -> Vec<String> {
    let mut kept = env.notes(session);
    for number in 0..10_000 {
        let text = format!("{number} {}", "x".repeat(size));
        let output = env.waypost(&["note", "add", &text, "--session", session]);
        if output.status.success() {
            kept.push(text);
            continue;
        }
        is_refused(
            env,
            &["note", "add", &text, "--session", session],
            &env.store(),
            "that its disk has space",
        );
        assert!(number > 0, "there was room for one at least");
        return kept;
    }
    panic!("the disk was never full");
}

/// Everything that was acknowledged is there, nothing is wrong, and reading goes on.
fn all_is_kept(env: &TestEnv, session: &str, kept: &[String]) {
    env.ok(&["verify", "--all"]);
    assert!(env.notes(session) == kept, "{} notes were acknowledged", kept.len());
    for args in [&["status", session][..], &["list"], &["show", session]] {
        env.ok(args);
    }
}

#[test]
fn given_a_store_that_fills_up_every_acknowledged_note_stays_and_space_is_all_that_is_needed() {
    in_own_mounts(|| {
        for (size, disk) in [(10, "256k"), (700, "256k"), (9_000, "512k"), (3_000, "1m")] {
            let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
            fs::create_dir_all(env.store()).unwrap();
            let mount = Mount::small_disk(&env.store(), disk);
            env.init();
            let session = env.start("Fill");
            // Small notes on a small disk take long; most of it is filled at once.
            let ballast = fill(&env.store(), 24 * 1024);
            let mut kept = fill_with_notes(&env, &session, size);
            all_is_kept(&env, &session, &kept);
            let full = Picture::of(&[&env.store()]);
            let long = "y".repeat(9_000);
            is_refused(&env, &["note", "add", &long], &env.store(), "that its disk has space");
            assert_eq!(full.changes(&Picture::of(&[&env.store()])), [] as [String; 0]);

            fs::remove_file(ballast).unwrap();
            let freed = everything(&env.waypost(&["note", "add", "freed"]));
            assert!(freed.contains("noted in") && !freed.contains("warning"), "torn: {freed}");
            kept.push("freed".into());
            all_is_kept(&env, &session, &kept);
            fill(&env.store(), 0);
            mount.resize("4m");
            env.ok(&["note", "add", "grown"]);
            kept.push("grown".into());
            all_is_kept(&env, &session, &kept);
        }
    });
}

#[test]
fn given_a_full_store_no_session_begins_and_none_is_half_begun() {
    in_own_mounts(|| {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        fs::create_dir_all(env.store()).unwrap();
        let _mount = Mount::small_disk(&env.store(), "512k");
        env.init();
        let session = env.start("First");
        for left in [0, 4_096, 8_192, 12_288] {
            let ballast = fill(&env.store(), left);
            let output = env.waypost(&["start", "--objective", &"Second ".repeat(400)]);
            if !output.status.success() {
                let told = everything(&output);
                assert!(told.contains("that its disk has space"), "{left}: {told}");
                let listed = env.json(&["list", "--all", "--json"]);
                assert_eq!(listed.as_array().unwrap().len(), 1, "{left}: {listed}");
                assert_eq!(listed[0]["session_id"], session.as_str());
            }
            env.ok(&["verify", "--all"]);
            fs::remove_file(ballast).unwrap();
            if output.status.success() {
                assert!(left > 0);
                return;
            }
            env.ok(&["note", "add", "between", "--session", &session]);
        }
        panic!("there was room for a session in the end");
    });
}

#[test]
fn given_a_project_on_a_full_disk_the_hook_denies_harm_until_there_is_space() {
    in_own_mounts(|| {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        let copy = env.home().join("copy");
        let cp = |from: &Path, to: &Path| {
            let done = env.command("cp", env.home()).arg("-a").args([from, to]).output().unwrap();
            assert!(done.status.success(), "{}", everything(&done));
        };
        cp(env.project(), &copy);
        let _mount = Mount::small_disk(env.project(), "1m");
        cp(&copy.join("."), env.project());
        env.init();
        env.begin();
        env.edit("src/lib.txt", "two\n");
        let ballast = fill(env.project(), 0);
        let sessions = env.json(&["list", "--json"]);
        let session = sessions[0]["session_id"].as_str().unwrap().to_owned();
        // To the last byte of the stream's last page.
        let kept = fill_with_small_notes(&env, &session);
        let commit = env.before_bash("git commit -am x", "c").denied().unwrap();
        assert!(commit.contains("Next: "), "{commit}");
        assert!(env.stop().held().is_some());
        let prompt = env.hook("UserPromptSubmit", &json!({"prompt": "help"}));
        assert_eq!((prompt.status, prompt.held()), (0, None));
        let read = json!({"tool_name": "Read", "tool_input": {"file_path": "/x"}});
        assert_eq!(env.hook("PreToolUse", &read).stdout, "");
        all_is_kept(&env, &session, &kept);
        fs::remove_file(ballast).unwrap();
        env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
        assert!(env.stop().held().is_some_and(|why| why.contains("checks-pass")));
        assert_eq!(env.bash("./check.sh", "one").status, 0);
        assert_eq!(env.stop().held(), None);
        all_is_kept(&env, &session, &kept);
    });
}

/// The same with notes of a few bytes, of which none may fit.
fn fill_with_small_notes(env: &TestEnv, session: &str) -> Vec<String> {
    let mut kept = Vec::new();
    while env.waypost(&["note", "add", "x", "--session", session]).status.success() {
        kept.push("x".to_owned());
        assert!(kept.len() < 1_000, "the disk was never full");
    }
    kept
}
