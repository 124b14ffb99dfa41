//! `waypost run --gate`: a gate's own command, as it has to be called here, and what it printed.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

/// A pytest of the project's own, which says what stands in `result`.
const PYTEST: &str = "#!/bin/sh\ncat \"$(dirname \"$0\")/../../result\"\n! grep -q failed \
                      \"$(dirname \"$0\")/../../result\"\n";

fn program(env: &TestEnv, path: &str, text: &str) {
    env.write(path, text);
    fs::set_permissions(env.project().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn says(env: &TestEnv, line: &str) {
    env.write("result", &format!("collected some\n\n===== {line} in 0.02s =====\n"));
}

/// A project with a pytest that nobody finds on PATH, set up by a human.
fn python() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    program(&env, ".venv/bin/pytest", PYTEST);
    env.write(".gitignore", ".venv/\nresult\n");
    env.write("sub/x.py", "");
    says(&env, "3 passed");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    env.ok(&["init", "--harness", "claude-code", "--test-command", "pytest"]);
    env
}

/// The same with a proof that asks for more than `fresh`, trusted, and a conversation.
fn python_with(proof: &str) -> TestEnv {
    let env = python();
    let config = env.read("waypost.toml").replace("fresh = \"tree\"", proof);
    env.write("waypost.toml", &config);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "gate"]);
    env.ok_at_terminal(&["trust", "config"]);
    env.begin();
    env
}

fn last_run(env: &TestEnv) -> Value {
    let list = env.json(&["evidence", "list", "--json"]);
    list["runs"].as_array().unwrap().last().unwrap()["run"].clone()
}

#[test]
fn a_gates_own_command_is_called_as_it_has_to_be_called_here() {
    let env = python();
    env.begin();
    let held = {
        env.edit("app.py", "x = 1\n");
        env.stop().held().unwrap()
    };
    assert!(held.contains("Next: waypost run --gate tests-pass"), "{held}");
    let sub = env.project().join("sub");
    let output = env.waypost_in(&sub, &["run", "--gate", "tests-pass"]);
    assert!(output.status.success(), "{}", everything(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("3 passed"), "it is passed through");
    let run = last_run(&env);
    assert_eq!(run["tests"], json!({"passed": 3, "failed": 0, "skipped": 0}));
    assert_eq!(run["provenance"], "verified");
    assert_eq!(env.stop().held(), None);
}

#[test]
fn what_it_printed_is_seen_whatever_becomes_of_it() {
    let env = python();
    env.begin();
    env.edit("app.py", "x = 1\n");
    let line = "waypost run --gate tests-pass > /dev/null 2>&1 | cat; true";
    let shell = env.command("sh", env.project()).args(["-c", line]).status().unwrap();
    assert!(shell.success());
    assert_eq!(last_run(&env)["tests"]["passed"], 3);
    assert_eq!(env.stop().held(), None);
}

#[test]
fn a_run_that_executed_no_test_proves_nothing() {
    for (line, why) in [
        ("no tests ran", "the last run executed no test"),
        ("4 skipped", "the last run skipped all of its 4 tests"),
    ] {
        let env = python();
        env.begin();
        env.edit("app.py", "x = 1\n");
        says(&env, line);
        let told = everything(&env.waypost(&["run", "--gate", "tests-pass"]));
        assert!(told.contains("executed no test"), "{told}");
        let held = env.stop().held().unwrap();
        assert!(held.contains(why), "{held}");
        assert!(held.contains("waypost gate approve tests-pass"), "{held}");
    }
}

#[test]
fn tests_that_fail_are_named() {
    let env = python();
    env.begin();
    env.edit("app.py", "x = 1\n");
    env.write(
        "result",
        "=== short test summary info ===\nFAILED tests/test_a.py::test_one - assert 1 == 2\n\
         ==== 1 failed, 2 passed in 0.1s ====\n",
    );
    let output = env.waypost(&["run", "--gate", "tests-pass"]);
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    for _ in 0..2 {
        let held = env.stop().held().unwrap();
        assert!(held.contains("1 of 3 tests failed: tests/test_a.py::test_one"), "{held}");
        assert!(held.contains("or ask the user: waypost gate approve tests-pass"), "{held}");
    }
}

#[test]
fn fewer_tests_than_the_last_time_are_told_and_held_only_where_a_gate_asks() {
    let fewer = |proof: &str| {
        let env = python_with(proof);
        env.edit("app.py", "x = 1\n");
        assert_eq!(env.waypost(&["run", "--gate", "tests-pass"]).status.code(), Some(0));
        assert_eq!(env.stop().held(), None);
        env.edit("app.py", "x = 2\n");
        says(&env, "2 passed");
        let told = everything(&env.waypost(&["run", "--gate", "tests-pass"]));
        assert!(told.contains("this run executed 2 tests, 3 before"), "{told}");
        let held = env.stop().held();
        // Where nobody asks, the next run is compared with this one.
        let told = everything(&env.waypost(&["run", "--gate", "tests-pass"]));
        (held, told)
    };
    let (held, told) = fewer("fresh = \"tree\"");
    assert_eq!(held, None);
    assert!(!told.contains("before"), "{told}");
    let (held, told) = fewer("fresh = \"tree\", tests = \"not fewer\"");
    let held = held.unwrap();
    assert!(held.contains("the last run executed 2 tests, 3 before"), "{held}");
    assert!(told.contains("2 tests, 3 before"), "{told}");
}

#[test]
fn nothing_of_a_repository_is_run_that_no_human_of_this_machine_trusts() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("evil.sh", "#!/bin/sh\ntouch ran\n");
    let gate = "[[gate]]\nid = \"checks\"\nbefore = [\"stop\"]\nproof = { ran = \"sh evil.sh\" }\n";
    env.init_with(gate);
    let output = env.waypost(&["run", "--gate", "checks"]);
    assert_eq!(output.status.code(), Some(1));
    let told = everything(&output);
    for part in ["waypost.toml", "waypost run -- sh evil.sh", "waypost trust config"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!Path::new(&env.project().join("ran")).exists());
    env.ok_at_terminal(&["trust", "config"]);
    env.ok(&["run", "--gate", "checks"]);
    assert!(env.project().join("ran").exists());
    fs::remove_file(env.project().join("ran")).unwrap();
    env.write("waypost.toml", &gate.replace("sh evil.sh", "sh evil.sh again"));
    assert_eq!(env.waypost(&["run", "--gate", "checks"]).status.code(), Some(1));
    assert!(!env.project().join("ran").exists());
}

