//! The real binary as a hook: what holds an agent, what releases it, what leaves it alone.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;

use serde_json::json;
use waypost_testkit::TestEnv;

fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env
}

fn provenance(env: &TestEnv) -> String {
    let history = env.json(&["history", "--json"]);
    let events = history["events"].as_array().unwrap().clone();
    let run = events.iter().rev().find(|entry| entry["event"]["type"] == "command_ran").unwrap();
    run["event"]["provenance"].as_str().unwrap().to_owned()
}

#[test]
fn an_edit_holds_the_stop_until_the_checks_ran() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let reason = env.stop().held().unwrap();
    assert!(reason.contains("Run the checks after your last change."), "{reason}");
    assert!(reason.contains("waypost run -- ./check.sh"), "{reason}");
    assert_eq!(env.bash("./check.sh", "b1").status, 0);
    assert_eq!(provenance(&env), "observed");
    assert_eq!(env.stop().held(), None);
}

#[test]
fn waypost_run_releases_the_stop_and_is_verified() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
    env.ok(&["run", "--", "./check.sh"]);
    assert_eq!(provenance(&env), "verified");
    assert_eq!(env.stop().held(), None);
}

#[test]
fn runs_that_prove_nothing_release_nothing() {
    for (command, note) in [
        ("./check.sh | tail -1", Some("the pipe hides its exit status")),
        ("./check.sh; true", Some("what follows it in the line hides")),
        ("./check.sh || true", Some("`||` hides whether it succeeded")),
        ("echo ./check.sh", None),
        ("echo 1 > result && ./check.sh", None),
    ] {
        let env = env();
        env.begin();
        env.edit("src/lib.txt", "two\n");
        let answer = env.bash(command, "b1");
        if let Some(note) = note {
            assert!(answer.stdout.contains(note), "{command}: {answer:?}");
        }
        assert!(env.stop().held().is_some(), "{command}");
    }
}

#[test]
fn a_run_of_the_same_name_elsewhere_releases_nothing() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.write("src/check.sh", "#!/bin/sh\nexit 0\n");
    env.bash("chmod +x src/check.sh", "b0");
    assert!(env.bash("cd src && ./check.sh", "b1").stdout.contains("did not run in"));
    assert!(env.stop().held().is_some());
    let folder = env.project().join("src");
    let output = env.waypost_in(&folder, &["run", "--", "./check.sh"]);
    assert!(output.status.success());
    assert!(env.stop().held().is_some());
}

#[test]
fn a_background_run_releases_nothing() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let mut fields = json!({
        "tool_name": "Bash",
        "tool_input": {"command": "./check.sh", "run_in_background": true},
        "tool_use_id": "b1",
    });
    assert_eq!(env.hook("PreToolUse", &fields).denied(), None);
    fields["tool_response"] = json!({"stdout": "", "backgroundTaskId": "t1"});
    assert!(env.hook("PostToolUse", &fields).stdout.contains("in the background"));
    assert!(env.stop().held().is_some());
}

#[test]
fn a_run_before_the_last_edit_is_stale_and_the_files_are_named() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.bash("./check.sh", "b1");
    env.edit("src/lib.txt", "three\n");
    let reason = env.stop().held().unwrap();
    assert!(reason.contains("src/lib.txt"), "{reason}");
}

#[test]
fn a_change_by_the_shell_makes_evidence_stale_and_holds_a_stop_of_its_own() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.bash("./check.sh", "b1");
    env.bash("sed -i s/two/four/ src/lib.txt", "b2");
    assert!(env.stop().held().unwrap().contains("src/lib.txt"));
    env.ok(&["run", "--", "./check.sh"]);
    assert_eq!(env.stop().held(), None);
    env.hook("UserPromptSubmit", &json!({"prompt": "more"}));
    // Nothing in the line tells that it writes.
    env.bash("awk 'BEGIN { print \"x\" > \"src/new.txt\" }'", "b3");
    assert!(env.stop().held().unwrap().contains("src/new.txt"));
    assert!(env.event_types().contains(&"edits_found".to_owned()));
}

#[test]
fn a_turn_without_edits_is_never_held() {
    let env = env();
    env.begin();
    env.bash("ls", "b1");
    assert_eq!(env.stop().stdout, "");
    env.write("src/lib.txt", "changed by the user before the next prompt\n");
    env.hook("UserPromptSubmit", &json!({"prompt": "what is in src/lib.txt?"}));
    assert_eq!(env.stop().stdout, "");
}

