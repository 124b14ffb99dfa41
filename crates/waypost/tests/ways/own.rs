//! Waypost's own files, and what binds an agent.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;
use waypost_core::actor::Actor;
use waypost_core::event::Event;
use waypost_core::id::StreamId;
use waypost_core::key::Keyring;
use waypost_core::record::Draft;
use waypost_core::session::SessionState;
use waypost_store::{FileLog, StoreError, Streams};
use waypost_testkit::TestEnv;

use crate::play::{
    Came, DENIED, Outcome, Play, Way, begun, by_script_whole, commit_denied, edited, is_held, must,
    prompt, set_up, told,
};

pub(crate) const WAYS: &[Way] = &[
    Way {
        title: "writing the state, the policy or the configuration with a tool",
        real: "around.what_binds_the_agent_is_not_written_by_any_tool",
        play: Play::Calls(&[
            ("Write", r#"{"file_path": "waypost.toml"}"#),
            ("Edit", r#"{"file_path": ".git/waypost/project/events.jsonl"}"#),
            ("MultiEdit", r#"{"file_path": ".git/waypost/heads/project"}"#),
            ("mcp__filesystem__write_file", r#"{"path": ".git/waypost/policies/x"}"#),
            ("mcp__filesystem__move_file", r#"{"source": "waypost.toml", "destination": "x"}"#),
        ]),
    },
    Way {
        title: "writing them through the shell: `>`, `tee`, `sed -i`, a here-document, an interpreter, `cp`",
        real: "",
        play: Play::Lines(&[
            "echo x > waypost.toml",
            "echo x | tee -a .git/waypost/project/events.jsonl",
            "sed -i d waypost.toml",
            "cat > waypost.toml <<EOF\nx\nEOF",
            "python3 -c \"open('waypost.toml', 'w')\"",
            "cp src/lib.txt waypost.toml",
            "f=waypost.toml; echo x > $f",
            "eval 'echo x > waypost.toml'",
        ]),
    },
    Way {
        title: "deleting them: `rm -rf .git/waypost`, `git clean -fdx`, `find -delete`, `mv`",
        real: "ways.waypost_s_files_are_deleted_by_no_agent",
        play: Play::Lines(&[
            "rm -rf .git/waypost",
            "rm waypost.toml",
            "git clean -fdx",
            "find . -name '*.jsonl' -exec rm {} +",
            "mv .git elsewhere",
            "ls .git/waypost/* | xargs rm",
            "git rm -f waypost.toml",
        ]),
    },
    Way {
        title: "`touch` on a file that would allow",
        real: "",
        play: Play::Lines(&["touch .git/waypost/allow", "touch waypost.toml"]),
    },
    Way {
        title: "changing directory first",
        real: "",
        play: Play::Lines(&[
            "cd .git && rm -rf waypost",
            "cd src && echo x > ../waypost.toml",
            "cd .. && rm -rf project",
            "(cd .claude; rm settings.local.json)",
        ]),
    },
    Way {
        title: "a symbolic or a hard link into a protected place",
        real: "",
        play: Play::Own(links),
    },
    Way {
        title: "taking git's hook away: `rm .git/hooks/reference-transaction`",
        real: "",
        play: Play::Lines(&[
            "rm .git/hooks/reference-transaction",
            "mv .git/hooks/reference-transaction /tmp/x",
            "rm -rf .git/hooks",
        ]),
    },
    Way {
        title: "a script that takes git's hook away, and commits",
        real: "",
        play: Play::Own(hook_away),
    },
    Way {
        title: "reading the key, with a tool or through the shell",
        real: "",
        play: Play::Own(key_read),
    },
    Way { title: "a script that removes the store", real: "", play: Play::Own(store_removed) },
    Way {
        title: "a script that removes the store and the configuration",
        real: "around.whoever_removes_the_store_and_the_configuration_is_held_and_the_user_is_told",
        play: Play::Own(both_removed),
    },
    Way { title: "a script that changes records", real: "", play: Play::Own(records_changed) },
    Way {
        title: "a script that puts an older state of a session back",
        real: "",
        play: Play::Own(rolled_back),
    },
    Way {
        title: "a script that puts the whole store back as it was, in all of its files at once",
        real: "",
        play: Play::Own(all_rolled_back),
    },
    Way {
        title: "a script that exchanges the compiled policy",
        real: "",
        play: Play::Own(policy_changed),
    },
    Way {
        title: "a script that removes the registry of conversations",
        real: "",
        play: Play::Own(registry_removed),
    },
    Way { title: "a script that loosens `waypost.toml`", real: "", play: Play::Own(loosened) },
    Way {
        title: "checking out a commit without `waypost.toml`",
        real: "ways.a_checkout_without_the_configuration_keeps_the_gates",
        play: Play::Own(without_configuration),
    },
    Way {
        title: "commands in a `waypost.toml` that nobody trusted",
        real: "",
        play: Play::Own(untrusted),
    },
    Way {
        title: "a program that reads the key by itself, and signs a record of its own",
        real: "",
        play: Play::Own(forged_record),
    },
];

fn stream(env: &TestEnv) -> PathBuf {
    let sessions = fs::read_dir(env.store().join("sessions")).unwrap();
    sessions.map(|entry| entry.unwrap().path()).next().unwrap()
}

fn edit_denied(env: &TestEnv) -> bool {
    env.before_edit(&env.project().join("src/lib.txt")).denied().is_some()
}

fn links() -> Outcome {
    let env = begun();
    let root = env.project();
    symlink(env.store(), root.join("folder")).unwrap();
    symlink(root.join("waypost.toml"), root.join("soft.txt")).unwrap();
    fs::hard_link(root.join("waypost.toml"), root.join("hard.txt")).unwrap();
    for path in ["folder/allow", "soft.txt", "hard.txt"] {
        must(env.before_edit(Path::new(path)).denied().is_some(), format!("Edit {path}"))?;
        let line = format!("echo x > {path}");
        must(env.before_bash(&line, "x").denied().is_some(), line)?;
    }
    let line = "ln -s .git/waypost innocent && touch innocent/x";
    must(env.before_bash(line, "x").denied().is_some(), line)?;
    Ok(DENIED)
}

fn hook_away() -> Outcome {
    let env = edited();
    by_script_whole(&env, "rm .git/hooks/reference-transaction; git commit -qam x")?;
    must(is_held(&env), "the stop is not held")?;
    let told = told(&env, &["doctor"]);
    must(told.contains("reference-transaction is gone"), told)?;
    Ok(Came::Stopped("found at the stop, which is held; `doctor` tells that the hook is gone"))
}

fn key_read() -> Outcome {
    let env = begun();
    let key = env.key_file();
    for (tool, input) in [
        ("Read", json!({"file_path": key})),
        ("Grep", json!({"pattern": ".", "path": key})),
        ("mcp__filesystem__read_file", json!({"path": key})),
        ("Bash", json!({"command": "cat ~/.config/waypost/key"})),
        ("Bash", json!({"command": "cd ~/.config && cat wayp*/*"})),
        ("Bash", json!({"command": "tar cf x.tar ~/.config"})),
    ] {
        let answer = env.hook("PreToolUse", &crate::play::call(tool, &input));
        must(answer.denied().is_some(), format!("not denied: {tool} {input}"))?;
    }
    Ok(DENIED)
}

fn store_removed() -> Outcome {
    let env = begun();
    by_script_whole(&env, "rm -rf .git/waypost")?;
    must(edit_denied(&env) && is_held(&env), "not held")?;
    let verified = told(&env, &["verify", "--all"]);
    must(verified.contains("records are gone"), verified)?;
    let told = prompt(&env).stdout;
    must(told.contains("are gone; somebody removed them"), told)?;
    must(commit_denied(&env), "the gates are gone")?;
    Ok(Came::Stopped(
        "edits and the stop are held until the user was told; the gates stay, and `verify` tells",
    ))
}

fn both_removed() -> Outcome {
    let env = begun();
    by_script_whole(&env, "rm -rf .git/waypost waypost.toml")?;
    must(edit_denied(&env) && commit_denied(&env) && is_held(&env), "not held")?;
    let told = prompt(&env).stdout;
    must(told.contains("are gone"), told)?;
    Ok(Came::Stopped("edits, commits and the stop are held, and the user is told"))
}

fn records_changed() -> Outcome {
    let env = begun();
    by_script_whole(&env, &format!("sed -i s/a/b/g {}/events.jsonl", stream(&env).display()))?;
    must(commit_denied(&env), "the commit is not denied")?;
    must(env.waypost(&["verify", "--all"]).status.code() == Some(3), "verify does not tell")?;
    must(!env.waypost(&["doctor"]).status.success(), "doctor does not tell")?;
    Ok(Came::Seen("`verify` names the record, `doctor` tells, and the gates still hold"))
}

fn rolled_back() -> Outcome {
    let env = edited();
    by_script_whole(&env, "cp -r .git/waypost/sessions ~/older")?;
    told(&env, &["note", "add", "later"]);
    by_script_whole(&env, "rm -rf .git/waypost/sessions; cp -r ~/older .git/waypost/sessions")?;
    must(commit_denied(&env), "the commit is not denied")?;
    let verified = env.waypost(&["verify", "--all"]);
    must(verified.status.code() == Some(3), told(&env, &["verify", "--all"]))?;
    Ok(Came::Seen("`verify` tells that records are missing, and the gates still hold"))
}

fn all_rolled_back() -> Outcome {
    let env = edited();
    by_script_whole(&env, "cp -r .git/waypost ~/older")?;
    told(&env, &["note", "add", "later"]);
    by_script_whole(&env, "rm -rf .git/waypost; cp -r ~/older .git/waypost")?;
    must(commit_denied(&env) && is_held(&env), "the gates are gone")?;
    must(env.waypost(&["verify", "--all"]).status.success(), "verify tells after all")?;
    must(!told(&env, &["history"]).contains("later"), "the record is still there")?;
    Ok(Came::Missed(
        "a program of your own user may put all your files back; what it cannot take back is what was published or pushed, and the gates still ask about the content of now",
    ))
}

fn policy_changed() -> Outcome {
    let env = begun();
    by_script_whole(&env, "find .git/waypost/policies -type f -exec sed -i s/must/may/g {} +")?;
    must(commit_denied(&env), "the commit is not denied")?;
    let status = told(&env, &["status"]);
    must(status.contains("could not be read"), status)?;
    prompt(&env);
    must(commit_denied(&env), "the gates were not made again")?;
    Ok(Came::Stopped(
        "it is made again from the configuration; commits stay denied, and it is told",
    ))
}

fn registry_removed() -> Outcome {
    let env = edited();
    by_script_whole(&env, "rm -rf ~/.local/state/waypost")?;
    must(is_held(&env), "the stop is not held")?;
    must(commit_denied(&env), "the commit is not denied")?;
    Ok(Came::Stopped("it frees nobody: commits and the stop are held"))
}

fn loosened() -> Outcome {
    let env = begun();
    by_script_whole(&env, "echo '[project]' > waypost.toml")?;
    must(commit_denied(&env) && is_held(&env), "the gates are gone")?;
    let told = prompt(&env).stdout;
    must(told.contains("gate checks-pass was removed"), told)?;
    Ok(Came::Stopped("nothing changes until the user's next prompt, and then the user is told"))
}

fn without_configuration() -> Outcome {
    let env = set_up();
    env.begin();
    env.bash("git checkout -q HEAD~1", "checkout");
    must(!env.project().join("waypost.toml").exists(), "it is still there")?;
    prompt(&env);
    must(commit_denied(&env), "the gates are gone")?;
    Ok(Came::Stopped("the gates stay"))
}

fn untrusted() -> Outcome {
    let env = begun();
    by_script_whole(&env, "sed -i 's|./check.sh\\*|touch ran|' waypost.toml")?;
    let output = told(&env, &["run", "--gate", "checks-pass"]);
    must(!env.project().join("ran").exists(), format!("it ran: {output}"))?;
    Ok(Came::Stopped("they run only after the user trusted the file"))
}

fn forged_record() -> Outcome {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(
        "[[gate]]\nid = \"deploy\"\nbefore = [\"edit\"]\nproof = { approval = \"local\" }\n",
    );
    env.begin();
    must(edit_denied(&env), "it is approved already")?;
    let id = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
    let event = json!({"type": "gate_marked", "v": 1, "gate": "deploy", "provenance": "approved"});
    let event = Event::from_json(&event.to_string()).unwrap();
    must(matches!(event, Event::Known(_)), "no such event")?;
    let ring = Keyring::from_file(&fs::read(env.key_file()).unwrap()).unwrap();
    let log = Streams::from(FileLog::new(env.store(), ring));
    let draft = Draft { time: env.time.parse().unwrap(), actor: Actor::Human, event };
    let stream = StreamId::Session(id.parse().unwrap());
    let forged =
        log.transact(&stream, |_: &SessionState| Ok::<_, StoreError>((vec![draft.clone()], ())));
    must(forged.is_ok(), "it was not taken")?;
    must(!edit_denied(&env), "the edit is denied after all")?;
    Ok(Came::Missed(
        "a program of your own user may read your files; a gate with a signed approval asks for more than the key",
    ))
}
