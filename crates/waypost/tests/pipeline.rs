//! `waypost ci` in fresh clones, with and without the key.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use common::{env, stable};
use serde_json::Value;
use waypost_testkit::picture::Picture;
use waypost_testkit::{TestEnv, everything};

/// A session on a branch whose gate is met, published and committed, and a clone without its key.
fn published(run: bool) -> (TestEnv, String, PathBuf) {
    let env = env();
    env.init();
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    env.git(&["checkout", "-q", "-b", "feature"]);
    let id = env.start("Add login");
    env.write("src/lib.txt", "two\n");
    if run {
        env.ok(&["run", "--", "./check.sh"]);
    }
    env.git(&["commit", "-q", "-m", "Two", "src/lib.txt"]);
    env.ok(&["commit", "HEAD", "-m", "Two"]);
    env.ok(&["publish", &id]);
    let clone = env.clone_as("clone");
    // The default branch of a real remote is not the one that somebody works on.
    let head = ["remote", "set-head", "origin", "main"];
    assert!(env.command("git", &clone).args(head).output().unwrap().status.success());
    (env, id, clone)
}

/// Runs it as a machine that has nothing but the checkout.
fn ci(env: &TestEnv, cwd: &Path, args: &[&str], vars: &[(&str, &str)]) -> Output {
    let runner = env.home().join("runner");
    let mut command = env.command(env!("CARGO_BIN_EXE_waypost"), cwd);
    command.env("HOME", runner).envs(vars.iter().copied()).arg("ci").args(args);
    command.output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", everything(output)))
}

