//! The second line: git's own hooks, through real commits and pushes.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use serde_json::json;
use waypost_testkit::{TestEnv, everything};

const HOOKS: [&str; 2] = [".git/hooks/pre-commit", ".git/hooks/pre-push"];

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A project whose gates git itself asks.
fn hooked(config: &str) -> TestEnv {
    let env = env();
    env.write("waypost.toml", config);
    env.write(".gitignore", "result\nran\n");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    env.ok(&["init", "--git-hooks"]);
    env
}

fn gate(before: &str, rest: &str) -> String {
    format!("[[gate]]\nid = \"checks\"\nbefore = [\"{before}\"]\n{rest}\n")
}

fn git(env: &TestEnv, cwd: &Path, args: &[&str]) -> Output {
    env.command("git", cwd).args(args).output().unwrap()
}

fn executable(env: &TestEnv, path: &str, content: &str) {
    env.write(path, content);
    fs::set_permissions(env.project().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn head(env: &TestEnv) -> String {
    env.git(&["rev-parse", "HEAD"])
}

#[test]
fn a_commit_is_held_until_the_gate_is_met_however_it_is_made() {
    let env = hooked(waypost_testkit::GATE);
    for (number, commit) in [
        &["commit", "-q", "-a", "-m", "all"][..],
        &["commit", "-q", "-m", "one", "src/lib.txt"],
        &["commit", "-q", "--amend", "-a", "-m", "again"],
    ]
    .iter()
    .enumerate()
    {
        env.write("src/lib.txt", &format!("change {number}\n"));
        let (before, index) = (head(&env), fs::read(env.project().join(".git/index")).unwrap());
        let output = git(&env, env.project(), commit);
        assert_eq!(output.status.code(), Some(1), "{commit:?} {}", everything(&output));
        let told = everything(&output);
        assert!(told.contains("Waypost holds this commit"), "{told}");
        assert!(told.contains("Next: waypost run -- ./check.sh"), "{told}");
        assert_eq!(head(&env), before);
        assert_eq!(fs::read(env.project().join(".git/index")).unwrap(), index);
        env.ok(&["run", "--", "./check.sh"]);
        env.git(commit);
        assert_ne!(head(&env), before);
    }
    let types = env.event_types();
    assert_eq!(types.iter().filter(|kind| *kind == "ruling_made").count(), 3);
    let history = env.json(&["history", "--json"]);
    let rulings = history["events"].as_array().unwrap();
    let ruling = rulings.iter().find(|entry| entry["event"]["type"] == "ruling_made").unwrap();
    assert_eq!(ruling["actor"], json!({"kind": "human"}), "{ruling}");
}

#[test]
fn merges_that_are_committed_by_hand_are_asked_about_and_rebases_are_not() {
    let env = hooked(&gate("commit", "proof = { ran = \"./check.sh*\" }"));
    env.ok(&["run", "--", "./check.sh"]);
    for (branch, base) in [("one", "main"), ("two", "main")] {
        env.git(&["checkout", "-q", "-b", branch, base]);
        env.write(&format!("{branch}.txt"), branch);
        env.git(&["add", &format!("{branch}.txt")]);
        env.git(&["commit", "-q", "-m", branch]);
    }
    env.git(&["merge", "-q", "--no-ff", "--no-commit", "one"]);
    let session = env.json(&["list", "--json"])[0]["session_id"].clone();
    env.ok(&["end", session.as_str().unwrap()]);
    assert_eq!(git(&env, env.project(), &["commit", "-q", "-m", "merge"]).status.code(), Some(1));
    env.ok(&["run", "--", "./check.sh"]);
    env.git(&["commit", "-q", "-m", "merge"]);
    env.git(&["checkout", "-q", "-b", "three", "main"]);
    env.git(&["rebase", "-q", "one"]);
}

#[test]
fn an_agents_commit_is_ruled_by_the_policy_that_is_pinned_for_it() {
    let mut env = hooked(waypost_testkit::GATE);
    env.begin();
    env.write("waypost.toml", "[project]\n");
    env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), "s1".into()));
    let output = git(&env, env.project(), &["commit", "-q", "-a", "-m", "loosened"]);
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    let history = env.json(&["history", "--json"]);
    let events = history["events"].as_array().unwrap();
    let ruling = events.iter().find(|entry| entry["event"]["type"] == "ruling_made").unwrap();
    assert_eq!(ruling["actor"]["conversation"], "s1");
    let hook = env.before_edit(&env.project().join(HOOKS[0]));
    assert!(hook.denied().is_some(), "the hook itself is no file for agents");
    assert_eq!(env.before_edit(&env.project().join(".git/hooks/post-commit")).denied(), None);
    env.vars.clear();
    env.hook("SessionEnd", &json!({"reason": "exit"}));
    env.git(&["commit", "-q", "-a", "-m", "a human may"]);
}

