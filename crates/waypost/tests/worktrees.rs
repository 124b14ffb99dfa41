//! Several work trees of one repository: what happens in one is judged there, by its own content and evidence, and an
//! agent that follows the messages gets through. Another repository is nobody's business.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_testkit::{HookAnswer, TestEnv};

/// A project with a second work tree, and a conversation that began in the first.
struct Two {
    env: TestEnv,
    second: PathBuf,
}

impl Two {
    fn new() -> Self {
        Self::at("../second")
    }

    fn at(path: &str) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.init();
        env.git_unasked(&["add", "-A"]);
        env.git_unasked(&["commit", "-q", "-m", "set up"]);
        env.git_unasked(&["worktree", "add", "-q", path, "-b", "second"]);
        let second = env.project().join(path).canonicalize().unwrap();
        env.begin();
        Self { env, second }
    }

    fn call(
        &self,
        event: &str,
        cwd: &Path,
        tool: &str,
        input: &Value,
        extra: &Value,
    ) -> HookAnswer {
        let mut fields = json!({"cwd": cwd, "tool_name": tool, "tool_use_id": "w",
            "tool_input": input, "tool_response": {"stdout": ""}});
        fields.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        self.env.hook(event, &fields)
    }

    /// A command line that really runs, with the hooks around it.
    fn bash(&self, cwd: &Path, line: &str) -> HookAnswer {
        let input = json!({"command": line});
        let before = self.call("PreToolUse", cwd, "Bash", &input, &json!({}));
        if before.denied().is_some() {
            return before;
        }
        let output = self.env.command("sh", cwd).args(["-c", line]).output().unwrap();
        let event = if output.status.success() { "PostToolUse" } else { "PostToolUseFailure" };
        let failed = json!({"error": format!("Exit code {}", output.status.code().unwrap_or(1))});
        let extra = if output.status.success() { json!({}) } else { failed };
        self.call(event, cwd, "Bash", &input, &extra)
    }

    fn edit(&self, cwd: &Path, file: &Path, content: &str, extra: &Value) -> HookAnswer {
        let input = json!({"file_path": file, "content": content});
        let before = self.call("PreToolUse", cwd, "Write", &input, extra);
        if before.denied().is_none() {
            fs::write(file, content).unwrap();
            return self.call("PostToolUse", cwd, "Write", &input, extra);
        }
        before
    }

    fn stop(&self, cwd: &Path) -> Option<String> {
        self.env.hook("Stop", &json!({"cwd": cwd, "stop_hook_active": false})).held()
    }

    /// The command that a message names as the next step.
    fn next(message: &str) -> String {
        let text: String = serde_json::from_str(message).unwrap_or_else(|_| message.to_owned());
        let line = text.lines().find_map(|line| line.trim().strip_prefix("Next: ")).unwrap();
        line.to_owned()
    }
}

#[test]
fn an_edit_in_another_work_tree_is_asked_there_and_the_message_leads_out() {
    let two = Two::new();
    let (main, second) = (two.env.project().to_owned(), two.second.clone());
    two.edit(&second, &second.join("src/lib.txt"), "two\n", &json!({}));
    let held = two.stop(&main).unwrap();
    assert!(held.contains(&format!("cd {} && waypost run", second.display())), "{held}");
    assert!(held.contains("src/lib.txt"), "{held}");
    // A run in the work tree that did not change proves nothing about the other.
    two.bash(&main, "./check.sh");
    assert!(two.stop(&main).is_some());
    two.bash(&main, &Two::next(&held));
    assert_eq!(two.stop(&main), None);
}

#[test]
fn an_agent_that_is_in_another_work_tree_is_told_what_works_there() {
    let two = Two::new();
    let second = two.second.clone();
    two.edit(&second, &second.join("src/lib.txt"), "two\n", &json!({}));
    let held = two.stop(&second).unwrap();
    assert!(!held.contains("cd "), "it is there already: {held}");
    two.bash(&second, "./check.sh");
    assert_eq!(two.stop(&second), None);
}

