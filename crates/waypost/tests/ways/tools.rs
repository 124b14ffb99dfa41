//! Tools and events beyond the shell, edits and stops.

use serde_json::{Value, json};
use waypost_testkit::{GATE, TestEnv};

use crate::play::{
    Came, DENIED, HELD, Outcome, Play, Way, begun, by_script_whole, call, edited, events, must,
};

const READ_FIRST: &str =
    "[[gate]]\nid = \"adr\"\nbefore = [\"edit\"]\nproof = { read = \"ADR.md\" }\n";

pub(crate) const WAYS: &[Way] = &[
    Way {
        title: "a commit by the client's `Monitor` tool",
        real: "tools.a_monitor_is_a_command_line",
        play: Play::Calls(&[("Monitor", r#"{"command": "git commit -am x", "description": "x"}"#)]),
    },
    Way {
        title: "a commit by `PowerShell`",
        real: "",
        play: Play::Calls(&[("PowerShell", r#"{"command": "git commit -m x"}"#)]),
    },
    Way {
        title: "a commit by an MCP server's shell, as a line or a list of words",
        real: "",
        play: Play::Calls(&[
            ("mcp__serena__execute_shell_command", r#"{"command": "git commit -am x"}"#),
            ("mcp__shell__exec", r#"{"command": ["bash", "-lc", "git commit -m x"]}"#),
            ("mcp__desktop__start_process", r#"{"command": "rm -rf .git/waypost"}"#),
        ]),
    },
    Way {
        title: "a commit by an MCP git tool: `mcp__git__git_commit`",
        real: "",
        play: Play::Calls(&[("mcp__git__git_commit", r#"{"message": "x"}"#)]),
    },
    Way {
        title: "a push by an MCP tool: `mcp__github__push_files`",
        real: "",
        play: Play::Own(push_files),
    },
    Way {
        title: "a tool that no matcher names: an MCP server that writes files",
        real: "",
        play: Play::Own(unnamed_tools),
    },
    Way {
        title: "`apply_patch`, as a tool or in a command line",
        real: "",
        play: Play::Own(patches),
    },
    Way {
        title: "an edit through the shell, with only an edit gate: `echo >`, `tee`, `sed -i`, a here-document",
        real: "around.a_write_waits_until_the_model_did_what_it_was_told",
        play: Play::Own(shell_edits),
    },
    Way {
        title: "an edit by a script or an interpreter (`python -c`), with only an edit gate",
        real: "",
        play: Play::Own(script_edit),
    },
    Way {
        title: "a script that was written first changes the project",
        real: "around.what_a_script_does_that_was_written_first_is_seen",
        play: Play::Own(script_found),
    },
    Way {
        title: "a subagent that does what its parent may not",
        real: "around.a_subagent_cannot_write_what_its_parent_may_not",
        play: Play::Own(subagent),
    },
    Way {
        title: "a task called done while its edits are unproven",
        real: "tools.a_task_is_not_done_before_its_edits_are_proven",
        play: Play::Own(task),
    },
    Way {
        title: "a teammate that goes idle with unproven edits",
        real: "tools.a_teammate_goes_on_until_its_edits_are_proven",
        play: Play::Own(teammate),
    },
    Way {
        title: "many commands in one line, or a line too long to read",
        real: "",
        play: Play::Own(many),
    },
];

fn under(config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(config);
    env.begin();
    env
}

fn is_denied(env: &TestEnv, tool: &str, input: &Value) -> Result<(), String> {
    let denied = env.hook("PreToolUse", &call(tool, input)).denied();
    must(denied.is_some(), format!("not denied: {tool} {input}"))
}

fn push_files() -> Outcome {
    let env = under(&GATE.replace("\"commit\"", "\"commit\", \"push\""));
    env.git(&["remote", "add", "origin", "git@github.com:acme/site.git"]);
    let input =
        json!({"owner": "acme", "repo": "site", "branch": "m", "files": [], "message": "x"});
    is_denied(&env, "mcp__github__push_files", &input)?;
    is_denied(&env, "mcp__git__git_push", &json!({"path": "."}))?;
    Ok(DENIED)
}

fn unnamed_tools() -> Outcome {
    let env = under(READ_FIRST);
    for (tool, key) in [
        ("mcp__filesystem__write_file", "path"),
        ("mcp__serena__replace_content", "relative_path"),
        ("mcp__jetbrains__replace_text_in_file", "pathInProject"),
        ("NotebookEdit", "notebook_path"),
    ] {
        is_denied(&env, tool, &json!({ key: "src/lib.txt", "content": "x" }))?;
    }
    Ok(DENIED)
}

fn patches() -> Outcome {
    let env = under(READ_FIRST);
    let patch = "*** Begin Patch\n*** Update File: src/lib.txt\n@@\n-a\n+b\n*** End Patch";
    is_denied(&env, "apply_patch", &json!({"input": patch}))?;
    let line = format!("apply_patch <<'EOF'\n{patch}\nEOF");
    is_denied(&env, "Bash", &json!({"command": line}))?;
    Ok(DENIED)
}

fn shell_edits() -> Outcome {
    let env = under(READ_FIRST);
    for line in [
        "echo x > src/lib.txt",
        "echo x | tee src/lib.txt",
        "sed -i s/one/two/ src/lib.txt",
        "cat > src/lib.txt <<EOF\nx\nEOF",
    ] {
        is_denied(&env, "Bash", &json!({"command": line}))?;
    }
    Ok(DENIED)
}

fn script_edit() -> Outcome {
    let env = under(READ_FIRST);
    by_script_whole(&env, "echo x > src/lib.txt")?;
    env.bash("python3 -c \"open('src/own.txt', 'w').write('x')\"", "python");
    must(env.stop().held().is_none(), "no gate stands before the stop")?;
    let found = format!("{:?}", events(&env, "edits_found"));
    must(found.contains("src/lib.txt") && found.contains("src/own.txt"), found)?;
    Ok(Came::Seen("recorded at the stop, with the files (`edits_found`)"))
}

fn script_found() -> Outcome {
    let env = begun();
    env.bash("./check.sh", "run");
    by_script_whole(&env, "echo x > src/lib.txt")?;
    let held = env.stop().held().unwrap_or_default();
    must(held.contains("src/lib.txt"), held)?;
    must(!events(&env, "edits_found").is_empty(), "not recorded")?;
    Ok(Came::Stopped("found and named at the stop, which is held"))
}

fn subagent() -> Outcome {
    let env = under(READ_FIRST);
    for (tool, input) in [
        ("Write", json!({"file_path": "src/lib.txt"})),
        ("Write", json!({"file_path": "waypost.toml"})),
        ("Bash", json!({"command": "echo x > src/lib.txt"})),
        ("Bash", json!({"command": "rm -rf .git/waypost"})),
    ] {
        let mut fields = call(tool, &input);
        fields["agent_id"] = json!("a1");
        must(env.hook("PreToolUse", &fields).denied().is_some(), format!("not denied: {input}"))?;
    }
    Ok(DENIED)
}

fn task() -> Outcome {
    let env = edited();
    let answer = env.hook("TaskCompleted", &json!({"task_id": "1", "task_subject": "x"}));
    must(answer.held().is_some(), "not held")?;
    Ok(Came::Stopped("the task stays open"))
}

fn teammate() -> Outcome {
    let env = begun();
    env.hook("SubagentStart", &json!({"agent_id": "m1", "agent_type": "worker"}));
    let mut fields = call("Write", &json!({"file_path": env.project().join("src/lib.txt")}));
    fields["agent_id"] = json!("m1");
    env.hook("PreToolUse", &fields);
    env.write("src/lib.txt", "by the mate\n");
    env.hook("PostToolUse", &fields);
    let mate = json!({"agent_id": "m1", "agent_type": "worker", "teammate_name": "worker"});
    must(env.hook("TeammateIdle", &mate).held().is_some(), "not held")?;
    let running =
        json!({"background_tasks": [{"id": "m1", "type": "teammate", "status": "running"}]});
    must(env.hook("Stop", &running).held().is_some(), "the stop is not held")?;
    Ok(HELD)
}

fn many() -> Outcome {
    let env = begun();
    for line in [
        format!("{}git commit -am x", "true; ".repeat(500)),
        format!("{}rm waypost.toml", "true && ".repeat(500)),
        format!("echo {} > /dev/null; rm waypost.toml", "x".repeat(70_000)),
        format!("{}rm waypost.toml{}", "(".repeat(150), ")".repeat(150)),
    ] {
        is_denied(&env, "Bash", &json!({"command": line}))?;
    }
    Ok(DENIED)
}
