//! The life of a session through the real binary: pause, resume, end, and looking at it.

mod common;

use common::{env, stable};
use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

/// Runs a command that has to be refused, and gives what it said.
fn refused(env: &TestEnv, args: &[&str]) -> String {
    let output = env.waypost(args);
    assert_eq!(output.status.code(), Some(1), "waypost {args:?}: {}", everything(&output));
    assert!(everything(&output).contains(" next: "), "{}", everything(&output));
    everything(&output)
}

fn lifecycle(env: &TestEnv, id: &str) -> Value {
    env.json(&["show", id, "--json"])["lifecycle"].clone()
}

/// Every byte of every stream.
fn streams(env: &TestEnv) -> Vec<Vec<u8>> {
    let folder = std::fs::read_dir(env.store().join("sessions")).into_iter().flatten().flatten();
    let mut paths: Vec<_> = folder.map(|entry| entry.path().join("events.jsonl")).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap_or_default()).collect()
}

#[test]
fn a_session_is_paused_resumed_and_ended() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    let mut told = String::new();
    for args in [
        &["pause", "--reason", "Waiting for \u{1b}[31mreview", "--context", "Form done\nNo tests"]
            [..],
        &["pause", &id, "--reason", "again"],
        &["status", &id],
        &["note", "add", "x"],
        &["resume"],
        &["resume"],
        &["resume", &id],
        &["end", "--summary", "Passkeys work", "--next-notes", "Remove the old form"],
        &["end", &id],
        &["pause", &id, "--reason", "x"],
        &["note", "add", "x", "--session", &id],
        &["resume", &id],
        &["end", "--failed"],
        &["history", &id],
        &["verify"],
    ] {
        let output = env.waypost(args);
        told.push_str(&format!("$ waypost {}\n{}\n", args.join(" "), everything(&output)));
    }
    insta::assert_snapshot!(stable(&env, &told));
}

#[test]
fn list_shows_a_table_that_reads_well() {
    let mut env = env();
    env.init();
    env.time = "2026-11-14T09:30:00.000Z".into();
    env.start("Left behind");
    env.time = "2026-11-15T12:00:00.000Z".into();
    let paused = env.start("Upgrade the parser");
    env.ok(&["pause", &paused, "--reason", "x"]);
    env.git(&["checkout", "-q", "-b", "feature/login"]);
    let done = env.start("Add \u{1b}[31mlogin\nby passkey");
    env.ok(&["end", &done]);
    let failed = env.start(&"A long objective that goes on and on ".repeat(5));
    env.ok(&["end", &failed, "--failed"]);
    env.start("Now");
    insta::assert_snapshot!(stable(&env, &env.ok(&["list"])));
    let count = |args: &[&str]| env.json(args).as_array().unwrap().len();
    assert_eq!(count(&["list", "--json"]), 5);
    assert_eq!(count(&["list", "--status", "paused", "--json"]), 1);
    assert_eq!(count(&["list", "--status", "abandoned", "--json"]), 1);
    assert_eq!(count(&["list", "--branch", "feature/login", "--json"]), 3);
    assert_eq!(count(&["list", "--branch", "nowhere", "--json"]), 0);
}

#[test]
fn list_as_json_has_the_fields_that_scripts_rely_on() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    let listed = env.json(&["list", "--json"]);
    let time = "2026-11-15T12:00:00.000Z";
    let expected = json!([{
        "session_id": id, "objective": "Add login", "lifecycle": "active", "branch": "main",
        "worktree": null, "started_at": time, "updated_at": time, "version": 1, "violations": 0,
        "kept": "live", "remark": null, "phase": null, "current": true, "here": true,
    }]);
    assert_eq!(listed, expected);
}

#[test]
fn list_tells_the_work_trees_apart() {
    let env = env();
    env.init();
    env.start("Here");
    let other = env.home().join("other");
    env.git(&["worktree", "add", "-q", "-b", "side", &other.display().to_string()]);
    let output = env.waypost_in(&other, &["start", "--objective", "There"]);
    assert!(output.status.success(), "{}", everything(&output));
    let open = env.json(&["list", "--json"]);
    let trees: Vec<&Value> =
        open.as_array().unwrap().iter().map(|session| &session["worktree"]).collect();
    assert_eq!(trees, [&json!(null), &json!("other")], "what is open elsewhere is seen");
    assert!(env.waypost_in(&other, &["end"]).status.success());
    assert_eq!(env.json(&["list", "--json"]).as_array().unwrap().len(), 1, "what is over is not");
    let all = env.json(&["list", "--all", "--json"]);
    assert_eq!(all.as_array().unwrap().len(), 2);
    assert!(all.as_array().unwrap().iter().any(|session| session["worktree"] == "other"));
}

