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
