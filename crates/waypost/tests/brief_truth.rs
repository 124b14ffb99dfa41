//! The brief tells the truth: of this session's files only, what failed, and nothing as to do before it is.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use waypost_testkit::TestEnv;

const GATE: &str = "[[gate]]\nid = \"checks\"\nbefore = [\"stop\", \"commit\"]\n\
                    proof = { ran = \"pytest\", fresh = \"tree\" }\n";

/// A project whose tests fail, committed.
fn project() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(GATE);
    let pytest = env.project().join("bin/pytest");
    env.write(
        "bin/pytest",
        "#!/bin/sh\necho 'FAILED test_a.py::test_sum - assert 1 == 2'\n\
                              echo '=== 1 failed, 4 passed in 0.10s ==='\nexit 1\n",
    );
    fs::set_permissions(pytest, fs::Permissions::from_mode(0o755)).unwrap();
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "everything"]);
    env.ok(&["start", "--objective", "work"]);
    env
}

#[test]
fn only_files_that_the_session_touched_are_its_files() {
    let env = project();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.bash("echo x > made.txt", "made");
    env.tick();
    env.write("mine.txt", "by a person\n");
    let files = env.json(&["brief", "--json"])["files"].clone();
    assert_eq!(files, json!(["made.txt", "src/lib.txt"]));
}

#[test]
fn what_failed_in_the_last_run_is_told() {
    let env = project();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let path =
        format!("{}:{}", env.project().join("bin").display(), std::env::var("PATH").unwrap());
    let mut run = env.command(env.binary(), env.project());
    run.args(["run", "--", "pytest"]).env("PATH", path);
    assert_eq!(run.output().unwrap().status.code(), Some(1));
    let told = env.ok(&["brief"]);
    let line =
        "\"pytest\" failed with status 1 (4 passed, 1 failed): \"test_a.py::test_sum\", just now";
    assert!(told.contains(line), "{told}");
}

#[test]
fn what_is_asked_before_a_stop_is_not_to_do_before_anything_changed() {
    let env = project();
    let told = env.begin().stdout;
    assert!(!told.contains("before you are done"), "{told}");
    let brief = env.ok(&["brief"]);
    assert!(brief.contains("Asked once something has changed:"), "{brief}");
    assert!(!brief.contains("Open gates") && !brief.contains("before you are done"), "{brief}");
    assert!(env.ok(&["status"]).contains("asked before stop, commit once something changes"));
    env.edit("src/lib.txt", "two\n");
    let brief = env.ok(&["brief"]);
    assert!(brief.contains("Open gates") && brief.contains("before you are done"), "{brief}");
}