#[test]
fn show_tells_everything_about_a_session() {
    let env = env();
    env.init();
    env.begin();
    let unnamed = env.json(&["list", "--json"])[0]["session_id"].as_str().unwrap().to_owned();
    env.ok(&["start", "--objective", "Add login"]);
    env.ok(&["note", "add", "--kind", "decision", "Passkeys only\nand no \u{1b}[31mpasswords"]);
    env.ok(&["run", "--", "./check.sh"]);
    env.ok(&["commit", "HEAD", "-m", "Add the form", "--checkpoint", "2"]);
    env.edit("src/lib.txt", "two\n");
    for _ in 0..3 {
        assert!(env.stop().held().is_some());
    }
    assert_eq!(env.stop().held(), None);
    env.ok(&["pause", "--reason", "Waiting", "--context", "Form done\nNo tests"]);
    insta::assert_snapshot!("show_paused", stable(&env, &env.ok(&["show", &unnamed])));
    env.ok(&["resume"]);
    env.ok(&["end", "--summary", "Passkeys work", "--next-notes", "Remove the old form"]);
    insta::assert_snapshot!("show_ended", stable(&env, &env.ok(&["show", &unnamed])));
    insta::assert_snapshot!("violations", stable(&env, &env.ok(&["violations", &unnamed])));

    let shown = env.json(&["show", &unnamed, "--json"]);
    assert_eq!(shown["lifecycle"], "completed");
    assert_eq!(shown["ended"]["summary"], "Passkeys work");
    assert_eq!(shown["notes"][0]["text"], "Passkeys only\nand no \u{1b}[31mpasswords");
    assert_eq!(shown["commits"][0]["checkpoint"], 2);
    assert_eq!(shown["violations"], 1);
    assert_eq!(shown["violation_details"][0]["gate"], "checks-pass");
    assert_eq!(shown["evidence"][0]["run"]["provenance"], "verified");
    assert_eq!(shown["resumed"], 1);
    let violations = env.json(&["violations", &unnamed, "--json"]);
    assert_eq!(violations["violations"], shown["violation_details"]);
}

#[test]
fn a_commit_is_recorded_by_its_full_hash_if_git_knows_it() {
    let env = env();
    env.init();
    env.start("Add login");
    let full = env.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let before = streams(&env);
    for unknown in ["0000000", &"0".repeat(40), "nonsense", "", "HEAD^{tree}", "--help=x", "a b"] {
        let output = env.waypost(&["commit", "-m", "x", "--", unknown]);
        assert_eq!(output.status.code(), Some(1), "{unknown}: {}", everything(&output));
        assert!(everything(&output).contains("git knows no commit"), "{}", everything(&output));
    }
    assert_eq!(streams(&env), before);
    let recorded = env.json(&["commit", &full[..7], "-m", "Add the form", "--json"]);
    assert_eq!(recorded["sha"], full.as_str());
}

#[test]
fn a_commit_that_is_recorded_already_gets_its_checkpoint_and_nothing_twice() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    env.ok(&["commit", "HEAD", "-m", "Add the form"]);
    let before = streams(&env);
    assert!(env.ok(&["commit", "HEAD", "-m", "again"]).contains("was recorded already"));
    assert_eq!(streams(&env), before);
    env.ok(&["commit", "HEAD", "-m", "again", "--checkpoint", "2"]);
    let before = streams(&env);
    env.ok(&["commit", "HEAD", "-m", "again", "--checkpoint", "2"]);
    assert_eq!(streams(&env), before);
    let shown = env.json(&["show", &id, "--json"])["commits"].clone();
    assert_eq!(shown.as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(
        (&shown[0]["message"], &shown[0]["checkpoint"]),
        (&json!("Add the form"), &json!(2))
    );
    env.ok(&["publish"]);
    let manifest = env.read(&format!("agents/sessions/{id}/state.json"));
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["commits"].as_array().map(Vec::len), Some(1));
    assert_eq!(manifest["commits"][0]["checkpoint"], 2);
}

#[test]
fn without_git_a_commit_needs_its_full_hash() {
    let env = env();
    let plain = env.home().join("plain folder");
    std::fs::create_dir_all(&plain).unwrap();
    std::fs::write(plain.join("waypost.toml"), "[project]\n").unwrap();
    for args in [&["init"][..], &["start", "--objective", "x"]] {
        let output = env.waypost_in(&plain, args);
        assert!(output.status.success(), "{}", everything(&output));
    }
    let short = env.waypost_in(&plain, &["commit", "abc1234", "-m", "x"]);
    assert_eq!(short.status.code(), Some(1));
    assert!(everything(&short).contains("not a commit's full hash"), "{}", everything(&short));
    let full = env.waypost_in(&plain, &["commit", &"a".repeat(40), "-m", "x"]);
    assert!(full.status.success(), "{}", everything(&full));
}

