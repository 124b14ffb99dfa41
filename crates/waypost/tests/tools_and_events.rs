//! Tools and events beyond the shell, edits and stops, with the real binary.

use serde_json::{Value, json};
use waypost_testkit::{GATE, TestEnv};

const BOTH: &str = r#"[project]

[[gate]]
id = "checks-pass"
before = ["stop", "commit", "push"]
proof = { ran = "./check.sh*", fresh = "tree" }
"#;

fn under(config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(config);
    env.begin();
    env
}

fn call(tool: &str, input: &Value) -> Value {
    json!({"tool_name": tool, "tool_input": input, "tool_use_id": tool})
}

fn is_held(env: &TestEnv, event: &str, fields: &Value) -> bool {
    env.hook(event, fields).stdout.contains("\"decision\":\"block\"")
}

#[test]
fn commits_and_pushes_of_servers_are_asked_like_those_of_the_shell() {
    let env = under(BOTH);
    let here = env.project().to_owned();
    for (tool, input) in [
        ("mcp__git__git_commit", json!({"message": "x"})),
        ("mcp__git__git_commit", json!({"repo_path": here, "message": "x"})),
        ("mcp__git__git_push", json!({"path": "."})),
        ("mcp__github__push_files", json!({"owner": "a", "repo": "b", "branch": "m", "files": []})),
        ("mcp__shell__exec", json!({"command": ["bash", "-lc", "git commit -m x"]})),
        ("Monitor", json!({"command": "git push", "description": "x"})),
        ("PowerShell", json!({"command": "git commit -m x"})),
    ] {
        let answer = env.hook("PreToolUse", &call(tool, &input));
        assert!(answer.denied().is_some(), "{tool} {input}");
    }
    for (tool, input) in [
        ("mcp__git__git_log", json!({"repo_path": here})),
        ("mcp__git__git_diff_unstaged", json!({"repo_path": here})),
        ("mcp__github__list_commits", json!({"owner": "a", "repo": "b"})),
        ("mcp__filesystem__read_text_file", json!({"path": here.join("check.sh")})),
    ] {
        let answer = env.hook("PreToolUse", &call(tool, &input));
        assert_eq!(answer.denied(), None, "{tool} {input}");
    }
}

#[test]
fn a_repository_that_is_not_the_projects_is_nobodys_business() {
    let env = under(BOTH);
    let other = env.project().with_file_name("other");
    std::fs::create_dir_all(&other).unwrap();
    env.git(&["init", "-q", other.to_str().unwrap()]);
    env.git(&["remote", "add", "origin", "git@github.com:acme/site.git"]);
    let github = |owner: &str| {
        let input =
            json!({"owner": owner, "repo": "site", "branch": "m", "files": [], "message": "x"});
        env.hook("PreToolUse", &call("mcp__github__push_files", &input))
    };
    let commit = json!({"repo_path": other, "message": "x"});
    let commit = env.hook("PreToolUse", &call("mcp__git__git_commit", &commit));
    assert_eq!(commit.denied(), None);
    assert_eq!(github("somebody").denied(), None);
    assert!(github("acme").denied().is_some());
}

#[test]
fn a_patch_is_an_edit_of_the_files_that_it_names() {
    let env = under(
        "[project]\n\n[[gate]]\nid = \"read-it\"\nbefore = [\"edit\"]\nwhen = { paths = \"src/**\" }\nproof = { read = \"ADR.md\" }\n",
    );
    let patch =
        |file: &str| format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch");
    let tool =
        |file: &str| env.hook("PreToolUse", &call("apply_patch", &json!({"input": patch(file)})));
    let line =
        |file: &str| env.before_bash(&format!("apply_patch <<'EOF'\n{}\nEOF", patch(file)), "p");
    assert!(tool("src/a.rs").denied().is_some() && line("src/a.rs").denied().is_some());
    assert_eq!(tool("docs/a.md").denied(), None);
    assert_eq!(line("docs/a.md").denied(), None);
}

/// Whoever says that something is done has changed a file for it.
fn changed_by(env: &TestEnv, mate: Option<&str>) {
    let Some(mate) = mate else { return env.edit("app.txt", "new\n") };
    env.hook("SubagentStart", &json!({"agent_id": mate, "agent_type": "worker"}));
    let mut fields = call("Write", &json!({"file_path": env.project().join("app.txt")}));
    fields["agent_id"] = json!(mate);
    env.hook("PreToolUse", &fields);
    env.write("app.txt", "new\n");
    env.hook("PostToolUse", &fields);
}

#[test]
fn a_task_and_a_teammate_are_asked_like_a_stop() {
    let task = json!({"task_id": "1", "task_subject": "Fix it"});
    let mate = json!({"agent_id": "aworker-1", "agent_type": "worker", "teammate_name": "worker"});
    for (event, fields) in [("TaskCompleted", task), ("TeammateIdle", mate)] {
        let env = under(GATE);
        assert!(!is_held(&env, event, &fields), "{event}: nothing was changed");
        changed_by(&env, fields["agent_id"].as_str());
        assert!(is_held(&env, event, &fields), "{event}");
        env.bash("./check.sh", "run");
        assert!(!is_held(&env, event, &fields), "{event}: it is proven");
    }
}

#[test]
fn a_teammate_that_is_there_lets_no_unproven_stop_go() {
    let env = under(GATE);
    env.edit("app.txt", "new\n");
    let mut task = call("Bash", &json!({"command": "sleep 9", "run_in_background": true}));
    env.hook("PreToolUse", &task);
    task["tool_response"] = json!({"stdout": "", "stderr": "", "backgroundTaskId": "t1"});
    env.hook("PostToolUse", &task);
    let running =
        |kind: &str| json!({"background_tasks": [{"id": "t1", "type": kind, "status": "running"}]});
    assert!(!is_held(&env, "Stop", &running("shell")));
    assert!(is_held(&env, "Stop", &running("teammate")));
}

#[test]
fn settings_that_a_call_changed_do_not_hold_and_those_of_a_person_are_told() {
    let place = ".claude/settings.local.json";
    let changed = |env: &TestEnv| {
        let file = env.project().join(place);
        env.hook("ConfigChange", &json!({"source": "local_settings", "file_path": file}))
    };
    for (wish, silences) in [
        (json!({"disableAllHooks": true}), true),
        (json!({"hooks": {}}), true),
        (json!({"model": "opus"}), false),
    ] {
        for by_a_call in [true, false] {
            let env = under(GATE);
            let mut settings: Value = serde_json::from_str(&env.read(place)).unwrap();
            settings.as_object_mut().unwrap().extend(wish.as_object().unwrap().clone());
            if by_a_call {
                assert_eq!(env.before_bash("make", "t1").denied(), None);
            }
            env.write(place, &settings.to_string());
            if by_a_call {
                let mut fields = call("Bash", &json!({"command": "make"}));
                fields["tool_use_id"] = json!("t1");
                fields["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
                env.hook("PostToolUse", &fields);
            }
            let answer = changed(&env);
            let (blocks, tells) =
                (answer.stdout.contains("\"block\""), answer.stdout.contains("systemMessage"));
            assert_eq!(
                (blocks, tells),
                (silences && by_a_call, silences),
                "{wish} {by_a_call}: {}",
                answer.stdout
            );
            assert!(!silences || answer.stdout.contains("init --remove"), "{}", answer.stdout);
        }
    }
}