#[test]
fn warnings_pass_and_only_the_staged_files_concern_a_gate() {
    let config = gate("commit", "level = \"should\"\nproof = { ran = \"./check.sh*\" }")
        + "[[gate]]\nid = \"docs\"\nbefore = [\"commit\"]\nwhen = { paths = \"docs/**\" }\n\
           proof = { file = \"REVIEWED\" }\n";
    let env = hooked(&config);
    env.write("docs/a.md", "a\n");
    env.write("src/lib.txt", "two\n");
    let output = git(&env, env.project(), &["commit", "-q", "-m", "x", "src/lib.txt"]);
    assert!(output.status.success(), "{}", everything(&output));
    assert!(everything(&output).contains("Waypost warns before this commit"));
    env.git(&["add", "docs"]);
    let output = git(&env, env.project(), &["commit", "-q", "-m", "docs"]);
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    assert!(everything(&output).contains("docs (must)"), "{}", everything(&output));
}

#[test]
fn a_push_is_held_and_a_project_without_gates_there_is_left_alone() {
    let env = hooked(&gate("push", "proof = { ran = \"./check.sh*\" }"));
    let remote = env.home().join("remote.git");
    env.git(&["init", "-q", "--bare", &remote.display().to_string()]);
    env.git(&["remote", "add", "origin", &remote.display().to_string()]);
    env.write("src/lib.txt", "two\n");
    let commit = git(&env, env.project(), &["commit", "-q", "-a", "-m", "free"]);
    assert_eq!(everything(&commit).trim(), "exit status: 0", "no gate, no word");
    let push = git(&env, env.project(), &["push", "-q", "origin", "main"]);
    assert_eq!(push.status.code(), Some(1), "{}", everything(&push));
    assert!(everything(&push).contains("Waypost holds this push"), "{}", everything(&push));
    env.ok(&["run", "--", "./check.sh"]);
    env.git(&["push", "-q", "origin", "main"]);
}

#[test]
fn the_hook_that_was_there_runs_first_wins_and_comes_back() {
    for (first, program) in [("#!/bin/sh", "sh"), ("#!/bin/bash", "bash"), ("#!/bin/sh -e", "sh")] {
        let env = env();
        env.write("waypost.toml", &gate("push", "proof = { ran = \"./check.sh*\" }"));
        env.write(".gitignore", "result\nran\n");
        let body = format!(
            "{first}\n# {program}\nset -e\necho \"$0 $#\" >>ran\ncat >>ran\nexit $(cat result)\n"
        );
        for hook in HOOKS {
            executable(&env, hook, &body);
        }
        env.write("result", "0");
        let pictures = || HOOKS.map(|hook| (env.read(hook), mode(&env, hook)));
        let before = pictures();
        env.ok(&["init", "--git-hooks"]);
        let once = pictures();
        let again = env.ok(&["init", "--git-hooks"]);
        assert!(again.contains("already there"), "{again}");
        assert_eq!(pictures(), once);
        env.git(&["add", "-A"]);
        env.git(&["commit", "-q", "-m", "x"]);
        assert!(env.read("ran").contains("hooks/pre-commit"), "{}", env.read("ran"));
        env.write("result", "7");
        let failed = git(&env, env.project(), &["commit", "-q", "--allow-empty", "-m", "y"]);
        assert_eq!(failed.status.code(), Some(1), "{}", everything(&failed));
        let hook = env.command(env.project().join(HOOKS[0]), env.project()).output().unwrap();
        assert_eq!(hook.status.code(), Some(7), "its own status is the result");
        let remote = env.home().join("remote.git").display().to_string();
        env.git(&["init", "-q", "--bare", &remote]);
        env.write("result", "0");
        let push = git(&env, env.project(), &["push", "-q", &remote, "main"]);
        assert!(everything(&push).contains("Waypost holds"), "{}", everything(&push));
        let ran = env.read("ran");
        assert!(ran.contains("hooks/pre-push") && ran.contains("refs/heads/main"), "{ran}");
        assert!(
            ran.lines().any(|line| line.ends_with(" 2")),
            "name and place of the remote: {ran}"
        );
        env.ok(&["init", "--remove"]);
        assert_eq!(pictures(), before);
        assert_eq!(fs::read_dir(env.project().join(".git/hooks")).unwrap().count(), count(&env));
    }
}

fn mode(env: &TestEnv, path: &str) -> u32 {
    fs::metadata(env.project().join(path)).unwrap().permissions().mode()
}

/// Git's samples and the two hooks of the test.
fn count(env: &TestEnv) -> usize {
    let entries = fs::read_dir(env.project().join(".git/hooks")).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".sample")).count() + HOOKS.len()
}