#[test]
fn what_a_script_changes_in_another_work_tree_is_found() {
    let two = Two::new();
    let main = two.env.project().to_owned();
    let line = "cd ../second && python3 -c \"open('src/lib.txt','w').write('x')\"";
    assert_eq!(two.bash(&main, line).denied(), None);
    let held = two.stop(&main).unwrap();
    assert!(held.contains("second"), "{held}");
}

#[test]
fn a_work_tree_inside_of_another_is_one_of_its_own() {
    let two = Two::at(".claude/worktrees/inner");
    let (main, inner) = (two.env.project().to_owned(), two.second.clone());
    two.edit(&inner, &inner.join("src/lib.txt"), "two\n", &json!({}));
    two.bash(&main, "./check.sh");
    assert!(two.stop(&main).is_some(), "a run around it says nothing of it");
    two.bash(&inner, "./check.sh");
    assert_eq!(two.stop(&main), None);
}

#[test]
fn a_run_counts_in_another_work_tree_only_where_the_content_is_the_same() {
    let two = Two::new();
    let (main, second) = (two.env.project().to_owned(), two.second.clone());
    two.edit(&second, &second.join("src/lib.txt"), "two\n", &json!({}));
    two.edit(&main, &main.join("src/lib.txt"), "two\n", &json!({}));
    two.bash(&second, "./check.sh");
    assert_eq!(two.stop(&main), None, "the same content in both");
    two.env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    two.edit(&main, &main.join("src/lib.txt"), "three\n", &json!({}));
    assert!(two.stop(&main).is_some());
}

#[test]
fn a_commit_is_judged_in_the_work_tree_that_it_is_made_in() {
    let two = Two::new();
    let main = two.env.project().to_owned();
    two.bash(&main, "./check.sh");
    assert_eq!(two.bash(&main, "git commit -q --allow-empty -m fine").denied(), None);
    for line in [
        "git -C ../second commit -qam x",
        "cd ../second && git commit -qam x",
        "(cd ../second; git add -A; git commit -qm x)",
        "git --git-dir=.git/worktrees/second --work-tree=../second commit -qam x",
    ] {
        fs::write(two.second.join("src/lib.txt"), "changed there\n").unwrap();
        let denied = two.bash(&main, line).denied();
        let denied = denied.unwrap_or_else(|| panic!("{line}"));
        assert!(denied.contains(&two.second.display().to_string()), "{denied}");
    }
    two.bash(&main, "cd ../second && ./check.sh");
    let committed = two.bash(&main, "git -C ../second commit -qam x");
    assert_eq!(committed.denied(), None);
    assert_eq!(two.stop(&main), None);
}

#[test]
fn another_repository_is_nobodys_business() {
    let two = Two::new();
    let main = two.env.project().to_owned();
    let other = two.env.home().join("other");
    fs::create_dir(&other).unwrap();
    two.env.command("git", &other).args(["init", "-q"]).output().unwrap();
    fs::write(main.join("src/lib.txt"), "unproven\n").unwrap();
    for line in [
        "git -C ~/other commit -q --allow-empty -m x",
        "cd ~/other && git commit -q --allow-empty -m x",
        "mkdir -p ~/new && cd ~/new && git init -q && git commit -q --allow-empty -m x",
        "d=$(mktemp -d) && cd $d && git init -q && git commit -q --allow-empty -m x",
        "git clone -q ~/other ~/copy && git -C ~/copy commit -q --allow-empty -m x",
        "git --git-dir ~/other/.git commit -q --allow-empty -m x",
    ] {
        let answer = two.call("PreToolUse", &main, "Bash", &json!({"command": line}), &json!({}));
        assert_eq!(answer.denied(), None, "{line}");
    }
    for line in ["git init -q; git commit -qam x", "cd . && git commit -qam x"] {
        let answer = two.call("PreToolUse", &main, "Bash", &json!({"command": line}), &json!({}));
        assert!(answer.denied().is_some(), "{line}");
    }
}