#[test]
fn a_commit_waits_for_the_checks_however_it_is_spelt() {
    let env = env();
    env.begin();
    for command in [
        "git commit -am x",
        "git -C . commit -am x",
        "cd . && git commit -am x",
        "bash -c 'git commit -am x'",
    ] {
        let reason = env.before_bash(command, "c1").denied().unwrap();
        assert!(reason.contains("waypost run -- ./check.sh"), "{command}: {reason}");
    }
    assert_eq!(env.before_bash("echo git commit", "c2").denied(), None);
    assert_eq!(env.before_bash("waypost run -- ./check.sh", "c3").denied(), None);
    assert!(env.before_bash("waypost run -- git commit -am x", "c4").denied().is_some());
    env.bash("./check.sh", "b1");
    assert_eq!(env.before_bash("git commit -am x", "c5").denied(), None);
    env.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    assert_eq!(
        env.before_bash("git commit -am y", "c6").denied(),
        None,
        "committing changes no content"
    );
}

#[test]
fn three_blocks_without_progress_are_enough_and_that_is_a_violation() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    for _ in 0..3 {
        assert!(env.stop().held().is_some());
    }
    let fourth = env.stop();
    assert_eq!(fourth.held(), None);
    assert!(fourth.stdout.contains("violation"), "{fourth:?}");
    assert!(env.event_types().contains(&"violation_recorded".to_owned()));
    assert_eq!(env.json(&["status", "--json"])["violations"], 1);
}

#[test]
fn a_stop_waits_for_what_began_in_the_background_after_the_last_edit_and_for_nothing_older() {
    let env = env();
    env.begin();
    let begins = |id: &str| {
        let fields = json!({"tool_name": "Bash", "tool_use_id": id,
            "tool_input": {"command": "./check.sh", "run_in_background": true},
            "tool_response": {"stdout": "", "backgroundTaskId": id}});
        env.hook("PreToolUse", &fields);
        env.hook("PostToolUse", &fields);
    };
    let stop = |id: &str| {
        let task = json!({"id": id, "type": "shell", "status": "running"});
        env.hook("Stop", &json!({"stop_hook_active": false, "background_tasks": [task]}))
    };
    begins("old");
    env.edit("src/lib.txt", "two\n");
    assert!(stop("old").held().is_some(), "it began before the edit");
    assert!(stop("unknown").held().is_some(), "nobody knows when it began");
    begins("new");
    let waits = stop("new");
    assert_eq!(waits.held(), None);
    assert!(waits.stdout.contains("waits for a command in the background"), "{waits:?}");
    assert!(env.stop().held().is_some(), "what is owed stays");
    env.edit("src/lib.txt", "three\n");
    assert!(stop("new").held().is_some(), "it is older than the last edit now");
}

#[test]
fn a_forged_hook_call_proves_nothing() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let fields = json!({
        "tool_name": "Bash",
        "tool_input": {"command": "./check.sh"},
        "tool_use_id": "forged",
        "tool_response": {"stdout": "", "stderr": "", "interrupted": false},
    });
    env.forged_hook("PreToolUse", &fields);
    env.forged_hook("PostToolUse", &fields);
    assert_eq!(provenance(&env), "reported");
    let reason = env.stop().held().unwrap();
    assert!(reason.contains("the harness did not make"), "{reason}");
}

#[test]
fn a_result_without_a_beginning_proves_nothing() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let fields = json!({
        "tool_name": "Bash",
        "tool_input": {"command": "./check.sh"},
        "tool_use_id": "never-begun",
        "tool_response": {"stdout": ""},
    });
    env.hook("PostToolUse", &fields);
    assert_eq!(provenance(&env), "reported");
    assert!(env.stop().held().is_some());
}

