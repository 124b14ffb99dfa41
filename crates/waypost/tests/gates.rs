//! Gates of every kind through the real binary: denied, satisfied as told, allowed.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::{HookAnswer, TestEnv, everything};

/// A conversation under the gates of `config`.
fn under(config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(config);
    env.begin();
    env
}

fn call(env: &TestEnv, tool: &str, input: &Value, id: &str) -> HookAnswer {
    let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id});
    let before = env.hook("PreToolUse", &fields);
    if before.denied().is_none() {
        env.hook("PostToolUse", &fields);
    }
    before
}

fn write(env: &TestEnv, path: &str) -> Option<String> {
    env.before_edit(&env.project().join(path)).denied()
}

fn gate(id: &str, before: &str, proof: &str) -> String {
    format!("[[gate]]\nid = \"{id}\"\nbefore = [{before}]\nproof = {{ {proof} }}\n")
}

#[test]
fn a_file_has_to_be_read_before_the_first_write() {
    let env = under(&gate("adr", "\"edit\"", "read = \"ADR.md\""));
    let denied = write(&env, "src/lib.txt").unwrap();
    assert!(denied.contains("Next: read ADR.md"), "{denied}");
    let path = json!({"file_path": env.project().join("./ADR.md")});
    assert_eq!(call(&env, "Read", &path, "r1").denied(), None);
    assert_eq!(write(&env, "src/lib.txt"), None);
    let types = env.event_types();
    call(&env, "Read", &path, "r2");
    assert_eq!(env.event_types(), types, "reading it again is no news");
    env.forged_hook("PostToolUse", &json!({"tool_name": "Read", "tool_input": path}));
}

#[test]
fn a_read_that_a_forged_call_reports_proves_nothing() {
    let env = under(&gate("adr", "\"edit\"", "read = \"ADR.md\""));
    let path = json!({"file_path": env.project().join("ADR.md")});
    let fields = json!({"tool_name": "Read", "tool_input": path, "tool_use_id": "r"});
    env.forged_hook("PreToolUse", &fields);
    env.forged_hook("PostToolUse", &fields);
    assert!(write(&env, "src/lib.txt").is_some());
    env.hook("PostToolUse", &fields);
    assert!(write(&env, "src/lib.txt").is_some(), "nothing announced it");
}

#[test]
fn skills_and_tools_count_when_they_were_used() {
    let config = gate("review", "\"edit\"", "skill = \"arch-review\"")
        + &gate("serena", "\"edit\"", "called = \"mcp__serena__activate_project\"");
    let env = under(&config);
    let denied = write(&env, "src/lib.txt").unwrap();
    assert!(denied.contains("arch-review") && denied.contains("mcp__serena__activate_project"));
    call(&env, "Skill", &json!({"skill": "framework:arch-review"}), "s");
    call(&env, "mcp__serena__activate_project", &json!({"project": "."}), "m");
    assert_eq!(write(&env, "src/lib.txt"), None);
}

#[test]
fn an_approval_before_a_commit_is_used_up_by_that_commit() {
    let config = "[[gate]]\nid = \"review\"\nbefore = [\"commit\"]\nscope = \"single-use\"\n\
                  proof = { skill = \"pre-commit\" }\n";
    let env = under(config);
    let commit = "git commit -q --allow-empty -m x";
    assert!(env.before_bash(commit, "c0").denied().is_some());
    call(&env, "Skill", &json!({"skill": "pre-commit"}), "s1");
    assert_eq!(env.bash("git status", "st").status, 0);
    assert_eq!(env.before_bash(commit, "ask").denied(), None, "asking uses nothing up");
    env.bash(commit, "c1");
    assert!(env.before_bash(commit, "c2").denied().is_some(), "used up");
    call(&env, "Skill", &json!({"skill": "pre-commit"}), "s2");
    assert_eq!(env.before_bash(commit, "c3").denied(), None);
}