#[test]
fn another_repository_whose_folder_lies_elsewhere_is_nobodys_business_and_a_way_into_ours_is_not() {
    let two = Two::new();
    let (main, home) = (two.env.project().to_owned(), two.env.home().to_owned());
    for line in [
        "git init -q --separate-git-dir ~/kept/apart ~/apart",
        "git init -q ~/origin && mkdir ~/linked && ln -s ~/origin/.git ~/linked/.git",
        "git -C ~/origin commit -q --allow-empty -m x && git -C ~/origin worktree add -q ~/theirs",
        "mkdir ~/moved && cp ~/theirs/.git ~/moved/.git",
        "mkdir ~/file && ln -s ~/apart/.git ~/file/.git",
        "mkdir ~/crafted && ln -s \"$PWD/.git\" ~/crafted/.git",
        "mkdir ~/pointing && echo \"gitdir: $PWD/.git\" > ~/pointing/.git",
        "mkdir ~/strayed && cp ../second/.git ~/strayed/.git",
    ] {
        let prepared = format!("mkdir -p ~/kept; {line}");
        let output = two.env.command("sh", &main).args(["-c", &prepared]).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }
    fs::write(main.join("src/lib.txt"), "unproven\n").unwrap();
    let denied = |cwd: &Path, line: &str| {
        let input = json!({"command": line});
        two.call("PreToolUse", cwd, "Bash", &input, &json!({})).denied()
    };
    for name in ["apart", "linked", "moved", "file"] {
        for line in
            [format!("git -C ~/{name} commit -qam x"), format!("cd ~/{name} && git commit -qam x")]
        {
            assert_eq!(denied(&main, &line), None, "{line}");
        }
        assert_eq!(denied(&home.join(name), "git commit -qam x"), None, "in {name}");
    }
    for name in ["crafted", "pointing", "strayed"] {
        let line = format!("git -C ~/{name} commit -qam x");
        assert!(denied(&main, &line).is_some(), "{line}");
    }
}

#[test]
fn a_subagent_is_held_for_what_it_changed_in_a_work_tree_of_its_own() {
    let two = Two::new();
    let (main, second) = (two.env.project().to_owned(), two.second.clone());
    let by = json!({"agent_id": "a1", "agent_type": "general"});
    let event = |name: &str, cwd: &Path| {
        two.env.hook(
            name,
            &json!({"cwd": cwd, "agent_id": "a1", "agent_type": "general",
            "stop_hook_active": false}),
        )
    };
    event("SubagentStart", &second);
    two.edit(&second, &second.join("src/lib.txt"), "two\n", &by);
    let held = event("SubagentStop", &second).held().unwrap();
    assert!(held.contains("checks"), "{held}");
    two.bash(&second, "./check.sh");
    assert_eq!(event("SubagentStop", &second).held(), None);
    assert_eq!(two.stop(&main), None, "and whom it worked for is free, too");
}

#[test]
fn a_subagent_that_changed_nothing_is_not_held_for_others() {
    let two = Two::new();
    let main = two.env.project().to_owned();
    let event = |name: &str, agent: &str| {
        two.env.hook(
            name,
            &json!({"cwd": main, "agent_id": agent, "agent_type": "Explore",
            "stop_hook_active": false}),
        )
    };
    event("SubagentStart", "reader");
    event("SubagentStart", "writer");
    let by = json!({"agent_id": "writer", "agent_type": "general"});
    two.edit(&main, &main.join("src/lib.txt"), "two\n", &by);
    assert_eq!(event("SubagentStop", "reader").held(), None);
    for _ in 0..3 {
        assert!(event("SubagentStop", "writer").held().is_some());
    }
    assert_eq!(event("SubagentStop", "writer").held(), None, "it is bounded");
    assert!(two.env.event_types().contains(&"violation_recorded".to_owned()));
    assert!(two.stop(&main).is_some(), "whom it worked for still answers for it");
}

