//! Published copies: when they are written, what brings them back, and what they are worth
//! elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, NEWER};
use waypost_testkit::{TestEnv, everything};

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// The files of a session's folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let below = files(&entry.path()).into_iter();
            found.extend(below.map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else {
            found.insert(name, fs::read(entry.path()).unwrap_or_default());
        }
    }
    found
}

fn manifest(folder: &Path) -> Value {
    let text = fs::read(folder.join("state.json")).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn started() -> (TestEnv, String) {
    let env = env();
    env.init_publishing();
    let id = env.start("Add login");
    (env, id)
}

#[test]
fn a_copy_is_written_at_start_pause_resume_and_end_and_holds_the_very_records() {
    let (env, id) = started();
    let folder = env.copy_of(&id);
    let same =
        || fs::read(folder.join("events.jsonl")).unwrap() == fs::read(env.log_of(&id)).unwrap();
    assert!(same());
    assert_eq!(manifest(&folder)["status"], "active");
    for name in ["spec.md", "plan.json", "research", "debug"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let spec = fs::read_to_string(folder.join("spec.md")).unwrap();
    for section in ["## Goals", "## Open Questions", "## Key Decisions"] {
        assert!(spec.contains(section), "{spec}");
    }
    env.ok(&["note", "add", "one"]);
    assert!(!same(), "a note is no reason to write it");
    for (args, status, phase) in [
        (&["pause", "--reason", "lunch"][..], "paused", "build"),
        (&["resume"], "active", "build"),
        (&["end", "--summary", "done"], "complete", "complete"),
    ] {
        env.ok(args);
        assert!(same(), "{args:?}");
        let manifest = manifest(&folder);
        assert_eq!(
            (&manifest["status"], &manifest["current_phase"]),
            (&json!(status), &json!(phase))
        );
        assert_eq!(manifest["waypost"]["version"], json!(env.event_types_of(&id).len()));
    }
    env.ok(&["verify", "--all"]);
}

#[test]
fn neither_tool_calls_nor_sessions_without_a_name_write_a_copy() {
    let env = env();
    env.init_publishing();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.bash("./check.sh", "run");
    env.stop();
    assert!(!env.project().join("agents").exists());
    let refused = env.waypost(&["publish"]);
    assert_eq!(refused.status.code(), Some(1), "{}", everything(&refused));
    assert!(everything(&refused).contains("waypost start --objective"), "{}", everything(&refused));
    env.ok(&["start", "--objective", "Add login"]);
    let copy =
        fs::read_dir(env.project().join("agents/sessions")).unwrap().next().unwrap().unwrap();
    let before = files(&copy.path());
    env.edit("src/lib.txt", "three\n");
    env.bash("./check.sh", "again");
    assert_eq!(files(&copy.path()), before);
}

#[test]
fn whatever_is_derived_or_published_comes_back_byte_for_byte() {
    let (env, id) = started();
    env.ok(&["note", "add", "one"]);
    env.ok(&["pause", "--reason", "lunch"]);
    let early = files(&env.copy_of(&id));
    env.ok(&["resume"]);
    env.ok(&["note", "add", "two"]);
    env.ok(&["publish"]);
    let (folder, latest) = (env.copy_of(&id), files(&env.copy_of(&id)));
    let again = || {
        env.ok(&["verify", "--all"]);
        env.ok(&["publish"]);
        assert_eq!(files(&folder), latest);
        env.ok(&["verify", "--all"]);
    };
    for name in ["state.json", "events.jsonl"] {
        fs::remove_file(folder.join(name)).unwrap();
        again();
    }
    fs::write(folder.join("state.json"), &early["state.json"]).unwrap();
    again();
    for (name, content) in &early {
        fs::write(folder.join(name), content).unwrap();
    }
    again();
    fs::remove_dir_all(&folder).unwrap();
    again();
    fs::remove_file(env.log_of(&id).with_file_name("snapshot")).unwrap();
    again();
    fs::remove_dir_all(env.store().join("trees")).ok();
    again();
}

#[test]
fn a_clone_adopts_the_copy_and_what_it_adds_comes_back() {
    let (env, id) = started();
    env.ok(&["note", "add", "here"]);
    env.ok(&["pause", "--reason", "lunch", "--context", "the form is done"]);
    let clone = env.clone_as("clone");
    let listed = env.ok_in(&clone, &["list"]);
    assert!(listed.contains("paused, copy"), "{listed}");
    env.ok_in(&clone, &["verify", &id]);
    let only_folder = env.waypost_in(&clone, &["note", "add", "x", "--session", &id]);
    assert!(everything(&only_folder).contains("waypost resume"), "{}", everything(&only_folder));
    let resumed = env.ok_in(&clone, &["resume", &id[..14]]);
    assert!(resumed.contains("taken over") && resumed.contains("the form is done"), "{resumed}");
    env.ok_in(&clone, &["note", "add", "there"]);
    env.ok_in(&clone, &["pause", "--reason", "night"]);
    env.ok_in(&clone, &["verify", "--all"]);
    env.git(&["-C", &clone.display().to_string(), "commit", "-qam", "more"]);
    env.git(&["pull", "-q", &clone.display().to_string(), "main"]);
    let told = everything(&env.waypost(&["verify", "--all"]));
    assert!(told.contains("the published copy is ahead"), "{told}");
    let told = everything(&env.waypost(&["resume", &id]));
    assert!(told.contains("taken over from the published copy"), "{told}");
    assert_eq!(env.notes(&id), ["here", "there"]);
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_conversation_that_begins_takes_over_what_git_brought() {
    let (env, id) = started();
    let clone = env.clone_as("clone");
    env.ok_in(&clone, &["resume", &id]);
    env.ok_in(&clone, &["note", "add", "there"]);
    env.ok_in(&clone, &["publish"]);
    env.git(&["-C", &clone.display().to_string(), "commit", "-qam", "more"]);
    env.git(&["pull", "-q", &clone.display().to_string(), "main"]);
    let answer = env.begin();
    assert!(answer.stdout.contains("taken over from the published copy"), "{}", answer.stdout);
    assert_eq!(env.notes(&id), ["there"]);
    env.ok(&["publish"]);
    env.ok(&["verify", "--all"]);
}

#[test]
fn two_that_go_on_apart_are_two_heads_and_neither_is_lost() {
    let (env, id) = started();
    let clone = env.clone_as("clone");
    env.ok_in(&clone, &["resume", &id]);
    env.ok_in(&clone, &["note", "add", "there"]);
    env.ok_in(&clone, &["publish"]);
    let theirs = fs::read(clone.join("agents/sessions").join(&id).join("events.jsonl")).unwrap();
    env.git(&["-C", &clone.display().to_string(), "commit", "-qam", "more"]);
    env.ok(&["note", "add", "here"]);
    env.git(&["pull", "-q", &clone.display().to_string(), "main"]);
    let told = everything(&env.waypost(&["verify", "--all"]));
    assert!(told.contains("second head: from record 2"), "{told}");
    assert!(env.waypost(&["verify", "--all"]).status.success(), "a second head is no damage");
    let told = everything(&env.waypost(&["publish"]));
    assert!(told.contains("warning: ") && told.contains("second head"), "{told}");
    assert_eq!(env.notes(&id), ["here"]);
    let kept: Vec<_> = files(&env.store().join("aside").join(&id)).into_values().collect();
    assert!(kept.contains(&theirs));
    assert!(env.ok(&["history", &id]).contains("COPY SET ASIDE"));
    let told = env.ok(&["verify", "--all"]);
    assert!(told.contains("kept apart"), "{told}");
}

#[test]
fn git_in_the_middle_loses_nothing_and_publish_brings_the_copy_back() {
    let (env, id) = started();
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "with copy"]);
    env.git(&["checkout", "-q", "-b", "other", "HEAD~1"]);
    env.git(&["checkout", "-q", "main"]);
    for (dirty, args) in [
        (false, &["checkout", "-q", "other"][..]),
        (false, &["checkout", "-q", "main"]),
        (true, &["stash", "-q", "-u"]),
        (false, &["stash", "drop", "-q"]),
        (true, &["reset", "-q", "--hard"]),
        (true, &["clean", "-xfdq"]),
        (false, &["rebase", "-q", "-X", "theirs", "other"]),
        (false, &["bisect", "start", "-q", "HEAD", "HEAD~1"]),
        (false, &["bisect", "reset"]),
        (false, &["checkout", "-q", "other"]),
        (false, &["merge", "-q", "--squash", "-X", "theirs", "main"]),
    ] {
        env.ok(&["note", "add", &format!("before git {args:?}"), "--session", &id]);
        if dirty {
            env.ok(&["publish", &id]);
        }
        let records = fs::read(env.log_of(&id)).unwrap();
        env.git(args);
        assert_eq!(fs::read(env.log_of(&id)).unwrap(), records, "{args:?}");
        env.ok(&["verify", "--all"]);
        env.ok(&["publish", &id]);
        let copy = fs::read(env.copy_of(&id).join("events.jsonl")).unwrap();
        assert_eq!(copy, fs::read(env.log_of(&id)).unwrap(), "{args:?}");
        assert!(copy.starts_with(&records), "{args:?}");
        env.ok(&["verify", "--all"]);
        env.git(&["add", "-A"]);
        env.git(&["commit", "-q", "--allow-empty", "-m", "go on"]);
    }
    assert!(!env.store().join("aside").exists());
}

#[test]
fn git_is_told_what_copies_are() {
    let (env, id) = started();
    let path = format!("agents/sessions/{id}/events.jsonl");
    let told = env.git(&["check-attr", "linguist-generated", "diff", "merge", "--", &path]);
    for attribute in ["linguist-generated: set", "diff: unset", "merge: binary"] {
        assert!(told.contains(attribute), "{told}");
    }
    env.ok(&["init", "--remove"]);
    assert!(!env.project().join(".gitattributes").exists());
}

#[test]
fn a_folder_that_leads_elsewhere_is_not_written_to() {
    let env = env();
    env.init_publishing();
    let elsewhere = env.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, env.project().join("agents")).unwrap();
    let output = env.waypost(&["start", "--objective", "Add login"]);
    assert!(output.status.success(), "the session is there: {}", everything(&output));
    assert!(everything(&output).contains("symbolic link"), "{}", everything(&output));
    assert!(files(&elsewhere).is_empty());
    let output = env.waypost(&["publish"]);
    assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_change_of_what_people_write_is_an_event_at_the_next_publish() {
    let (env, id) = started();
    fs::write(env.copy_of(&id).join("spec.md"), "# Mine\n").unwrap();
    fs::write(env.copy_of(&id).join("research/notes.md"), "found\n").unwrap();
    env.ok(&["publish"]);
    env.ok(&["publish"]);
    let types = env.event_types_of(&id);
    assert_eq!(types, ["session_started", "artifacts_changed"]);
    let seen = &manifest(&env.copy_of(&id))["waypost"]["artifacts"];
    assert_eq!(seen.as_object().unwrap().len(), 2, "{seen}");
    assert_eq!(fs::read_to_string(env.copy_of(&id).join("spec.md")).unwrap(), "# Mine\n");
}

#[test]
fn a_session_without_a_workflow_is_published_by_nobody_but_who_says_so() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    env.ok(&["note", "add", "one"]);
    env.ok(&["checkpoint", "init", "2"]);
    env.ok(&["checkpoint", "complete", "1"]);
    env.ok(&["pause", "--reason", "lunch"]);
    env.ok(&["resume"]);
    assert!(!env.project().join("agents").exists(), "nothing is written into the work tree");
    env.ok(&["verify", "--all"]);
    env.ok(&["publish"]);
    for name in ["state.json", "events.jsonl", "spec.md", "plan.json"] {
        assert!(env.copy_of(&id).join(name).exists(), "{name}");
    }
    env.ok(&["end", "--summary", "done"]);
    assert_eq!(manifest(&env.copy_of(&id))["status"], "complete", "from then on it is kept");
    fs::remove_dir_all(env.project().join("agents")).unwrap();
    env.ok(&["resume", &id]);
    assert!(!env.project().join("agents").exists(), "until somebody takes it away");
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_session_has_its_folder_from_the_moment_that_it_follows_a_workflow() {
    let env = env();
    env.init();
    let id = env.json(&["start", "--objective", "Add login", "--workflow", "quick", "--json"]);
    let id = id["session_id"].as_str().unwrap();
    assert_eq!(manifest(&env.copy_of(id))["current_phase"], "plan");
    assert!(env.copy_of(id).join("spec.md").exists());
    env.ok(&["end", "--summary", "done"]);
    let later = env.start("Fix it");
    assert!(!env.copy_of(&later).exists());
    let mut client = Client::start(&env, NEWER, &[]);
    client.works("workflow_start", json!({"workflow": "quick"}));
    assert_eq!(manifest(&env.copy_of(&later))["current_phase"], "plan");
}

#[test]
fn one_without_a_name_that_follows_a_workflow_has_its_folder_too() {
    let env = env();
    env.init();
    env.begin();
    let mut client = Client::start(&env, NEWER, &[]);
    client.works("workflow_start", json!({"workflow": "quick"}));
    let sessions = env.json(&["list", "--json"]);
    let id = sessions[0]["session_id"].as_str().unwrap();
    assert_eq!(manifest(&env.copy_of(id))["current_phase"], "plan");
    env.ok(&["verify", "--all"]);
}

#[test]
fn which_sessions_are_published_is_configured() {
    let env = env();
    env.write("waypost.toml", "[project]\npublish = \"never\"\n");
    env.ok(&["init", "--harness", "claude-code"]);
    let args = ["start", "--objective", "Add login", "--workflow", "quick", "--json"];
    let id = env.json(&args)["session_id"].as_str().unwrap().to_owned();
    assert!(!env.copy_of(&id).exists());
    env.ok(&["publish"]);
    let written = files(&env.copy_of(&id));
    assert!(written.contains_key("state.json"));
    env.ok(&["pause", "--reason", "lunch"]);
    assert_eq!(files(&env.copy_of(&id)), written, "only who says so writes it again");
    env.ok(&["resume"]);
    env.write("waypost.toml", "[project]\npublish_activity = true\n");
    env.ok(&["run", "--", "echo", "--color", "never"]);
    env.ok(&["publish"]);
    let activity = fs::read_to_string(env.copy_of(&id).join("activity.jsonl")).unwrap();
    assert!(activity.contains("echo --color never"), "{activity}");
    let records = fs::read_to_string(env.copy_of(&id).join("events.jsonl")).unwrap();
    assert!(!records.contains("--color never"), "arguments stay out of the records");
}

#[test]
fn a_word_that_nobody_knows_is_told_and_writes_nothing() {
    let env = env();
    env.init();
    for (word, meant) in [
        ("none", "did you mean `never`?"),
        ("records", "did you mean `always`?"),
        ("full", "did you mean `always` with `publish_activity = true`?"),
        ("alwys", "did you mean `always`?"),
        ("x", "it is `auto`, `always` or `never`"),
    ] {
        env.write("waypost.toml", &format!("[project]\npublish = \"{word}\"\n"));
        let told = env.waypost(&["gate", "list"]);
        assert_eq!(told.status.code(), Some(2), "{word}: {}", everything(&told));
        assert!(everything(&told).contains(meant), "{word}: {}", everything(&told));
    }
    let args = ["start", "--objective", "Add login", "--workflow", "quick"];
    assert!(env.waypost(&args).status.success());
    assert!(!env.project().join("agents").exists(), "it may have been meant to keep them out");
}
