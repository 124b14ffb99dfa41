//! Other clients than the one that most tests play, through the real binary: what is seen of them, and sessions that go
//! from one to another. This process is the client: it calls the hook with a pipe, as they do.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, OLDER};

/// A conversation in Codex.
struct Codex<'e> {
    env: &'e TestEnv,
    /// Variables that the hook finds beside the usual ones.
    variables: &'e [(&'e str, &'e str)],
}

impl<'e> Codex<'e> {
    fn in_(env: &'e TestEnv) -> Self {
        Self { env, variables: &[] }
    }

    fn transcript(&self) -> PathBuf {
        self.env.home().join("rollout.jsonl")
    }

    /// What the hook answers.
    fn hook(&self, event: &str, fields: &Value) -> Value {
        let mut input = json!({
            "session_id": "01a1f622-37f6-7211-92f7-4399df516f92",
            "turn_id": "t1",
            "transcript_path": self.transcript(),
            "cwd": self.env.project(),
            "hook_event_name": event,
            "model": "gpt-5.5",
            "permission_mode": "bypassPermissions",
        });
        input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let output = called(self.env, "codex", self.variables, &input);
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    fn begin(&self) -> String {
        let told = self.hook("SessionStart", &json!({"source": "startup"}));
        told["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    /// Runs a command line as its shell does, and says how that ended where it says it: in the transcript.
    fn run(&self, command: &str, call: &str, status: Option<i32>) -> Option<String> {
        let tool =
            json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call});
        let said = self.hook("PreToolUse", &tool);
        if let Some(reason) = said["hookSpecificOutput"]["permissionDecisionReason"].as_str() {
            return Some(reason.to_owned());
        }
        if let Some(status) = status {
            let (ended, item) = if status == 0 { ("completed", 0) } else { ("failed", status) };
            let item = json!({"type": "CommandExecution", "id": call, "status": ended, "aggregated_output": "", "exit_code": item});
            let line =
                json!({"type": "event_msg", "payload": {"type": "item_completed", "item": item}});
            let known = fs::read_to_string(self.transcript()).unwrap_or_default();
            fs::write(self.transcript(), format!("{known}{line}\n")).unwrap();
        }
        let mut after = tool;
        after["tool_response"] = "done\n".into();
        self.hook("PostToolUse", &after);
        None
    }

    fn edit(&self, file: &str, content: &str) {
        let patch = format!("*** Begin Patch\n*** Add File: {file}\n+{content}\n*** End Patch\n");
        let tool = json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "e"});
        assert_eq!(self.hook("PreToolUse", &tool), Value::Null);
        self.env.write(file, content);
        let mut after = tool;
        after["tool_response"] = "Success.".into();
        self.hook("PostToolUse", &after);
    }

    fn held(&self) -> Option<String> {
        let said = self
            .hook("Stop", &json!({"stop_hook_active": false, "last_assistant_message": "Done."}));
        (said["decision"] == "block").then(|| said["reason"].to_string())
    }
}

fn called(env: &TestEnv, harness: &str, variables: &[(&str, &str)], input: &Value) -> Output {
    let mut command = env.command(env.binary(), env.project());
    command.args(["hook", harness]).envs(variables.iter().copied());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn env() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env
}

#[test]
fn a_run_counts_by_the_status_that_stands_in_the_transcript() {
    let env = env();
    let codex = Codex::in_(&env);
    codex.begin();
    codex.edit("src/lib.txt", "two\n");
    let held = codex.held().unwrap();
    assert!(held.contains("./check.sh"), "{held}");
    for (call, status) in [("c1", None), ("c2", Some(1))] {
        assert_eq!(codex.run("./check.sh", call, status), None);
        assert!(codex.held().is_some(), "{status:?}");
    }
    assert_eq!(codex.run("./check.sh", "c3", Some(0)), None);
    assert_eq!(codex.held(), None);
    codex.edit("src/lib.txt", "three\n");
    assert!(codex.held().is_some(), "the run is of other content");
}

#[test]
fn what_a_command_of_its_agent_tells_the_hook_proves_nothing() {
    let env = env();
    let codex = Codex::in_(&env);
    codex.begin();
    codex.edit("src/lib.txt", "two\n");
    let agent = Codex { variables: &[("CODEX_CI", "1")], ..Codex::in_(&env) };
    assert_eq!(agent.run("./check.sh", "c1", Some(0)), None);
    assert!(codex.held().is_some(), "an agent said so");
    for line in [
        "waypost hook codex < event.json",
        "exec env -u CODEX_CI waypost hook codex < <(cat event.json)",
        "/opt/waypost hook codex < event.json",
    ] {
        let denied = codex.run(line, "c2", Some(0)).unwrap();
        assert!(denied.contains("only Codex itself calls Waypost's hook"), "{line}: {denied}");
    }
    assert_eq!(codex.run("waypost run -- ./check.sh", "c3", Some(0)), None);
}