#[test]
fn what_counts_on_a_branch_counts_in_every_session_there_and_nowhere_else() {
    let config = "[[gate]]\nid = \"checks\"\nbefore = [\"push\"]\nscope = \"branch\"\n\
                  proof = { ran = \"./check.sh*\" }\n";
    let env = under(config);
    env.git(&["checkout", "-q", "-b", "feature/auth"]);
    assert!(env.before_bash("git push", "p1").denied().is_some());
    env.bash("./check.sh", "run");
    assert_eq!(env.before_bash("git push", "p2").denied(), None);
    env.ok(&["end"]);
    env.begin();
    assert_eq!(env.before_bash("git push", "p3").denied(), None, "another session");
    env.git(&["checkout", "-q", "-b", "feature-auth"]);
    assert!(env.before_bash("git push", "p4").denied().is_some(), "another branch");
    env.git(&["checkout", "-q", "feature/auth"]);
    env.ok(&["gate", "clear", "checks"]);
    assert!(env.before_bash("git push", "p5").denied().is_some());
}

#[test]
fn gates_that_hold_each_other_let_the_exact_step_through() {
    let config = gate("checks", "\"tool:Bash\"", "ran = \"./check.sh\"")
        + &gate("adr", "\"tool:Read\", \"tool:Bash\"", "read = \"ADR.md\"");
    let env = under(&config);
    assert!(env.before_bash("ls", "l").denied().is_some());
    for around in
        ["./check.sh; rm -rf x", "./check.sh > src/lib.txt", "./check.sh && ls", "bash ./check.sh"]
    {
        assert!(env.before_bash(around, "a").denied().is_some(), "{around}");
    }
    let other = json!({"file_path": env.project().join("src/lib.txt")});
    assert!(call(&env, "Read", &other, "r0").denied().is_some());
    assert_eq!(env.bash("./check.sh", "run").denied(), None);
    let adr = json!({"file_path": env.project().join("ADR.md")});
    assert_eq!(call(&env, "Read", &adr, "r1").denied(), None);
    assert_eq!(env.before_bash("ls", "l2").denied(), None);
}

#[test]
fn commands_by_pattern_mcp_tools_and_writes_through_the_shell_are_actions() {
    let config = gate("deploy", "\"bash:kubectl apply*\"", "approval = true")
        + &gate("memory", "\"mcp:serena/write*\"", "approval = true")
        + "[[gate]]\nid = \"src\"\nbefore = [\"edit\"]\nwhen = { paths = \"src/**\" }\nproof = { approval = true }\n";
    let env = under(&config);
    let denied = |command: &str| env.before_bash(command, "x").denied();
    assert!(denied("cd k8s && kubectl apply -f x.yml").unwrap().contains("deploy"));
    assert_eq!(denied("kubectl get pods"), None);
    assert!(call(&env, "mcp__serena__write_memory", &json!({}), "w").denied().is_some());
    assert_eq!(call(&env, "mcp__serena__read_memory", &json!({}), "r").denied(), None);
    for writes in [
        "echo x > src/lib.txt",
        "echo x | tee src/lib.txt",
        "sed -i s/a/b/ src/lib.txt",
        "cat > src/new.txt <<EOF\nx\nEOF",
        "bash -c 'echo x > src/lib.txt'",
        "cd src && touch lib.txt",
    ] {
        assert!(denied(writes).is_some_and(|why| why.contains("src")), "{writes}");
    }
    for elsewhere in [
        "echo x > docs.txt",
        "cat src/lib.txt",
        "echo x > /tmp/x",
        "grep x src/lib.txt 2>/dev/null",
    ] {
        assert_eq!(denied(elsewhere), None, "{elsewhere}");
    }
    assert_eq!(write(&env, "docs/x.md"), None);
    assert!(write(&env, "src/lib.txt").is_some());
}