#[test]
fn husky_still_finds_its_own_scripts() {
    let env = env();
    env.write("waypost.toml", "[project]\n");
    executable(&env, ".husky/_/pre-commit", "#!/usr/bin/env sh\n. \"${0%/*}/h\"\n");
    let h = "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\n\
             sh -e \"$s\" \"$@\"\n";
    env.write(".husky/_/h", h);
    env.write(".husky/_/.gitignore", "*\n");
    env.write(".husky/pre-commit", "touch husky-ran\n");
    env.git(&["config", "core.hooksPath", ".husky/_"]);
    let output = env.waypost(&["init", "--git-hooks"]);
    assert!(everything(&output).contains("do not commit them"), "{}", everything(&output));
    env.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    assert!(env.project().join("husky-ran").exists());
    assert!(!env.read(".git/hooks/pre-commit.sample").is_empty());
    assert!(!env.project().join(HOOKS[0]).exists());
    env.ok(&["init", "--remove"]);
    assert!(env.read(".husky/_/pre-commit").ends_with("/h\"\n"));
    assert!(!env.project().join(".husky/_/pre-push").exists());
}

#[test]
fn a_folder_of_hooks_for_every_repository_is_not_touched() {
    let env = env();
    env.write("waypost.toml", waypost_testkit::GATE);
    let elsewhere = env.home().join("hooks");
    fs::create_dir(&elsewhere).unwrap();
    env.git(&["config", "core.hooksPath", &elsewhere.display().to_string()]);
    let output = env.waypost(&["init", "--git-hooks"]);
    assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
    assert!(everything(&output).contains("outside of this repository"));
    assert!(!env.key_file().exists(), "nothing was changed");
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[test]
fn linked_work_trees_share_the_hooks_until_the_last_is_taken_out() {
    let env = hooked(waypost_testkit::GATE);
    let linked = env.home().join("linked");
    env.git(&["worktree", "add", "-q", &linked.display().to_string(), "-b", "side"]);
    env.ok_in(&linked, &["init", "--git-hooks"]);
    fs::write(linked.join("src/lib.txt"), "two\n").unwrap();
    let commit = ["commit", "-q", "-a", "-m", "x"];
    assert_eq!(git(&env, &linked.join("src"), &commit).status.code(), Some(1));
    env.ok_in(&linked, &["run", "--", "./check.sh"]);
    let output = git(&env, &linked.join("src"), &commit);
    assert!(output.status.success(), "{}", everything(&output));
    env.ok_in(&linked, &["init", "--remove"]);
    assert!(env.project().join(HOOKS[0]).exists());
    env.ok(&["init", "--remove"]);
    assert!(!env.project().join(HOOKS[0]).exists());
}

#[test]
fn what_cannot_be_read_or_asked_holds_and_says_how_to_go_on() {
    let env = hooked(waypost_testkit::GATE);
    env.ok(&["run", "--", "./check.sh"]);
    let commit = || git(&env, env.project(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    let held = |told: &str| {
        let output = commit();
        assert_eq!(output.status.code(), Some(1), "{told}: {}", everything(&output));
        assert!(everything(&output).contains(told), "{told}: {}", everything(&output));
        assert!(everything(&output).to_lowercase().contains("next:"), "{}", everything(&output));
    };
    let session = env.json(&["list", "--json"])[0]["session_id"].clone();
    let log = env.log_of(session.as_str().unwrap());
    let records = fs::read(&log).unwrap();
    fs::write(&log, [&records[..], b"{}\n"].concat()).unwrap();
    held("Waypost cannot tell whether its gates hold");
    fs::write(&log, &records).unwrap();
    let key = fs::read(env.key_file()).unwrap();
    fs::remove_file(env.key_file()).unwrap();
    held("restore the key file");
    fs::write(env.key_file(), key).unwrap();
    fs::set_permissions(env.key_file(), fs::Permissions::from_mode(0o600)).unwrap();
    env.write("waypost.toml", "[[gate");
    held("waypost.toml");
    env.git(&["checkout", "waypost.toml"]);
    assert!(commit().status.success());
    let script = env.read(HOOKS[0]).replace(env!("CARGO_BIN_EXE_waypost"), "/gone/waypost");
    env.write(HOOKS[0], &script);
    held("/gone/waypost is gone");
    env.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "git's own way"]);
    assert!(everything(&env.waypost(&["init", "--remove"])).contains("was changed since"));
}

#[test]
fn a_submodule_has_hooks_of_its_own() {
    let env = env();
    let inner = env.home().join("inner");
    for args in [
        &["clone", "-q", ".", inner.to_str().unwrap()][..],
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            inner.to_str().unwrap(),
        ],
        &["commit", "-q", "-a", "-m", "with a submodule"],
    ] {
        env.git(args);
    }
    let sub = env.project().join("inner");
    fs::write(sub.join("waypost.toml"), waypost_testkit::GATE).unwrap();
    env.ok_in(&sub, &["init", "--git-hooks"]);
    assert!(env.project().join(".git/modules/inner/hooks/pre-commit").exists());
    assert!(!env.project().join(HOOKS[0]).exists());
    let commit = ["commit", "-q", "--allow-empty", "-m", "x"];
    assert_eq!(git(&env, &sub, &commit).status.code(), Some(1));
    env.git(&commit);
}