#[test]
fn loosening_the_configuration_changes_nothing_until_a_human_prompts() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.write("waypost.toml", "[project]\nsessions_dir = \"src\"\n");
    assert!(env.stop().held().is_some());
    env.ok(&["run", "--", "./check.sh"]);
    env.edit("src/lib.txt", "three\n");
    assert!(env.stop().held().is_some(), "what was declared not to matter in mid-turn still does");
    let forged = env.forged_hook("UserPromptSubmit", &json!({"prompt": "go"}));
    assert!(!forged.stdout.contains("removed"), "{forged:?}");
    assert!(env.stop().held().is_some(), "a forged prompt loosens nothing");
    let note = json!({"prompt": "<task-notification>\n<task-id>x</task-id>"});
    env.hook("UserPromptSubmit", &note);
    assert!(env.stop().held().is_some(), "nor does a notification");
    let answer = env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    assert!(answer.stdout.contains("gate checks-pass was removed"), "{answer:?}");
    assert_eq!(env.stop().held(), None);
}

#[test]
fn a_broken_configuration_keeps_the_gates_and_is_told() {
    let env = env();
    env.begin();
    env.write("waypost.toml", "[project\n");
    let answer = env.hook("UserPromptSubmit", &json!({"prompt": "go"}));
    assert!(answer.stdout.contains("waypost.toml"), "{answer:?}");
    assert!(answer.stdout.contains("stay as they were"));
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
}

#[test]
fn a_checkout_without_the_configuration_keeps_the_gates() {
    let env = env();
    env.begin();
    fs::remove_file(env.project().join("waypost.toml")).unwrap();
    env.hook("UserPromptSubmit", &json!({"prompt": "go"}));
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
}

#[test]
fn agents_do_not_write_waypost_s_own_files() {
    let env = env();
    env.begin();
    let link = env.project().join("innocent");
    std::os::unix::fs::symlink(env.store(), &link).unwrap();
    for path in [
        env.project().join("waypost.toml"),
        env.project().join("src/../waypost.toml"),
        env.project().join(".claude/settings.local.json"),
        env.project().join(".claude/settings.json"),
        env.store().join("project/events.jsonl"),
        link.join("project/events.jsonl"),
        env.key_file(),
    ] {
        assert!(env.before_edit(&path).denied().is_some(), "{}", path.display());
    }
    assert_eq!(env.before_edit(&env.project().join("src/waypost.toml")).denied(), None);
}

#[test]
fn agents_do_not_read_the_key() {
    let env = env();
    env.begin();
    let read = |path: &std::path::Path| {
        let input = json!({"file_path": path});
        env.hook("PreToolUse", &json!({"tool_name": "Read", "tool_input": input})).denied()
    };
    assert!(read(&env.key_file()).is_some());
    assert_eq!(read(&env.project().join("waypost.toml")), None);
}

#[test]
fn from_a_subfolder_the_next_step_goes_to_the_project_first() {
    let env = env();
    env.begin();
    let sub = json!({"cwd": env.project().join("src"), "tool_name": "Bash", "tool_use_id": "x",
        "tool_input": {"command": "git commit -am x"}});
    let reason = env.hook("PreToolUse", &sub).denied().unwrap();
    let step = format!("cd {} && waypost run -- ./check.sh", env.project().display());
    assert!(reason.contains(&step), "{reason}");
}

#[test]
fn a_conversation_whose_beginning_nobody_saw_is_taken_in() {
    let env = env();
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
    assert!(env.event_types().contains(&"conversation_attached".to_owned()));
}

#[test]
fn a_conversation_that_comes_back_finds_its_session_and_still_owes_its_checks() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.hook("SessionEnd", &json!({"reason": "other"}));
    let answer = env.hook("SessionStart", &json!({"source": "resume"}));
    assert!(answer.stdout.contains("Waypost keeps this session"));
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    assert!(env.stop().held().is_some());
    assert_eq!(env.json(&["list", "--all", "--json"]).as_array().unwrap().len(), 1);
}

#[test]
fn the_agent_is_told_where_it_is_when_a_conversation_begins() {
    let env = env();
    env.ok(&["start", "--objective", "Add login"]);
    let context = env.begin().json()["hookSpecificOutput"]["additionalContext"].to_string();
    assert!(context.contains("Add login"), "{context}");
    assert!(context.contains("checks-pass (must) before stop, commit"), "{context}");
    let second = env.hook("SessionStart", &json!({"source": "startup", "session_id": "s2"}));
    assert!(second.stdout.contains("Another conversation is working here too: claude-code s1"));
}

