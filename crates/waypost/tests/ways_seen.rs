//! Ways around that nobody can close for an agent of the same user: what came of them is seen, or
//! nothing comes of them. A script that the agent wrote first stands for all of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use waypost_testkit::{GATE, HookAnswer, TestEnv, everything};

fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    env.begin();
    env
}

/// The agent writes a script and runs it, which no hook can see through.
fn by_script(env: &TestEnv, lines: &str) {
    env.edit("evil.sh", lines);
    assert_eq!(env.bash("sh evil.sh", "evil").denied(), None);
    fs::remove_file(env.project().join("evil.sh")).unwrap();
}

fn prompt(env: &TestEnv) -> HookAnswer {
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}))
}

fn before_edit(env: &TestEnv) -> Option<String> {
    env.before_edit(&env.project().join("src/lib.txt")).denied()
}

fn before_commit(env: &TestEnv) -> Option<String> {
    env.before_bash("git commit -am x", "c").denied()
}

fn stream(env: &TestEnv) -> PathBuf {
    let sessions = fs::read_dir(env.store().join("sessions")).unwrap();
    sessions.map(|entry| entry.unwrap().path()).next().unwrap()
}

#[test]
fn a_script_that_loosens_the_configuration_changes_nothing_until_the_user_is_told() {
    let env = env();
    by_script(&env, "echo '[project]' > waypost.toml\n");
    assert!(before_commit(&env).is_some());
    assert!(env.stop().held().is_some());
    let forged = env.forged_hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    assert!(!forged.stdout.contains("removed"), "{forged:?}");
    env.forged_hook("SessionStart", &json!({"source": "resume"}));
    assert!(before_commit(&env).is_some(), "nor by events that the script makes up");
    assert!(prompt(&env).stdout.contains("gate checks-pass was removed"));
}