#[test]
fn a_fresh_clone_without_a_key_tells_that_the_gates_hold_and_stays_as_it_is() {
    let (env, id, clone) = published(true);
    let before = Picture::of(&[&clone]);
    let output = ci(&env, &clone, &[], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", everything(&output));
    insta::assert_snapshot!(stable(&env, &everything(&output)));
    let report = json(&ci(&env, &clone, &["--json"], &[]));
    assert_eq!(report["passed"], true);
    assert_eq!(report["copies"][0]["kept"], "unverified");
    assert_eq!(report["judged"]["session_id"], id.as_str());
    assert_eq!(report["judged"]["gates"][0]["status"], "met", "{report}");
    assert_eq!(report["range"]["unrecorded"], serde_json::json!([]));
    assert_eq!(report["range"]["commits"], 1, "publishing is no work of its own");
    assert_eq!(
        ci(&env, &clone, &["--strict"], &[]).status.code(),
        Some(1),
        "nobody vouches for it"
    );
    assert_eq!(before.changes(&Picture::of(&[&clone])), Vec::<String>::new());
    assert!(!env.home().join("runner").exists());
}

#[test]
fn with_the_key_a_copy_is_verified() {
    let (env, _, clone) = published(true);
    let key = env.home().join("runner/.config/waypost/key");
    fs::create_dir_all(key.parent().unwrap()).unwrap();
    fs::copy(env.key_file(), &key).unwrap();
    let output = ci(&env, &clone, &["--strict", "--json"], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", everything(&output));
    assert_eq!(json(&output)["copies"][0]["kept"], "copy");
}

#[test]
fn a_gate_that_does_not_hold_fails_with_1() {
    let (env, _, clone) = published(false);
    let output = ci(&env, &clone, &[], &[]);
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    assert!(everything(&output).contains("checks-pass (must)"), "{}", everything(&output));
    let (env, _, clone) = published(true);
    fs::write(clone.join("src/lib.txt"), "sneaked\n").unwrap();
    let output = ci(&env, &clone, &[], &[]);
    assert_eq!(output.status.code(), Some(1), "the checks ran on other content");
}

#[test]
fn a_copy_that_was_changed_fails_with_3() {
    let (env, id, clone) = published(true);
    let events = clone.join("agents/sessions").join(&id).join("events.jsonl");
    let text = fs::read_to_string(&events).unwrap();
    fs::write(&events, text.replacen("\"status\":0", "\"status\":1", 1)).unwrap();
    let output = ci(&env, &clone, &[], &[]);
    assert_eq!(output.status.code(), Some(3), "{}", everything(&output));
    assert!(everything(&output).contains("was changed"), "{}", everything(&output));
}

#[test]
fn a_configuration_that_is_missing_or_wrong_fails_with_2() {
    let (env, _, clone) = published(true);
    let config = fs::read_to_string(clone.join("waypost.toml")).unwrap();
    for wrong in ["[[gate".to_owned(), config.replace("message", "mesage")] {
        fs::write(clone.join("waypost.toml"), wrong).unwrap();
        let output = ci(&env, &clone, &[], &[]);
        assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
    }
    fs::remove_file(clone.join("waypost.toml")).unwrap();
    assert_eq!(ci(&env, &clone, &[], &[]).status.code(), Some(2));
}

#[test]
fn commits_that_no_session_recorded_are_named() {
    let (env, _, clone) = published(true);
    fs::write(clone.join("more.txt"), "x").unwrap();
    for args in [&["add", "more.txt"][..], &["commit", "-q", "--no-verify", "-m", "Sneaked <in>"]] {
        assert!(env.command("git", &clone).args(args).output().unwrap().status.success());
    }
    let report = json(&ci(&env, &clone, &["--json"], &[]));
    assert_eq!(report["range"]["unrecorded"][0]["subject"], "Sneaked <in>", "{report}");
    let output = ci(&env, &clone, &["--base", "nowhere"], &[]);
    assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
}

#[test]
fn a_summary_for_a_reviewer_is_added_where_the_pipeline_asks_for_it() {
    let (env, _, clone) = published(true);
    let file = env.home().join("summary.md");
    fs::write(&file, "before\n").unwrap();
    let vars = [("GITHUB_STEP_SUMMARY", file.to_str().unwrap())];
    let output = ci(&env, &clone, &["--markdown"], &vars);
    assert_eq!(output.status.code(), Some(0), "{}", everything(&output));
    let summary = fs::read_to_string(&file).unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(summary, format!("before\n{told}"));
    insta::assert_snapshot!(stable(&env, &told));
    fs::write(clone.join("waypost.toml"), "[[gate").unwrap();
    ci(&env, &clone, &[], &vars);
    assert!(fs::read_to_string(&file).unwrap().contains("Waypost: cannot tell"));
}

#[test]
fn a_checkout_that_is_on_no_branch_goes_by_the_pipelines_word() {
    let (env, id, clone) = published(true);
    let detach = ["checkout", "-q", "--detach"];
    assert!(env.command("git", &clone).args(detach).output().unwrap().status.success());
    let none = json(&ci(&env, &clone, &["--json"], &[]));
    assert!(none["judged"].is_null() && none["passed"] == true, "{none}");
    assert_eq!(ci(&env, &clone, &["--strict"], &[]).status.code(), Some(1));
    for (args, vars) in [
        (&["--json"][..], &[("GITHUB_HEAD_REF", "feature")][..]),
        (&["--json", "--branch", "feature"], &[]),
        (&["--json", "--session", &id[..14]], &[]),
    ] {
        let report = json(&ci(&env, &clone, args, vars));
        assert_eq!(report["judged"]["session_id"], id.as_str(), "{args:?}");
    }
}

#[test]
fn what_counts_on_a_branch_is_said_to_be_untold() {
    let env = env();
    env.write(
        "waypost.toml",
        "[[gate]]\nid = \"reviewed\"\nbefore = [\"push\"]\nscope = \"branch\"\n\
         proof = { approval = true }\n",
    );
    env.ok(&["init"]);
    env.start("Add login");
    let clone = env.clone_as("clone");
    let output = ci(&env, &clone, &[], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", everything(&output));
    assert!(
        everything(&output).contains("reviewed cannot be told here"),
        "{}",
        everything(&output)
    );
}

#[test]
fn a_missed_must_is_open_until_its_gate_holds() {
    let env = env();
    env.init();
    env.git(&["checkout", "-q", "-b", "feature"]);
    env.begin();
    let id = env.start("Add login");
    env.edit("src/lib.txt", "two\n");
    for _ in 0..4 {
        env.stop();
    }
    env.ok(&["publish", &id]);
    let output = ci(&env, &env.clone_as("open"), &["--json"], &[]);
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    assert_eq!(json(&output)["judged"]["violations"][0]["open"], true);
    env.ok(&["run", "--", "./check.sh"]);
    env.ok(&["publish", &id]);
    let output = ci(&env, &env.clone_as("settled"), &["--json"], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", everything(&output));
    assert_eq!(json(&output)["judged"]["violations"][0]["open"], false);
}