#[test]
fn a_file_is_the_same_file_by_every_name_that_links_give_it() {
    let env = under(
        "[[gate]]\nid = \"src\"\nbefore = [\"edit\"]\nwhen = { paths = \"src/**\" }\nproof = { approval = true }\n",
    );
    let (root, outside) = (env.project(), env.home().join("link"));
    std::os::unix::fs::symlink(root, &outside).unwrap();
    std::os::unix::fs::symlink(root.join("src"), root.join("docs")).unwrap();
    for path in
        [outside.join("src/lib.txt"), root.join("docs/lib.txt"), root.join("docs/../src/new")]
    {
        assert!(env.before_edit(&path).denied().is_some(), "{}", path.display());
        let command = format!("echo x > '{}'", path.display());
        assert!(env.before_bash(&command, "w").denied().is_some(), "{command}");
    }
    assert_eq!(env.before_edit(&root.join("other.txt")).denied(), None);
}

#[test]
fn an_alias_of_git_is_what_it_stands_for() {
    let env = under(&gate("checks", "\"push\"", "ran = \"./check.sh\""));
    env.git(&["config", "alias.up", "push --force"]);
    env.git(&["config", "alias.st", "status"]);
    assert!(env.before_bash("git up", "u").denied().is_some());
    assert_eq!(env.before_bash("git st", "s").denied(), None);
}