#[test]
fn what_it_may_not_change_it_does_not_change_by_patch_or_by_shell() {
    let env = env();
    let codex = Codex::in_(&env);
    codex.begin();
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: .codex/hooks.json\n@@\n-a\n+b\n*** End Patch\n";
    let tool =
        json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "e"});
    let said = codex.hook("PreToolUse", &tool)["hookSpecificOutput"].clone();
    assert_eq!(said["permissionDecision"], "deny");
    let line = format!("apply_patch <<'EOF'\n{patch}EOF\n");
    let denied = codex.run(&line, "c1", None).unwrap();
    assert!(denied.contains(".codex/hooks.json"), "{denied}");
    let off = codex.run("codex exec -c features.hooks=false hi", "c2", None).unwrap();
    assert!(off.contains("Codex"), "{off}");
    assert_eq!(codex.run("codex exec -c model=x hi", "c3", Some(0)), None);
}

#[test]
fn a_session_goes_from_one_client_to_another_with_its_gates_and_evidence() {
    let env = env();
    let session = env.start("Say two");
    env.begin();
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
    let codex = Codex::in_(&env);
    let brief = codex.begin();
    assert!(brief.contains("Say two") && brief.contains("./check.sh"), "{brief}");
    assert_eq!(codex.run("./check.sh", "c1", Some(0)), None);
    assert!(env.stop().held().is_none(), "what was seen in one counts in the other");
    let state = env.json(&["show", &session, "--json"]);
    let told = state.to_string();
    assert!(told.contains("\"codex\"") && told.contains("\"claude-code\""), "{told}");
}

#[test]
fn what_it_cannot_enforce_is_said_at_the_start_and_shown() {
    let env = env();
    let limit = "Codex cannot stop a tool whose hook fails";
    let session = env.start("Say two");
    let brief = Codex::in_(&env).begin();
    assert!(brief.contains(limit), "{brief}");
    let status = env.ok(&["status", &session]);
    assert!(status.contains(limit), "{status}");
    env.ok(&["init", "--harness", "codex"]);
    let output = env.waypost(&["doctor", "--json"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains(limit) && told.contains("as nobody trusts its hooks"), "{told}");
}

#[test]
fn a_server_knows_the_conversation_by_what_the_client_says_with_the_call() {
    let env = env();
    let codex = Codex::in_(&env);
    codex.begin();
    // The processes above the server are those of both.
    env.begin();
    let mut client = Client::start(&env, OLDER, &[]);
    let meta = json!({"threadId": "01a1f622-37f6-7211-92f7-4399df516f92", "callId": "call_1"});
    let named =
        json!({"name": "session_start", "arguments": {"objective": "Say three"}, "_meta": meta});
    let started = client.result("tools/call", named);
    let session = started["structuredContent"]["session_id"].as_str().unwrap().to_owned();
    let shown = env.json(&["show", &session, "--json"]).to_string();
    assert!(shown.contains("\"codex\"") && !shown.contains("\"mcp\""), "{shown}");
    client.end();
}

#[test]
fn a_client_that_leaves_the_arguments_of_a_hook_out_is_answered_all_the_same() {
    let env = env();
    let event = |cwd: &str| {
        json!({
            "hook_event_name": "PreToolUse",
            "session_id": "c1",
            "timestamp": "2026-11-19T23:39:48.876Z",
            "cwd": cwd,
            "tool_name": "Write",
            "tool_input": {"path": format!("{cwd}/.claude/settings.json"), "file_text": "{}"},
        })
    };
    let bare = |variables: &[(&str, &str)]| {
        let mut command = env.command(env.binary(), env.project());
        command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let text = event(&env.project().display().to_string()).to_string();
        // Who prints help reads nothing.
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        child.wait_with_output().unwrap()
    };
    let told = bare(&[("COPILOT_PROJECT_DIR", "/p")]);
    let said: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    env.ok(&["init", "--harness", "copilot"]);
    let told = bare(&[("COPILOT_PROJECT_DIR", "/p")]);
    assert!(
        told.status.success() && told.stdout.is_empty(),
        "its own registration does it: {told:?}"
    );
    assert!(!bare(&[]).status.success(), "people are told what there is");
}

#[test]
fn a_conversation_whose_hooks_nobody_trusted_is_told_as_unenforced() {
    let env = env();
    env.start("Say two");
    let id = "01a1f628-ff72-7bd2-8c04-e1204f206d84";
    let place = env.home().join(".codex/sessions/2099/01/01");
    fs::create_dir_all(&place).unwrap();
    let later = "2099-01-01T00:00:00.000Z";
    let meta = json!({"id": id, "timestamp": later, "cwd": env.project(), "thread_source": "user"});
    let first = json!({"timestamp": later, "type": "session_meta", "payload": meta});
    let said = json!({"type": "message", "role": "assistant", "content": []});
    let answer = json!({"timestamp": later, "type": "response_item", "payload": said});
    let file = place.join(format!("rollout-2099-01-01T00-00-00-{id}.jsonl"));
    fs::write(file, format!("{first}\n{answer}\n")).unwrap();
    let told = env.ok(&["status"]);
    assert!(
        told.contains("UNENFORCED: 1 conversation here") && told.contains("Codex 01a1f628"),
        "{told}"
    );
}
