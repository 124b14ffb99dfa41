//! A project's own test runners, from `.waypost/runners`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

const PROFILE: &str = ".waypost/runners/checks.toml";

const CHECKS: &str = r#"
[[runner]]
name = "run-checks"
spellings = ["./run-checks all"]
idle = ["--list"]
narrow = ["--only*"]
formats = ["checks"]

[[format]]
name = "checks"
summary = ["checks: <counts>"]
passed = ["good"]
failed = ["bad"]
names = ["bad: <name>"]
"#;

const CONFIG: &str = "[[gate]]\nid = \"checks\"\nbefore = [\"stop\"]\n\
                      proof = { ran = \"./run-checks all\", fresh = \"tree\" }\n";

/// A project with a made-up runner, which says what stands in `result`.
fn project() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("run-checks", "#!/bin/sh\ncat result\n! grep -q bad: result\n");
    let script = env.project().join("run-checks");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    env.write(".gitignore", "result\n");
    env.write("result", "checks: 4 good, 0 bad\n");
    env.write(PROFILE, CHECKS);
    env.init_with(CONFIG);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    env
}

fn last_run(env: &TestEnv) -> Value {
    let list = env.json(&["evidence", "list", "--json"]);
    list["runs"].as_array().unwrap().last().unwrap()["run"].clone()
}

/// Whether a line counts, and why.
fn matched(env: &TestEnv, line: &str) -> (bool, String) {
    let output = env.waypost(&["gate", "match", "--json", line]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    (told[0]["counts"] == true, told[0]["why"].as_str().unwrap().to_owned())
}

#[test]
fn a_runner_of_the_project_counts_whole_and_says_how_many_tests_ran() {
    let env = project();
    for line in ["./run-checks all", "timeout 60 ./run-checks all -v", "env CI=1 ./run-checks all"]
    {
        assert_eq!(matched(&env, line), (true, "it is a whole run of run-checks".to_owned()));
    }
    for (line, why) in [
        ("./run-checks all --list", "with `--list` it tests nothing"),
        ("./run-checks all --only=login", "`--only=login` leaves tests out, or may"),
        ("./run-checks all tests/a", "`tests/a` names only a part of the tests"),
        ("./run-checks some", "no gate waits for it"),
    ] {
        assert_eq!(matched(&env, line), (false, why.to_owned()), "{line}");
    }
    env.begin();
    env.edit("app.py", "x = 1\n");
    assert!(env.stop().held().is_some());
    let output = env.waypost(&["run", "--", "./run-checks", "all"]);
    assert!(output.status.success(), "{}", everything(&output));
    assert_eq!(last_run(&env)["tests"], json!({"passed": 4, "failed": 0, "skipped": 0}));
    assert_eq!(env.stop().held(), None);
}

#[test]
fn what_its_output_names_as_failed_is_told() {
    let env = project();
    env.begin();
    env.edit("app.py", "x = 1\n");
    env.write("result", "bad: login\nchecks: 3 good, 1 bad\n");
    assert_eq!(env.waypost(&["run", "--", "./run-checks", "all"]).status.code(), Some(1));
    let run = last_run(&env);
    assert_eq!(run["tests"], json!({"passed": 3, "failed": 1, "skipped": 0}));
    let held = env.stop().held().unwrap();
    assert!(held.contains("login"), "{held}");
}

#[test]
fn what_cannot_be_understood_is_told_with_file_and_line() {
    let env = project();
    env.write(PROFILE, &CHECKS.replace("idle", "idel").replace("./run-checks all\"", "pytest\""));
    let list = env.waypost(&["gate", "list"]);
    assert!(!list.status.success());
    for told in [everything(&list), everything(&env.waypost(&["doctor"]))] {
        for problem in [
            ".waypost/runners/checks.toml:5: `idel` is not a key of [[runner]]; did you mean `idle`?",
            ".waypost/runners/checks.toml:4: `spellings`: `pytest` is built in, as pytest",
        ] {
            assert!(told.contains(problem), "{problem}\n{told}");
        }
    }
}

#[test]
fn what_a_link_brings_in_from_outside_is_not_read() {
    let env = project();
    let outside = env.home().join("checks.toml");
    fs::write(&outside, CHECKS).unwrap();
    fs::remove_file(env.project().join(PROFILE)).unwrap();
    symlink(outside, env.project().join(PROFILE)).unwrap();
    let told = everything(&env.waypost(&["gate", "list"]));
    assert!(told.contains(".waypost/runners/checks.toml:1: it lies outside the project"), "{told}");
    assert!(!matched(&env, "timeout 60 ./run-checks all").0);
}

#[test]
fn a_profile_that_changes_in_the_middle_of_a_turn_waits_for_the_next_prompt() {
    let env = project();
    env.begin();
    env.edit("app.py", "x = 1\n");
    // A human changes it meanwhile; agents cannot.
    env.write(PROFILE, &CHECKS.replace("narrow = [\"--only*\"]", ""));
    env.bash("./run-checks all --only=login", "c1");
    let held = env.stop().held().unwrap();
    assert!(held.contains("no run of"), "{held}");
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    env.edit("app.py", "x = 2\n");
    env.bash("./run-checks all --only=login", "c2");
    assert_eq!(env.stop().held(), None);
}

#[test]
fn an_agent_cannot_write_there() {
    let env = project();
    env.begin();
    for file in [PROFILE, ".waypost/runners/more.toml"] {
        let denied = env.before_edit(&env.project().join(file)).denied();
        assert!(denied.is_some_and(|why| why.contains("test runners")), "{file}");
    }
    for line in [
        "echo > .waypost/runners/checks.toml",
        "rm -r .waypost/runners",
        "cp x.toml .waypost/runners/x.toml",
        "python -c \"open('.waypost/runners/x.toml', 'w')\"",
    ] {
        assert!(env.before_bash(line, "c1").denied().is_some(), "{line}");
    }
    assert_eq!(env.before_bash("cat .waypost/runners/checks.toml", "c2").denied(), None);
}