#[test]
fn modes_hold_edits_and_commands_and_leave_the_sessions_own_files() {
    let env = under("[project]\nmode = \"planning\"\n");
    let denied = write(&env, "src/lib.txt").unwrap();
    assert!(denied.contains("waypost mode coding"), "{denied}");
    assert_eq!(env.before_bash("ls", "l").denied(), None);
    let session = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
    assert_eq!(write(&env, &format!("agents/sessions/{session}/spec.md")), None);
    assert!(env.before_bash("echo x > src/lib.txt", "w").denied().is_some());
    env.ok(&["mode", "analysis"]);
    assert!(env.before_bash("ls", "l2").denied().is_some());
    assert_eq!(env.before_bash("waypost mode coding", "m").denied(), None, "the way out");
    env.ok(&["mode", "coding"]);
    assert_eq!(write(&env, "src/lib.txt"), None);
    let refused = env.waypost(&["mode", "disabled"]);
    assert_eq!(refused.status.code(), Some(1), "{}", everything(&refused));
    let refused = env.waypost(&["mode", "cooking"]);
    assert!(everything(&refused).contains("modes are"), "{}", everything(&refused));
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_mode_that_nobody_knows_holds_everything() {
    let env = under("[project]\nmode = \"cooking\"\n");
    assert!(write(&env, "src/lib.txt").is_some());
    assert!(env.before_bash("ls", "l").denied().is_some());
    let told = env.waypost(&["gate", "list"]);
    assert_eq!(told.status.code(), Some(2), "{}", everything(&told));
}

#[test]
fn a_session_completes_when_its_gates_let_it_and_fails_any_time() {
    let env =
        under(&gate("report", "\"end\"", "report = \"qa/*.md\", with = { verdict = \"PASS\" }"));
    let held = env.waypost(&["end"]);
    assert_eq!(held.status.code(), Some(1), "{}", everything(&held));
    assert!(everything(&held).contains("qa/*.md"), "{}", everything(&held));
    env.write("qa/1.md", "---\nverdict: FAIL\n---\n");
    assert_eq!(env.waypost(&["end"]).status.code(), Some(1));
    env.write("qa/2.md", "---\nverdict: pass\n---\n");
    env.ok(&["end"]);
    let id = env.json(&["list", "--json"])[0]["session_id"].as_str().unwrap().to_owned();
    env.ok(&["resume", &id]);
    fs::remove_dir_all(env.project().join("qa")).unwrap();
    env.ok(&["end", &id, "--failed"]);
}

#[test]
fn gate_check_tells_what_holds_and_fields_are_claimed_or_accepted() {
    let config = "[[gate]]\nid = \"plan\"\nbefore = [\"end\"]\naccept = \"claimed\"\n\
                  proof = { fields = { tasks = { type = \"integer\", check = \"value > 2\" }, note = \"string\" } }\n\
                  [[gate]]\nid = \"strict\"\nbefore = [\"end\"]\nproof = { fields = { done = \"boolean\" } }\n";
    let env = under(config);
    let all = env.waypost(&["gate", "check", "--all", "--json"]);
    assert_eq!(all.status.code(), Some(1), "{}", everything(&all));
    env.ok(&["evidence", "record", "plan", "tasks=2", "note=planned"]);
    let told = everything(&env.waypost(&["gate", "check", "plan"]));
    assert!(told.contains("`value > 2` does not hold"), "{told}");
    env.ok(&["evidence", "record", "plan", "tasks=3", "note=planned"]);
    env.ok(&["gate", "check", "plan"]);
    env.ok(&["evidence", "record", "strict", "done=true"]);
    let told = everything(&env.waypost(&["gate", "check", "strict"]));
    assert!(
        told.contains("only claimed") && told.contains("waypost gate approve strict"),
        "{told}"
    );
    let listed = env.json(&["evidence", "list", "--json"]);
    assert_eq!(listed["evidence"].as_array().unwrap().len(), 2, "{listed}");
    for (args, told) in [
        (&["gate", "check", "plam"][..], "did you mean `plan`?"),
        (&["evidence", "record", "plan", "x=1"], "its fields are"),
        (&["evidence", "record", "plan", "tasks"], "NAME=VALUE"),
    ] {
        let output = env.waypost(args);
        assert!(everything(&output).contains(told), "{}", everything(&output));
        assert_ne!(output.status.code(), Some(0));
    }
}

#[test]
fn what_changes_no_file_of_the_project_is_no_edit() {
    let env = under(&gate("plan", "\"edit\"", "approval = true"));
    env.write("src/lib.txt", "one\n");
    for line in [
        "echo $(( $(wc -l < src/lib.txt) + 1 ))",
        "echo \"${x:-$(pwd)}\"",
        "n=$((n + 1)); echo ${n#0} $$ $! $? \"$@\"",
        "echo ${x:-${y:-$(git rev-parse HEAD)}}",
        "yq . waypost.toml",
        "taplo check waypost.toml",
        "python3 -m json.tool .claude/settings.local.json",
        "prettier --check .claude/settings.local.json",
        "find .claude -name '*.json' | xargs grep hooks",
        "echo x > ~/.claude/plans/p.md",
        "mkdir -p /tmp/x && echo x > /tmp/x/y && rm -f /tmp/x/*.log",
        "echo x > \"$HOME/notes.md\"",
    ] {
        assert_eq!(env.before_bash(line, "x").denied(), None, "{line}");
    }
    for line in [
        "echo $(( $(sed -i s/a/b/ src/lib.txt) + 1 ))",
        "echo ${x:-$(rm src/lib.txt)}",
        "echo x > $UNKNOWN/y",
        "rm src/*.txt",
        "echo x > ~/../$USER/y",
        "yq -i .x=1 waypost.toml",
        "taplo format waypost.toml",
        "python3 -m json.tool a.json waypost.toml",
        "prettier --write .claude/settings.local.json",
        "cd src && echo x > lib.txt",
    ] {
        assert!(env.before_bash(line, "x").denied().is_some(), "{line}");
    }
    for outside in [env.home().join(".claude/plans/p.md"), "/tmp/notes.md".into()] {
        assert_eq!(env.before_edit(&outside).denied(), None, "{}", outside.display());
    }
    let held = |path: &str| env.before_edit(&env.project().join(path)).denied().unwrap();
    assert!(held("src/lib.txt").contains("plan"));
    assert!(held("tests/fixtures/.claude/settings.json").contains("plan"), "an ordinary file");
    assert!(held(".claude/settings.json").contains("hooks are registered"));
    env.write("sub/.git", "gitdir: elsewhere\n");
    assert!(held("sub/.claude/settings.json").contains("hooks are registered"));
}

#[test]
fn a_read_that_showed_nothing_is_no_reading() {
    let env = under(&gate("adr", "\"edit\"", "read = \"ADR.md\""));
    env.write("ADR.md", "one\ntwo\n");
    let read = |lines: u64, id: &str| {
        let path = env.project().join("ADR.md");
        let mut fields = json!({
            "tool_name": "Read", "tool_input": {"file_path": path}, "tool_use_id": id,
        });
        env.hook("PreToolUse", &fields);
        fields["tool_response"] = json!({
            "type": "text",
            "file": {"filePath": path, "content": "", "numLines": lines, "totalLines": 2},
        });
        env.hook("PostToolUse", &fields);
    };
    read(0, "r1");
    assert!(write(&env, "src/lib.txt").is_some());
    read(2, "r2");
    assert_eq!(write(&env, "src/lib.txt"), None);
}

#[test]
fn a_run_that_leaves_tests_out_is_told_why_it_does_not_count() {
    let env = under(&gate("tests", "\"stop\"", "ran = \"python -m unittest\", fresh = \"tree\""));
    env.write("test_app.py", "import unittest\n");
    let output = env.waypost(&["run", "--", "python3", "-m", "unittest", "--help"]);
    assert!(output.status.success());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let why = "it is not a run of `python -m unittest`: with `--help` it tests nothing";
    assert!(told.contains(why), "{told}");
}

#[test]
fn gate_match_tells_what_would_count_and_why_the_rest_does_not() {
    let env = under(&gate("checks", "\"stop\"", "ran = \"./check.sh*\", fresh = \"tree\""));
    let lines = ["./check.sh -v", "./check.sh | tail -1", "cd src && ./check.sh", "ls", "echo 'x"];
    let output = env.waypost(&[&["gate", "match", "--json"][..], &lines].concat());
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let next = "waypost run -- ./check.sh";
    for (index, (counts, gate, why, next)) in [
        (true, json!("checks"), "it is a run of `./check.sh*`", ""),
        (false, json!("checks"), "the pipe hides its exit status", next),
        (false, json!("checks"), "it did not run in", next),
        (false, Value::Null, "no gate waits for it", next),
        (false, Value::Null, "the line cannot be read", next),
    ]
    .into_iter()
    .enumerate()
    {
        let row = &told[index];
        assert_eq!(row["command"], lines[index]);
        assert_eq!(row["counts"], counts, "{row}");
        assert_eq!(row["gate"], gate, "{row}");
        assert!(row["why"].as_str().unwrap().contains(why), "{row}");
        assert_eq!(row["next"], next, "{row}");
    }
    let alone = env.ok(&["gate", "match", "./check.sh"]);
    assert_eq!(alone, "✓ ./check.sh: it is a run of `./check.sh*` (for checks)\n");
}

#[test]
fn a_branch_that_grew_too_large_holds_edits_until_a_human_says_otherwise() {
    let env = under(&gate("size", "\"edit\"", "check = \"branch.size < 5\""));
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "before the branch"]);
    env.git(&["checkout", "-q", "-b", "feature"]);
    assert_eq!(write(&env, "src/lib.txt"), None);
    env.write("src/big.txt", "1\n2\n3\n4\n");
    assert_eq!(write(&env, "src/lib.txt"), None, "four lines, untracked");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "four"]);
    env.write("src/lib.txt", "one\ntwo\n");
    let denied = write(&env, "src/lib.txt").unwrap();
    assert!(
        denied.contains("branch.size < 5") && denied.contains("waypost gate approve size"),
        "{denied}"
    );
}