#[test]
fn a_background_agent_is_asked_at_its_own_end_and_whom_it_works_for_at_the_next_stop() {
    let two = Two::new();
    let main = two.env.project().to_owned();
    let start = json!({"cwd": main, "agent_id": "bg", "agent_type": "general"});
    two.env.hook("SubagentStart", &start);
    let by = json!({"agent_id": "bg", "agent_type": "general"});
    two.edit(&main, &main.join("src/lib.txt"), "two\n", &by);
    let running = json!([{"id": "bg", "type": "subagent", "status": "running"}]);
    let stop = |tasks: &Value| {
        two.env.hook("Stop", &json!({"stop_hook_active": false, "background_tasks": tasks}))
    };
    assert_eq!(stop(&running).held(), None, "the changes are the agent's, which still works");
    two.edit(&main, &main.join("src/own.txt"), "mine\n", &json!({}));
    assert!(stop(&running).held().is_some(), "this one is not");
    assert!(stop(&json!([])).held().is_some());
}

#[test]
fn after_clear_or_a_fork_what_is_owed_stays_with_the_work_tree() {
    for source in ["clear", "fork"] {
        let two = Two::new();
        let main = two.env.project().to_owned();
        two.edit(&main, &main.join("src/lib.txt"), "two\n", &json!({}));
        two.env.hook("SessionEnd", &json!({"reason": "clear"}));
        let next = |event: &str, extra: Value| {
            let mut fields = json!({"session_id": "after", "cwd": main});
            fields.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            two.env.hook(event, &fields)
        };
        next("SessionStart", json!({"source": source}));
        next("UserPromptSubmit", json!({"prompt": "hello"}));
        let held = next("Stop", json!({"stop_hook_active": false})).held();
        assert!(held.is_some(), "{source}");
    }
}

#[test]
fn a_work_tree_that_is_gone_holds_nobody() {
    let two = Two::new();
    let (main, second) = (two.env.project().to_owned(), two.second.clone());
    two.edit(&second, &second.join("src/lib.txt"), "two\n", &json!({}));
    assert!(two.stop(&main).is_some());
    two.env.git(&["worktree", "remove", "--force", "../second"]);
    assert_eq!(two.stop(&main), None);
}

#[test]
fn what_agents_may_not_change_they_may_not_change_in_any_work_tree() {
    let two = Two::new();
    let (main, second) = (two.env.project().to_owned(), two.second.clone());
    for (cwd, top) in [(&main, &second), (&second, &main), (&second, &second)] {
        for file in ["waypost.toml", ".waypost/runners/x.toml", ".claude/settings.local.json"] {
            let input = json!({"file_path": top.join(file), "content": ""});
            let answer = two.call("PreToolUse", cwd, "Write", &input, &json!({}));
            assert!(answer.denied().is_some(), "{file} of {} in {}", top.display(), cwd.display());
            let line = format!("echo > {}", top.join(file).display());
            let answer = two.call("PreToolUse", cwd, "Bash", &json!({"command": line}), &json!({}));
            assert!(answer.denied().is_some(), "{line} in {}", cwd.display());
        }
    }
}

#[test]
fn whoever_only_looks_at_another_work_tree_is_not_held_for_what_a_person_does_there() {
    for line in [
        "ls ../second",
        "cat ../second/src/lib.txt && git -C ../second log -1",
        "cd ../second && make",
    ] {
        let two = Two::new();
        let main = two.env.project().to_owned();
        let input = json!({"command": line});
        two.call("PreToolUse", &main, "Bash", &input, &json!({}));
        two.call("PostToolUse", &main, "Bash", &input, &json!({}));
        two.env.tick();
        fs::write(two.second.join("src/lib.txt"), "by a person\n").unwrap();
        assert_eq!(two.stop(&main), None, "{line}");
    }
}