#[test]
fn an_active_session_is_abandoned_after_a_day_and_still_goes_on() {
    let mut env = env();
    env.init();
    let id = env.start("Add login");
    env.time = "2026-11-16T12:00:00.000Z".into();
    assert_eq!(lifecycle(&env, &id), "abandoned");
    assert_eq!(env.json(&["status", "--json"])["lifecycle"], "abandoned");
    assert_eq!(env.json(&["list", "--json"])[0]["lifecycle"], "abandoned");
    assert_eq!(env.json(&["resume", "--json"])["session_id"], id.as_str());
    assert_eq!(lifecycle(&env, &id), "active");
    assert!(refused(&env, &["resume", &id]).contains("nothing to resume"));
}

#[test]
fn a_session_with_a_running_conversation_is_not_abandoned() {
    let mut env = env();
    env.init();
    env.begin();
    env.time = "2026-11-16T12:00:00.000Z".into();
    assert_eq!(env.json(&["status", "--json"])["lifecycle"], "active");
}

#[test]
fn resume_asks_which_where_several_rest() {
    let env = env();
    env.init();
    assert!(refused(&env, &["resume"]).contains("no session of this work tree is paused"));
    for objective in ["First", "Second"] {
        let id = env.start(objective);
        env.ok(&["pause", &id, "--reason", "x"]);
    }
    assert!(refused(&env, &["resume"]).contains("2 sessions of this work tree"));
    env.ok(&["resume", "2026-11-15_second"]);
    env.ok(&["resume"]);
}

#[test]
fn bad_input_is_refused_with_nothing_changed() {
    let env = env();
    env.init();
    let id = env.start("First");
    env.start("Second");
    env.ok(&["switch", "--none"]);
    // The system passes no single argument above 128 KB; the core's tests go up to 10 MB.
    let long = "x".repeat(120_000);
    let before = streams(&env);
    for (args, why) in [
        (&["pause", &id, "--reason", ""][..], "the reason is empty"),
        (&["pause", &id, "--reason", " \n"], "the reason is empty"),
        (&["pause", &id, "--reason", "x", "--context", ""], "the context is empty"),
        (&["pause", &id, "--reason", &long], "at most"),
        (&["end", &id, "--summary", &long], "at most"),
        (&["end", &id, "--summary", " "], "the summary is empty"),
        (&["start", "--objective", &long], "at most"),
        (&["commit", "HEAD", "-m", "", "--session", &id], "the message is empty"),
        (&["pause", "2025", "--reason", "x"], "no session begins with `2025`"),
        (&["resume", "2026-11-15_"], "fits 2 sessions"),
        (&["end", "../../etc"], "cannot be an id"),
        (&["show", "nope"], "no session begins with"),
        (&["violations", "nope"], "no session begins with"),
        (&["export", "nope"], "no session begins with"),
        (&["end"], "there are 2 active sessions"),
    ] {
        let told = refused(&env, args);
        assert!(told.contains(why), "waypost {args:?}: {told}");
    }
    assert_eq!(streams(&env), before);
    for args in [&["pause"][..], &["show"], &["list", "--status", "asleep"], &["completions", "x"]]
    {
        assert_eq!(env.waypost(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_run_on_a_session_that_is_over_is_refused_before_it_runs() {
    let mut env = env();
    env.init();
    env.begin();
    env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), "s1".into()));
    env.ok(&["start", "--objective", "Add login"]);
    env.ok(&["end"]);
    assert!(refused(&env, &["run", "--", "touch", "made"]).contains("resume it first"));
    assert!(!env.project().join("made").exists());
    assert!(refused(&env, &["note", "add", "x"]).contains("it is completed"));
    env.ok(&["resume"]);
    env.ok(&["run", "--", "touch", "made"]);
    assert!(env.project().join("made").exists());
}

#[test]
fn what_rests_or_is_over_is_not_joined_and_not_adopted() {
    for command in [&["pause", "--reason", "x"][..], &["end"]] {
        let env = env();
        env.init();
        env.hook("SessionStart", &json!({"source": "startup"}));
        env.ok(command);
        env.hook("SessionStart", &json!({"source": "startup", "session_id": "s2"}));
        let sessions = env.json(&["list", "--json"]);
        assert_eq!(sessions.as_array().unwrap().len(), 2, "{command:?}");
        let env = self::env();
        env.init();
        // A hook whose caller is not checked: the commands below are then a human's.
        env.forged_hook("SessionStart", &json!({"source": "startup"}));
        env.ok(command);
        let started = env.json(&["start", "--objective", "Other", "--json"]);
        assert_eq!(started["adopted"], false, "{command:?}");
    }
}

#[test]
fn a_conversation_resumes_its_paused_session_before_it_names_it() {
    let env = env();
    env.init();
    env.begin();
    env.ok(&["pause", "--reason", "x"]);
    let told = refused(&env, &["start", "--objective", "Other"]);
    assert!(told.contains("resume it: waypost resume 2026-"), "{told}");
    env.ok(&["resume"]);
    env.ok(&["start", "--objective", "Other"]);
}

#[test]
fn a_conversation_whose_session_is_over_goes_on_in_another_at_the_next_prompt() {
    let mut env = env();
    env.init();
    env.begin();
    env.ok(&["start", "--objective", "First"]);
    env.edit("src/lib.txt", "two\n");
    env.ok(&["end"]);
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    assert!(env.stop().held().is_some(), "ending a session does not settle what is owed");
    env.bash("./check.sh", "call");
    assert_eq!(env.stop().held(), None);
    let told = env.hook("UserPromptSubmit", &json!({"prompt": "now the next"})).stdout;
    assert!(told.contains("continues in"), "{told}");
    env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), "s1".into()));
    let adopted = env.json(&["start", "--objective", "Second", "--json"]);
    assert_eq!(adopted["adopted"], true);
    env.edit("src/lib.txt", "three\n");
    assert!(env.stop().held().is_some(), "the gates hold in the new session");
}