#[test]
fn conversations_that_begin_at_once_share_the_current_session_or_have_their_own() {
    for (chosen, count) in [(true, 1), (false, 8)] {
        let env = env();
        if chosen {
            env.start("Add login");
        }
        begin_at_once(&env);
        let sessions = env.json(&["list", "--json"]);
        assert_eq!(sessions.as_array().unwrap().len(), count, "{sessions}");
        env.ok(&["verify", "--all"]);
    }
}

fn begin_at_once(env: &TestEnv) {
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || {
                let id = format!("at-once-{number}");
                env.hook("SessionStart", &json!({"source": "startup", "session_id": id}))
            });
        }
    });
}

#[test]
fn it_works_from_a_subfolder_and_from_outside_after_a_change_of_folder() {
    let env = env();
    env.begin();
    let project = env.project();
    let there = format!("git -C {} commit -am x", project.display());
    let back = format!("cd {} && git commit -am x", project.display());
    for (cwd, line) in [
        (project.join("src"), "git commit -am x"),
        (env.home().to_owned(), there.as_str()),
        (env.home().to_owned(), back.as_str()),
    ] {
        let fields = json!({"cwd": cwd, "tool_name": "Bash", "tool_use_id": "x",
            "tool_input": {"command": line}});
        assert!(env.hook("PreToolUse", &fields).denied().is_some(), "{line}");
    }
}

#[test]
fn a_second_work_tree_has_sessions_of_its_own_and_the_same_gates() {
    let env = env();
    env.git(&["add", "waypost.toml"]);
    env.git(&["commit", "-q", "-m", "waypost"]);
    env.git(&["worktree", "add", "-q", "../second", "-b", "second"]);
    let second = env.project().join("../second").canonicalize().unwrap();
    let place = |extra: serde_json::Value| {
        let mut fields = json!({"cwd": second, "session_id": "s2"});
        fields.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        fields
    };
    env.hook("SessionStart", &place(json!({"source": "startup"})));
    env.hook("UserPromptSubmit", &place(json!({"prompt": "go"})));
    let call = place(json!({"tool_name": "Bash", "tool_use_id": "w",
        "tool_input": {"command": "awk 'BEGIN { print > \"src/lib.txt\" }'"}}));
    env.hook("PreToolUse", &call);
    fs::write(second.join("src/lib.txt"), "two\n").unwrap();
    env.hook("PostToolUse", &call);
    let stop = place(json!({"stop_hook_active": false}));
    assert!(env.hook("Stop", &stop).held().is_some());
    let status = env.waypost_in(&second, &["status", "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["worktree"], "second");
    env.waypost_in(&second, &["run", "--", "./check.sh"]);
    assert_eq!(env.hook("Stop", &stop).held(), None);
}

#[test]
fn nothing_happens_and_nothing_is_written_where_waypost_was_never_set_up() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let before = env.git(&["status", "--porcelain", "--ignored"]);
    env.begin();
    env.edit("src/lib.txt", "two\n");
    assert_eq!(env.before_bash("git commit -am x", "c1").stdout, "");
    assert_eq!(env.stop().stdout, "");
    assert!(!env.store().exists());
    assert_eq!(fs::read_dir(env.home()).unwrap().count(), 0, "nothing in the home folder");
    env.write("src/lib.txt", "one\n");
    assert_eq!(env.git(&["status", "--porcelain", "--ignored"]), before);
}

#[test]
fn where_a_shell_would_not_find_waypost_the_next_step_names_its_path() {
    let mut env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.vars.push(("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()));
    let reason = env.stop().held().unwrap();
    let step = format!("{} run -- ./check.sh", env!("CARGO_BIN_EXE_waypost"));
    assert!(reason.contains(&step), "{reason}");
    assert_eq!(env.before_bash(&step, "b1").denied(), None);
}

#[test]
fn what_a_tool_call_mends_is_told_once() {
    let env = env();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    let session = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
    std::fs::write(env.log_of(&session).with_file_name("snapshot"), "{\"nonsense\":").unwrap();
    let first = env.before_edit(&env.project().join("src/lib.txt"));
    assert_eq!(first.denied(), None);
    assert!(first.stdout.contains("systemMessage"), "{first:?}");
    assert!(first.stdout.contains("it was made again from the records"), "{first:?}");
    let second = env.before_edit(&env.project().join("src/lib.txt"));
    assert_eq!(second.stdout, "");
}
