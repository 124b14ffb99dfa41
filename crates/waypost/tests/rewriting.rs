//! A gate's own command in the place of one that would prove nothing only because of what stands around it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

const RULE: &str = "Bash(waypost run --gate tests-pass)";

fn python(arguments: &[&str]) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let pytest = ".venv/bin/pytest";
    env.write(pytest, "#!/bin/sh\necho '=== 3 passed in 0.1s ==='\n");
    fs::set_permissions(env.project().join(pytest), fs::Permissions::from_mode(0o755)).unwrap();
    env.write(".gitignore", ".venv/\n");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    let init = ["init", "--harness", "claude-code", "--test-command", "pytest"];
    env.ok(&[&init, arguments].concat());
    env.begin();
    env.edit("app.py", "x = 1\n");
    env
}

/// What the hook makes of a line in a mode of permissions, if anything.
fn rewritten(env: &TestEnv, mode: &str, line: &str) -> Option<String> {
    let input = json!({"command": line, "description": "Run tests", "timeout": 5000});
    let fields = json!({
        "tool_name": "Bash", "tool_input": input, "tool_use_id": "t1", "permission_mode": mode,
    });
    let answer = env.hook("PreToolUse", &fields);
    assert_eq!(answer.denied(), None, "{line}");
    if answer.stdout.is_empty() {
        return None;
    }
    let answer = answer.json();
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["permissionDecision"], Value::Null, "that would pass over the user");
    let updated = &specific["updatedInput"];
    assert_eq!(
        (&updated["description"], &updated["timeout"]),
        (&input["description"], &json!(5000))
    );
    for told in [&specific["additionalContext"], &answer["systemMessage"]] {
        assert!(told.as_str().unwrap().contains("waypost run --gate"), "{answer}");
    }
    Some(updated["command"].as_str().unwrap().to_owned())
}

#[test]
fn a_whole_run_in_a_pipe_becomes_the_gates_own() {
    let env = python(&[]);
    for (line, expected) in [
        ("pytest | tail -5", "waypost run --gate tests-pass | tail -5"),
        ("pytest 2>&1 | tail -5", "waypost run --gate tests-pass 2>&1 | tail -5"),
        ("pytest -q 2>&1 | tail", "waypost run --gate tests-pass -- -q 2>&1 | tail"),
        ("pytest; echo \"exit: $?\"", "waypost run --gate tests-pass; echo \"exit: $?\""),
        (
            "pytest > out.txt 2>&1; tail -3 out.txt",
            "waypost run --gate tests-pass > out.txt 2>&1; tail -3 out.txt",
        ),
        ("pytest > /dev/null", "waypost run --gate tests-pass > /dev/null"),
        ("echo pytest; pytest | tail", "echo pytest; waypost run --gate tests-pass | tail"),
        ("timeout 60 pytest | tail", "timeout 60 waypost run --gate tests-pass | tail"),
        ("uv run pytest | tail", "waypost run --gate tests-pass | tail"),
        ("python -m pytest -x | tail", "waypost run --gate tests-pass -- -x | tail"),
        (
            "source .venv/bin/activate && pytest | tail",
            "source .venv/bin/activate && waypost run --gate tests-pass | tail",
        ),
        ("CI=1 pytest | tail", "CI=1 waypost run --gate tests-pass | tail"),
    ] {
        assert_eq!(rewritten(&env, "bypassPermissions", line).as_deref(), Some(expected), "{line}");
    }
}

#[test]
fn whatever_counts_or_is_something_else_stays_as_it_is() {
    let env = python(&[]);
    for line in [
        "pytest",
        "pytest && echo done",
        "set -o pipefail; pytest | tail",
        "pytest tests/test_one.py | tail",
        "pytest -k one | tail",
        "pytest --co | head",
        "echo pytest | tail",
        "grep -rn pytest . | head",
        "pip install pytest | tail",
        "PATH=/tmp/x:$PATH pytest | tail",
        "pytest() { true; }; pytest | tail",
        "cd /tmp && pytest | tail",
        "pytest & wait",
        "sh -c 'pytest | tail'",
        "waypost run --gate tests-pass | tail",
        "cat <<'EOF'\npytest | tail\nEOF",
    ] {
        assert_eq!(rewritten(&env, "bypassPermissions", line), None, "{line}");
    }
}

#[test]
fn where_the_user_is_asked_only_a_rule_for_exactly_this_lets_it_run() {
    let env = python(&[]);
    assert_eq!(rewritten(&env, "default", "pytest | tail"), None);
    let env = python(&["--allow-run"]);
    assert!(env.read(".claude/settings.local.json").contains(RULE));
    let line = "waypost run --gate tests-pass 2>&1 | tail";
    assert_eq!(rewritten(&env, "default", "pytest 2>&1 | tail").as_deref(), Some(line));
    assert_eq!(rewritten(&env, "default", "pytest -q 2>&1 | tail").as_deref(), Some(line));
    for other in [
        "pytest --cov=app | tail",
        "CI=1 pytest | tail",
        "timeout 9 pytest | tail",
        "source .venv/bin/activate && pytest | tail",
        "pytest; echo \"exit: $?\"",
        "pytest > out.txt; tail out.txt",
        "pytest > /dev/null",
    ] {
        assert_eq!(rewritten(&env, "default", other), None, "{other}");
    }
    let there = format!("cd {} && pytest | tail", env.project().display());
    assert!(rewritten(&env, "default", &there).is_some());
}

#[test]
fn a_rule_of_the_users_against_it_keeps_it_as_it_is() {
    for rule in ["Bash(pytest:*)", "Bash(tail *)", "Bash"] {
        for kind in ["deny", "ask"] {
            let env = python(&["--allow-run"]);
            let rules = json!({"permissions": {kind: [rule]}}).to_string();
            fs::create_dir_all(env.home().join(".claude")).unwrap();
            fs::write(env.home().join(".claude/settings.json"), rules).unwrap();
            let found = rewritten(&env, "bypassPermissions", "pytest | tail");
            assert_eq!(found, None, "{kind} {rule}");
        }
    }
    let env = python(&[]);
    fs::create_dir_all(env.home().join(".claude")).unwrap();
    fs::write(env.home().join(".claude/settings.json"), "{ broken").unwrap();
    assert_eq!(rewritten(&env, "bypassPermissions", "pytest | tail"), None);
}

#[test]
fn it_is_off_where_the_project_says_so_and_where_the_file_is_not_trusted() {
    let env = python(&[]);
    let config = env.read("waypost.toml");
    env.write("waypost.toml", &config.replace("[project]", "[project]\nrewrite = false"));
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    assert_eq!(rewritten(&env, "bypassPermissions", "pytest | tail"), None);
    env.write("waypost.toml", &format!("{config}# changed\n"));
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    assert_eq!(rewritten(&env, "bypassPermissions", "pytest | tail"), None);
    env.write("waypost.toml", &config);
    env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    assert!(rewritten(&env, "bypassPermissions", "pytest | tail").is_some());
}

#[test]
fn what_init_allowed_it_takes_back() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let own = "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n";
    env.write(".claude/settings.local.json", own);
    env.ok(&["init", "--harness", "claude-code", "--test-command", "pytest", "--allow-run"]);
    let settings = env.read(".claude/settings.local.json");
    assert!(settings.contains(RULE) && settings.contains("Bash(ls:*)"), "{settings}");
    env.write(".claude/settings.local.json", &format!("// mine\n{settings}"));
    env.ok(&["init", "--remove"]);
    assert_eq!(env.read(".claude/settings.local.json"), format!("// mine\n{own}"));
}