#[test]
fn a_gate_without_a_command_and_one_that_is_not_there_are_told() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[[gate]]\nid = \"adr\"\nbefore = [\"edit\"]\nproof = { read = \"ADR.md\" }\n");
    let told = everything(&env.waypost(&["run", "--gate", "adr"]));
    assert!(told.contains("gate adr asks for no command"), "{told}");
    let told = everything(&env.waypost(&["run", "--gate", "ad"]));
    assert!(told.contains("did you mean `adr`"), "{told}");
}

#[test]
fn a_gate_of_a_package_runs_in_its_folder_and_only_a_run_there_counts() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    for package in ["a", "b"] {
        env.write(&format!("packages/{package}/Makefile"), "test:\n\t@pwd > ../../where\n");
    }
    env.write(".gitignore", "where\n");
    env.init_with(
        "[[gate]]\nid = \"a\"\nbefore = [\"stop\"]\nwhen = { paths = \"packages/a/**\" }\n\
         folder = \"packages/a\"\nproof = { ran = \"make test\", fresh = \"tree\" }\n",
    );
    env.ok_at_terminal(&["trust", "config"]);
    env.begin();
    env.edit("packages/a/x.c", "x\n");
    env.bash("cd packages/b && make test", "b1");
    let held = env.stop().held().unwrap();
    assert!(held.contains("no run of `make test` in packages/a"), "{held}");
    env.ok(&["run", "--gate", "a"]);
    assert!(env.read("where").ends_with("packages/a\n"));
    assert_eq!(env.stop().held(), None);
    env.edit("packages/a/x.c", "y\n");
    env.bash("cd packages/a && make test", "b2");
    assert_eq!(env.stop().held(), None);
    env.edit("packages/b/x.c", "y\n");
    assert_eq!(env.stop().held(), None, "that is no business of this gate");
}

#[test]
fn a_run_that_does_not_say_how_many_tests_it_executed_may_have_been_of_fewer() {
    let env = python_with("fresh = \"tree\", tests = \"not fewer\"");
    env.edit("app.py", "x = 1\n");
    env.ok(&["run", "--gate", "tests-pass"]);
    assert_eq!(env.stop().held(), None);
    env.edit("app.py", "x = 2\n");
    env.write("result", "fine\n");
    env.ok(&["run", "--gate", "tests-pass"]);
    let held = env.stop().held().unwrap();
    assert!(held.contains("does not say how many tests it executed, 3 before"), "{held}");
}

#[test]
fn another_path_for_waypost_run_is_denied() {
    let env = python();
    env.begin();
    for line in [
        "PATH=/tmp/x:$PATH waypost run --gate tests-pass",
        "export PATH=/tmp/x:$PATH && waypost run -- pytest",
        "LD_PRELOAD=./x.so waypost run -- pytest",
    ] {
        let denied = env.before_bash(line, "p").denied().unwrap();
        assert!(denied.contains("out of the line"), "{line}: {denied}");
    }
    assert_eq!(env.before_bash("CI=1 waypost run --gate tests-pass", "p").denied(), None);
}

#[test]
fn tests_that_fail_prove_nothing_however_the_run_ends() {
    let env = python();
    env.begin();
    env.edit("app.py", "x = 1\n");
    program(&env, ".venv/bin/pytest", "#!/bin/sh\necho '=== 1 failed, 4 passed in 0.1s ==='\n");
    let output = env.waypost(&["run", "--gate", "tests-pass"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(everything(&output).contains("1 of its tests failed"), "{}", everything(&output));
    let held = env.stop().held().unwrap();
    assert!(held.contains("reported success, but 1 of 5 tests failed"), "{held}");
}

#[test]
fn what_waypost_itself_runs_counts_whatever_stands_around_it() {
    let env = python();
    let worth = |line: &str| {
        let told = env.waypost(&["gate", "match", "--json", line]).stdout;
        let list: Value = serde_json::from_slice(&told).unwrap();
        list[0]["counts"].as_bool().unwrap()
    };
    for line in [
        "waypost run --gate tests-pass",
        "waypost run --gate tests-pass 2>&1 | tail -3",
        "waypost run -- pytest | tail",
        "waypost run -- python -m pytest -q; echo $?",
    ] {
        assert!(worth(line), "{line}");
    }
    for line in ["waypost run --gate other", "waypost run -- pytest -k one", "waypost status"] {
        assert!(!worth(line), "{line}");
    }
}