#[test]
fn what_is_wrong_with_a_gate_is_told_with_line_and_column() {
    for (proof, told) in [
        ("check = \"branch.size <\"", "waypost.toml:4: `check`: gate `x`, column"),
        (
            "check = \"branch.size < 5\", fresh = \"tree\"",
            "`fresh`: it belongs to the proof ran or read",
        ),
        ("raan = \"x\"", "did you mean `ran`?"),
        ("ran = \"x\", read = \"y\"", "this has several"),
        ("git = \"dirty\"", "is not `clean`"),
        ("file = \"../x\"", "stay inside the project"),
        ("approval = \"maybe\"", "`local`, `signed` or a public key"),
        ("all = []", "1 to 20 proofs"),
        ("fields = { a = \"strnig\" }", "is of the type"),
    ] {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.write("waypost.toml", &gate("x", "\"edit\"", proof));
        env.ok(&["init", "--harness", "claude-code"]);
        let output = env.waypost(&["gate", "list"]);
        assert_eq!(output.status.code(), Some(2), "{proof}: {}", everything(&output));
        assert!(everything(&output).contains(told), "{proof}: {}", everything(&output));
    }
}

#[test]
fn notebooks_are_edited_like_files() {
    let env = under(&gate("adr", "\"edit\"", "read = \"ADR.md\""));
    for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit"] {
        let input = json!({"file_path": "a.txt", "notebook_path": "a.ipynb"});
        assert!(call(&env, tool, &input, "e").denied().is_some(), "{tool}");
    }
}