#[test]
fn a_script_that_changes_records_is_told_and_frees_nobody() {
    let names = |env: &TestEnv| {
        let entries = fs::read_dir(stream(env)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // What is derived from records is made again from them.
        let derived = ["lock", "story", "snapshot"];
        names.filter(|name| !derived.contains(&name.as_str())).collect::<Vec<_>>()
    };
    let all = names(&env());
    assert!(!all.is_empty(), "{all:?}");
    for name in all {
        let env = env();
        let file = stream(&env).join(&name);
        by_script(&env, &format!("sed -i s/a/b/g {}\n", file.display()));
        assert!(before_commit(&env).is_some(), "{name}");
        let verified = env.waypost(&["verify", "--all"]);
        assert_eq!(verified.status.code(), Some(3), "{name}: {}", everything(&verified));
        assert_ne!(env.waypost(&["doctor"]).status.code(), Some(0), "{name}");
    }
}

#[test]
fn a_script_that_exchanges_the_policy_changes_no_gate_and_is_told() {
    let env = env();
    let policies = env.store().join("policies");
    let file = fs::read_dir(policies).unwrap().map(|one| one.unwrap().path()).next().unwrap();
    by_script(&env, &format!("find {} -type f -exec sed -i s/must/may/g {{}} +\n", file.display()));
    assert!(before_commit(&env).is_some());
    assert!(env.ok(&["status"]).contains("could not be read"), "it stays told");
    assert!(prompt(&env).stdout.contains("could not be read"));
    assert!(before_commit(&env).is_some(), "the gates were made again");
    assert!(!env.ok(&["status"]).contains("could not be read"), "the user was told");
}

#[test]
fn a_script_that_removes_the_store_leaves_a_session_that_is_missed() {
    let env = env();
    by_script(&env, "rm -rf .git/waypost\n");
    assert!(before_edit(&env).is_some());
    assert!(env.stop().held().is_some());
    let verified = env.waypost(&["verify", "--all"]);
    assert_eq!(verified.status.code(), Some(3), "{}", everything(&verified));
    assert!(everything(&verified).contains("records are gone"), "{}", everything(&verified));
    assert!(env.forged_hook("UserPromptSubmit", &json!({"prompt": "x"})).stdout.contains("cannot"));
    let told = prompt(&env).stdout;
    assert!(told.contains("are gone; somebody removed them"), "{told}");
    assert_eq!(before_edit(&env), None, "with the user told, work goes on");
    assert!(before_commit(&env).is_some(), "under the same gates");
    assert!(env.ok(&["history"]).contains("are gone"), "and it stays told");
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_script_that_removes_store_and_configuration_has_not_taken_waypost_out() {
    let env = env();
    by_script(&env, "rm -rf .git/waypost waypost.toml\n");
    for answer in [before_edit(&env), before_commit(&env), env.stop().held()] {
        assert!(answer.unwrap().contains("are gone"));
    }
    assert!(prompt(&env).stdout.contains("are gone"));
    env.write("waypost.toml", GATE);
    assert!(prompt(&env).stdout.contains("are gone; somebody removed them"));
    assert!(before_commit(&env).unwrap().contains("checks-pass"));
}

#[test]
fn whom_the_user_took_waypost_out_for_is_left_alone() {
    let env = env();
    env.hook("SessionEnd", &json!({"reason": "other"}));
    env.ok(&["init", "--remove"]);
    fs::remove_file(env.project().join("waypost.toml")).unwrap();
    let _ = fs::remove_dir_all(env.store());
    assert_eq!(before_edit(&env), None);
    assert_eq!(env.stop().stdout, "");
}

#[test]
fn a_script_that_removes_the_registry_frees_nobody() {
    for and_then in ["", "echo '[project]' > waypost.toml\n"] {
        let env = env();
        env.edit("src/lib.txt", "two\n");
        by_script(&env, &format!("rm -rf ~/.local/state/waypost\n{and_then}"));
        let forget = || fs::remove_dir_all(env.home().join(".local/state/waypost"));
        forget().unwrap();
        assert!(env.stop().held().is_some(), "{and_then}");
        forget().unwrap();
        assert!(before_commit(&env).is_some(), "{and_then}");
    }
}

#[test]
fn a_script_that_takes_the_hooks_out_is_told_by_doctor() {
    let env = env();
    by_script(&env, "echo '{}' > .claude/settings.local.json\n");
    let told = env.waypost(&["doctor"]);
    assert_ne!(told.status.code(), Some(0));
    assert!(everything(&told).contains("no harness calls Waypost"), "{}", everything(&told));
}

#[test]
fn what_a_script_changes_in_the_project_is_found_at_the_stop() {
    let env = env();
    env.bash("./check.sh", "r");
    // The script lies elsewhere, so that nothing of it was seen.
    let script = env.home().join("evil.sh");
    fs::write(&script, "echo changed > src/lib.txt\n").unwrap();
    env.bash(&format!("sh {}", script.display()), "evil");
    assert!(env.stop().held().unwrap().contains("src/lib.txt"));
    let history = env.json(&["history", "--json"]);
    let events = history["events"].as_array().unwrap();
    let found = events.iter().find(|entry| entry["event"]["type"] == "edits_found").unwrap();
    assert!(found["event"]["files"].to_string().contains("src/lib.txt"), "{found}");
}

#[test]
fn what_an_agent_says_of_a_run_is_no_run() {
    let env = env();
    env.edit("src/lib.txt", "two\n");
    let recorded = env.waypost(&["evidence", "record", "checks-pass", "status=0"]);
    assert_ne!(recorded.status.code(), Some(0), "{}", everything(&recorded));
    env.waypost(&["gate", "satisfy", "checks-pass"]);
    assert!(env.stop().held().is_some());
    for line in ["echo ./check.sh", "bash -c './check.sh; true'", "./check.sh &"] {
        env.bash(line, "r");
        assert!(env.stop().held().is_some(), "{line}");
        prompt(&env);
    }
}

#[test]
fn a_run_that_tested_nothing_proves_nothing() {
    let env = env();
    env.edit("src/lib.txt", "two\n");
    for (line, counts) in [
        ("./check.sh nothing", false),
        ("waypost run -- ./check.sh nothing", false),
        ("waypost run -- ./check.sh", true),
        ("./check.sh nothing", false),
        ("./check.sh", true),
    ] {
        env.write(
            "check.sh",
            "#!/bin/sh\n[ -z \"$1\" ] && echo 3 tests passed || echo running 0 tests\n",
        );
        let told = env.bash(line, "r").stdout;
        // What Waypost itself ran, it has told about itself.
        let is_told = !counts && !line.starts_with("waypost");
        assert_eq!(told.contains("executed no test"), is_told, "{line}: {told}");
        let held = env.stop().held();
        assert_eq!(held.is_none(), counts, "{line}: {held:?}");
        prompt(&env);
        if counts {
            env.edit("src/lib.txt", &format!("{line}\n"));
        }
    }
}

#[test]
fn a_claim_of_nothing_proves_nothing() {
    let config = "[[gate]]\nid = \"tested\"\nbefore = [\"edit\"]\naccept = \"claimed\"\n\
                  proof = { fields = { tests = \"integer\", summary = \"string\" } }\n";
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("waypost.toml", config);
    env.ok(&["init", "--harness", "claude-code"]);
    env.begin();
    for summary in ["running 0 tests", "skipped", "N/A", "TODO"] {
        env.ok(&["evidence", "record", "tested", "tests=3", &format!("summary={summary}")]);
        assert!(before_edit(&env).is_some(), "{summary}");
    }
    env.ok(&["evidence", "record", "tested", "tests=3", "summary=3 tests passed"]);
    assert_eq!(before_edit(&env), None);
}

#[test]
fn a_checkout_of_a_commit_without_the_configuration_keeps_the_gates() {
    let env = env();
    env.bash("git checkout -q HEAD~1", "b");
    assert!(!env.project().join("waypost.toml").exists());
    prompt(&env);
    assert!(before_commit(&env).is_some());
    assert!(env.before_edit(Path::new("waypost.toml")).denied().is_some());
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
}
