//! `init --probe`: what the first run of the test command shows decides what the gate is.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use waypost_testkit::{TestEnv, everything};

/// A project whose pytest says and does what stands in `result`.
fn project(result: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("pyproject.toml", "[dependency-groups]\ndev = [\"pytest\"]\n");
    env.write(".venv/bin/pytest", "#!/bin/sh\necho ran >> \"$(dirname \"$0\")/ran\"\n. ./result\n");
    let pytest = env.project().join(".venv/bin/pytest");
    fs::set_permissions(pytest, fs::Permissions::from_mode(0o755)).unwrap();
    env.write(".gitignore", ".venv/\nresult\n");
    env.write("result", result);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "a project"]);
    env
}

const GREEN: &str = "echo '===== 3 passed in 0.1s ====='\n";

/// A run in which these tests fail, of five.
fn red(failing: &[&str]) -> String {
    let mut names = String::new();
    for name in failing {
        let _ = writeln!(names, "echo 'FAILED tests/test_a.py::{name} - assert'");
    }
    let (failed, passed) = (failing.len(), 5 - failing.len());
    format!("{names}echo '===== {failed} failed, {passed} passed in 0.1s ====='\nexit 1\n")
}

/// What `init --probe` tells.
fn probed(env: &TestEnv) -> String {
    let output = env.waypost(&["init", "--harness", "claude-code", "--probe"]);
    let told = everything(&output);
    assert!(output.status.success(), "{told}");
    told
}

fn gate(env: &TestEnv) -> Option<toml::Table> {
    let config: toml::Table = env.read("waypost.toml").parse().unwrap();
    Some(config.get("gate")?[0].as_table().unwrap().clone())
}

fn times_run(env: &TestEnv) -> usize {
    let file = env.project().join(".venv/bin/ran");
    fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

#[test]
fn without_it_nothing_of_the_project_runs() {
    let env = project(GREEN);
    env.ok(&["init", "--harness", "claude-code"]);
    env.ok(&["doctor"]);
    assert_eq!(times_run(&env), 0);
    // What was there before is not run on the word of a flag either, and stays as it is.
    let told = probed(&env);
    assert_eq!(times_run(&env), 0);
    assert!(told.contains("waypost.toml was there already"), "{told}");
}

#[test]
fn a_green_run_leaves_the_gate_as_it_is() {
    let env = project(GREEN);
    let told = probed(&env);
    assert!(told.contains("green: 3 tests in"), "{told}");
    assert_eq!(times_run(&env), 1);
    let gate = gate(&env).unwrap();
    assert_eq!(gate["level"].as_str(), Some("must"));
    assert_eq!(gate["before"], toml::Value::from(vec!["stop", "commit"]));
    assert!(gate["proof"].get("baseline").is_none());
    // No session was begun for it, and the number of tests is known from now on.
    assert_eq!(env.json(&["list", "--json"])["sessions"].as_array().map_or(0, Vec::len), 0);
    env.begin();
    env.edit("app.py", "x = 1\n");
    env.write("result", "echo '===== 2 passed in 0.1s ====='\n");
    let told = everything(&env.waypost(&["run", "--gate", "tests-pass"]));
    assert!(told.contains("executed 2 tests, 3 before"), "{told}");
}

#[test]
fn what_was_red_before_holds_nobody_and_whatever_is_new_does() {
    let env = project(&red(&["test_old", "test_older"]));
    let told = probed(&env);
    assert!(told.contains("2 of 5 tests fail"), "{told}");
    assert!(told.contains("tests/test_a.py::test_older"), "{told}");
    assert_eq!(gate(&env).unwrap()["proof"]["baseline"].as_str(), Some("no new failures"));
    env.begin();
    env.edit("app.py", "x = 1\n");
    env.waypost(&["run", "--gate", "tests-pass"]);
    assert_eq!(env.stop().held(), None, "nothing new failed");
    env.edit("app.py", "x = 2\n");
    env.write("result", &red(&["test_old", "test_new"]));
    env.waypost(&["run", "--gate", "tests-pass"]);
    let held = env.stop().held().unwrap();
    assert!(held.contains("a new failure: tests/test_a.py::test_new"), "{held}");
}

#[test]
fn a_slow_run_is_asked_for_before_commits_and_pushes() {
    let mut env = project(GREEN);
    // Everything takes longer than no time at all.
    env.vars.push(("WAYPOST_TEST_LIMITS".to_owned(), "0".to_owned()));
    let written = env.waypost(&["init", "--harness", "claude-code", "--probe"]);
    let gate = gate(&env).unwrap_or_else(|| panic!("{}", everything(&written)));
    assert_eq!(gate["before"], toml::Value::from(vec!["commit", "push"]));
    assert_eq!(gate["level"].as_str(), Some("must"));
}

#[test]
fn a_gate_that_nobody_could_meet_holds_nobody() {
    let env = project("echo '===== no tests ran in 0.1s ====='\nexit 5\n");
    let told = probed(&env);
    assert!(told.contains("no tests yet"), "{told}");
    assert!(gate(&env).is_none(), "{}", env.read("waypost.toml"));
    for broken in ["echo 'SyntaxError'\nexit 2\n", "nobody-has-this\nexit 127\n"] {
        let env = project(broken);
        let told = probed(&env);
        assert!(told.contains("no failing test is named"), "{told}");
        assert_eq!(gate(&env).unwrap()["level"].as_str(), Some("should"), "{broken}");
    }
    let env = project(GREEN);
    fs::remove_dir_all(env.project().join(".venv")).unwrap();
    env.write("pyproject.toml", "[tool.poetry]\nname = \"a\"\n");
    let bin = env.home().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let mut command = env.command(env.binary(), env.project());
    command
        .args(["init", "--harness", "claude-code", "--probe"])
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let told = everything(&command.output().unwrap());
    assert!(told.contains("poetry was not found"), "{told}");
    assert_eq!(gate(&env).unwrap()["level"].as_str(), Some("must"));
}

#[test]
fn a_run_that_is_killed_changes_nothing() {
    let env = project("kill -INT $$\n");
    let told = probed(&env);
    assert!(told.contains("ended before it was done"), "{told}");
    let gate = gate(&env).unwrap();
    assert!(gate["level"].as_str() == Some("must") && gate["proof"].get("baseline").is_none());
}

#[test]
fn every_package_is_run_in_its_folder_and_taking_out_puts_all_back() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    for (name, result) in [("api", GREEN.to_owned()), ("jobs", red(&["test_old"]))] {
        env.write(&format!("{name}/pyproject.toml"), "[project]\ndependencies = [\"pytest\"]\n");
        let pytest = format!("{name}/.venv/bin/pytest");
        env.write(&pytest, &format!("#!/bin/sh\n{result}"));
        fs::set_permissions(env.project().join(pytest), fs::Permissions::from_mode(0o755)).unwrap();
    }
    env.write(".gitignore", ".venv/\n");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "packages"]);
    let told = probed(&env);
    assert!(told.contains("pytest in api: green"), "{told}");
    let config: toml::Table = env.read("waypost.toml").parse().unwrap();
    let baselines = config["gate"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gate| gate["proof"].get("baseline").is_some());
    assert_eq!(baselines.collect::<Vec<_>>(), [false, true]);
    assert!(everything(&env.waypost(&["gate", "list"])).contains("tests-pass-jobs"));
    env.ok(&["init", "--remove"]);
    assert_eq!(env.git(&["status", "--short"]), "");
}