#[test]
fn an_agent_is_told_that_its_session_rests() {
    let env = env();
    env.init();
    env.begin();
    env.ok(&["pause", "--reason", "Waiting for review"]);
    let told = env.hook("SessionStart", &json!({"source": "resume"})).stdout;
    assert!(
        told.contains("⏸ Paused just now (2026-11-15 12:00 +00:00): \\\"Waiting for review\\\""),
        "{told}"
    );
    let prompt = env.hook("UserPromptSubmit", &json!({"prompt": "go on"})).stdout;
    assert!(prompt.contains("is paused; `waypost resume 2026-"), "{prompt}");
}

#[test]
fn an_export_holds_every_record_byte_for_byte() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    env.ok(&["note", "add", "ünïcode \u{1b}[31m \"quotes\""]);
    env.ok(&["export", &id, "--output", "login.json"]);
    let document: Value = serde_json::from_str(&env.read("login.json")).unwrap();
    assert_eq!(document["format"], 1);
    assert_eq!(document["session_id"], id.as_str());
    assert_eq!(document["state"]["objective"], "Add login");
    let lines: Vec<&str> =
        document["records"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let stream = env.log_of(&id);
    assert_eq!(lines.join("\n") + "\n", std::fs::read_to_string(stream).unwrap());
    assert_eq!(env.json(&["export", &id, "--json"]), document);
    assert!(refused(&env, &["export", &id, "--output", "login.json"]).contains("there already"));
    assert!(refused(&env, &["export", &id, "--output", "no/such/folder"]).contains("cannot write"));
}

#[test]
fn a_damaged_session_is_not_exported() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    let stream = env.log_of(&id);
    let content = std::fs::read_to_string(&stream).unwrap().replace("Add login", "Add logon");
    std::fs::write(&stream, content).unwrap();
    let output = env.waypost(&["export", &id]);
    assert_ne!(output.status.code(), Some(0), "{}", everything(&output));
    assert!(output.stdout.is_empty());
}

#[test]
fn completions_know_the_commands() {
    let env = env();
    for shell in ["bash", "zsh", "fish"] {
        let script = env.ok(&["completions", shell]);
        assert!(script.contains("violations") && script.contains("next-notes"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let env = env();
    env.ok(&["man", "--output", "pages/man1"]);
    for (page, words) in [("waypost", "waypost\\-pause"), ("waypost-end", "next\\-notes")] {
        let page = env.read(&format!("pages/man1/{page}.1"));
        assert!(page.contains(words), "{page}");
    }
    assert!(refused(&env, &["man", "--output", "check.sh/x"]).contains("cannot write to"));
}

#[test]
fn help_of_the_life_of_a_session_reads_well() {
    let env = env();
    let mut told = String::new();
    for command in ["pause", "resume", "end", "list", "show", "commit", "violations", "export"] {
        let help = env.ok(&[command, "--help"]);
        assert!(help.contains("Examples:"), "{help}");
        told.push_str(&format!("$ waypost {command} --help\n{help}\n"));
    }
    insta::assert_snapshot!(told);
}