#[test]
fn what_one_conversation_took_over_the_next_does_not_take_over_again() {
    let two = Two::new();
    let main = two.env.project().to_owned();
    let of = |session: &str, event: &str, extra: &Value| {
        let mut fields = json!({"session_id": session, "cwd": main});
        fields.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        two.env.hook(event, &fields)
    };
    two.edit(&main, &main.join("src/lib.txt"), "two\n", &json!({}));
    two.env.hook("SessionEnd", &json!({"reason": "clear"}));
    for (session, owes) in [("c2", true), ("c3", false), ("c4", false)] {
        of(session, "SessionStart", &json!({"source": "clear"}));
        of(session, "UserPromptSubmit", &json!({"prompt": "hello"}));
        let stop = || of(session, "Stop", &json!({"stop_hook_active": false})).held();
        assert_eq!(stop().is_some(), owes, "{session}");
        if owes {
            for event in ["PreToolUse", "PostToolUse"] {
                of(
                    session,
                    event,
                    &json!({"tool_name": "Bash", "tool_use_id": "c",
                    "tool_input": {"command": "./check.sh"}, "tool_response": {"stdout": ""}}),
                );
            }
            assert_eq!(stop(), None);
        }
        of(session, "SessionEnd", &json!({"reason": "clear"}));
    }
}

#[test]
fn with_many_work_trees_each_is_held_and_proving_each_releases_the_stop() {
    let two = Two::new();
    let main = two.env.project().to_owned();
    let trees: Vec<PathBuf> = (0..20)
        .map(|number| {
            let path = format!("../w{number}");
            two.env.git_unasked(&["worktree", "add", "-q", "--detach", &path]);
            two.env.project().join(path).canonicalize().unwrap()
        })
        .collect();
    for (number, tree) in trees.iter().enumerate() {
        two.edit(&main, &tree.join("src/lib.txt"), &format!("{number}\n"), &json!({}));
    }
    for tree in &trees {
        assert!(two.stop(&main).is_some());
        two.bash(tree, "./check.sh");
    }
    assert_eq!(two.stop(&main), None);
}

#[test]
fn with_two_work_trees_that_nothing_moves_in_the_stop_gives_way_after_a_while() {
    let two = Two::new();
    let (main, second) = (two.env.project().to_owned(), two.second.clone());
    two.edit(&main, &main.join("src/lib.txt"), "two\n", &json!({}));
    two.edit(&main, &second.join("src/lib.txt"), "three\n", &json!({}));
    let held = (0..12).take_while(|_| two.stop(&main).is_some()).count();
    assert_eq!(held, 6, "three times for each");
}

#[test]
fn a_subagent_that_only_reads_is_not_held_for_edits_in_a_work_tree_that_others_came_to() {
    let two = Two::new();
    let (main, second) = (two.env.project().to_owned(), two.second.clone());
    two.edit(&main, &second.join("src/lib.txt"), "two\n", &json!({}));
    let event = |name: &str| {
        two.env.hook(
            name,
            &json!({"cwd": second, "agent_id": "reader", "agent_type": "Explore",
            "stop_hook_active": false}),
        )
    };
    event("SubagentStart");
    assert_eq!(event("SubagentStop").held(), None);
}

#[test]
fn after_clear_in_another_work_tree_what_is_owed_there_and_at_home_stays() {
    let two = Two::new();
    let (main, second) = (two.env.project().to_owned(), two.second.clone());
    two.edit(&main, &main.join("src/lib.txt"), "two\n", &json!({}));
    two.edit(&second, &second.join("src/lib.txt"), "three\n", &json!({}));
    two.env.hook("SessionEnd", &json!({"reason": "clear", "cwd": second}));
    let next = |event: &str, extra: Value| {
        let mut fields = json!({"session_id": "after", "cwd": second});
        fields.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        two.env.hook(event, &fields)
    };
    next("SessionStart", json!({"source": "clear"}));
    next("UserPromptSubmit", json!({"prompt": "hello"}));
    let stop = || next("Stop", json!({"stop_hook_active": false})).held();
    for cd in [false, true] {
        let held = stop().unwrap();
        assert_eq!(held.contains("cd "), cd, "{held}");
        let input = json!({"command": Two::next(&held)});
        let run = json!({"tool_name": "Bash", "tool_use_id": "n", "tool_input": input,
            "tool_response": {"stdout": ""}});
        next("PreToolUse", run.clone());
        let ran = two.env.command("sh", &second).args(["-c", &Two::next(&held)]).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        next("PostToolUse", run);
    }
    assert_eq!(stop(), None);
}