#[test]
fn an_edit_that_was_denied_has_triggered_nothing() {
    let config = "[[gate]]\nid = \"plan\"\nbefore = [\"edit\", \"stop\"]\nwhen = { triggered = true }\n\
                  proof = { skill = \"plan\" }\nscope = \"single-use\"\n";
    let env = under(config);
    assert!(write(&env, "src/lib.txt").is_some());
    fs::write(env.project().join("src/lib.txt"), "sneaked\n").unwrap();
    assert_eq!(env.stop().held(), None, "nothing was passed, so nothing is owed");
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    call(&env, "Skill", &json!({"skill": "plan"}), "s");
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some(), "the plan was used up by the edit");
}

#[test]
fn files_that_are_bombs_are_refused_quickly() {
    let deep = format!("x = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let large = "# long\n".repeat(800_000);
    let many = "[[gate]]\nid = \"a\"\n".repeat(30_000);
    let nested = "[project]\n".to_owned() + &format!("{} = 1\n", vec!["a"; 60_000].join("."));
    for (bomb, is_file) in [(deep, false), (large, false), (many, true), (nested, false)] {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.init();
        env.begin();
        env.write("waypost.toml", &bomb);
        let output = env.waypost(&["gate", "list"]);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{}",
            &everything(&output)[..200.min(everything(&output).len())]
        );
        let prompt = env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
        assert_eq!(prompt.status, 0, "{prompt:?}");
        env.edit("src/lib.txt", "two\n");
        assert_eq!(env.stop().held().is_none(), is_file, "what is no file at all changes no gate");
    }
}

#[test]
fn gates_that_cannot_be_satisfied_are_told_by_doctor() {
    let env = under(&gate("clean", "\"commit\"", "git = \"clean\""));
    let told = everything(&env.waypost(&["doctor"]));
    assert!(told.contains("clean → clean"), "{told}");
}

#[test]
fn a_configuration_is_trusted_by_its_hash_and_not_by_agents() {
    let env = under("[project]\n");
    let mut command = env.command(env!("CARGO_BIN_EXE_waypost"), env.project());
    let output =
        command.args(["trust", "config"]).env("CLAUDE_CODE_SESSION_ID", "s1").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
    env.hook("SessionEnd", &json!({"reason": "exit"}));
    env.ok_at_terminal(&["trust", "config"]);
    let history = fs::read_to_string(env.store().join("project/events.jsonl")).unwrap();
    assert!(history.contains("config_trusted"));
}
