//! Events as Codex 0.169.0 sent them, without what Waypost never looks at.

use std::path::PathBuf;

use serde_json::json;
use waypost_app::harness::{Content, Does, Role, Tool};

use super::*;

fn event(name: &str, tool: &str, tool_input: &str, rest: &str) -> String {
    format!(
        r#"{{"session_id":"01a1f622-37f6-7211-92f7-4399df516f92","turn_id":"01a1f622-3814","transcript_path":"/r.jsonl",
        "cwd":"/p","hook_event_name":"{name}","model":"gpt-5.5","permission_mode":"bypassPermissions",
        "tool_name":"{tool}","tool_input":{tool_input},{rest}"tool_use_id":"call_497e857418f4"}}"#
    )
}

fn tool(text: &str) -> Tool {
    let (input, problem) = Codex.read(text.as_bytes());
    assert_eq!(problem, None, "{text}");
    Codex.tool(&input).unwrap()
}

#[test]
fn a_patch_changes_every_file_that_it_names() {
    let patch = json!({"command":
        "*** Begin Patch\n*** Add File: d.txt\n+x\n*** Update File: app.txt\n@@\n-one\n+two\n*** End Patch\n"});
    let found = tool(&event("PreToolUse", "apply_patch", &patch.to_string(), ""));
    assert_eq!(found.does, Does::Edit(PathBuf::from("d.txt")));
    assert_eq!(found.others, [PathBuf::from("app.txt")]);
    assert_eq!(found.call.as_deref(), Some("call_497e857418f4"));
    let unclear = tool(&event("PreToolUse", "apply_patch", r#"{"command":"*** what"}"#, ""));
    assert_eq!(unclear.does, Does::EditUnnamed);
    let (input, _) = Codex.read(br#"{"hook_event_name":"PreToolUse","tool_name":"apply_patch"}"#);
    assert!(Codex.tool(&input).is_err(), "what it does not say may be anything");
}

#[test]
fn tools_are_what_they_do() {
    let does = |name: &str, given: &str| tool(&event("PreToolUse", name, given, "")).does;
    let shell = Does::Shell { command: "cargo test".to_owned(), background: false };
    assert_eq!(does("Bash", r#"{"command":"cargo test"}"#), shell);
    assert_eq!(does("view_image", r#"{"path":"app.png"}"#), Does::Other);
    assert_eq!(does("mcp__demo__add", r#"{"a":2}"#), Does::Other);
    assert_eq!(does("mcp__fs__write_file", r#"{"path":"a"}"#), Does::Edit("a".into()));
    assert!(Codex.is_harmless("mcp__waypost__session_brief"));
    assert!(!Codex.is_harmless("Bash") && !Codex.is_harmless("apply_patch"));
}

/// A line of its transcript about a command.
fn line(call: &str, status: &str, exit: &str, printed: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-11-19T23:27:21.779Z","ordinal":11,"type":"event_msg","payload":{{"type":"item_completed",
        "thread_id":"t","turn_id":"u","item":{{"type":"CommandExecution","id":"{call}","process_id":"57890",
        "command":["/bin/bash","-lc","x"],"cwd":"file:///p","source":"unified_exec_startup","status":"{status}",
        "aggregated_output":{},"exit_code":{exit},"duration":{{"secs":0,"nanos":8}}}},"completed_at_ms":1}}}}"#,
        json!(printed)
    )
    .replace('\n', "")
}

#[test]
fn how_a_command_ended_is_read_from_the_end_of_the_transcript() {
    let after = event("PostToolUse", "Bash", r#"{"command":"x"}"#, r#""tool_response":"hi\n","#);
    let (input, _) = Codex.read(after.as_bytes());
    assert_eq!(Codex.ended(&input), ToolEnd::Unclear, "the event does not tell");
    assert_eq!(Codex.printed(&input), ["hi\n"]);
    let own = "call_497e857418f4";
    let long = "y".repeat(200_000);
    for (lines, ended) in [
        (vec![line(own, "completed", "0", "hi")], Some(ToolEnd::Succeeded)),
        (vec![line(own, "failed", "3", "hi")], Some(ToolEnd::Failed(3))),
        (vec![line(own, "declined", "null", "")], Some(ToolEnd::Unclear)),
        (vec![line(own, "completed", "0", &long)], Some(ToolEnd::Succeeded)),
        (
            vec![line(own, "failed", "1", ""), line("call_2", "completed", "0", own)],
            Some(ToolEnd::Failed(1)),
        ),
        (vec![line("call_2", "completed", "0", own)], None),
        (vec!["cut off\": 0}".to_owned(), "{}".to_owned()], None),
        (vec![], None),
    ] {
        let written = lines.join("\n") + "\n";
        let tail = |length: u64| {
            let from = written.len().saturating_sub(usize::try_from(length).unwrap());
            written.as_bytes()[from..].to_vec()
        };
        assert_eq!(Codex.ended_by(&input, &tail), ended, "{written:.300}");
    }
}

#[test]
fn what_is_not_all_that_was_printed_says_nothing() {
    let cut = r#""tool_response":"Warning: truncated output (original token count: 7224)\nTotal output lines: 3000\n\nline 1","#;
    let after = event("PostToolUse", "Bash", r#"{"command":"x"}"#, cut);
    let (input, _) = Codex.read(after.as_bytes());
    assert!(Codex.printed(&input).is_empty());
}

#[test]
fn a_call_of_a_server_that_failed_is_known_by_its_answer() {
    for (failed, ended) in [(false, ToolEnd::Succeeded), (true, ToolEnd::Failed(1))] {
        let response = format!(r#""tool_response":{{"content":[],"isError":{failed}}},"#);
        let after = event("PostToolUse", "mcp__demo__add", r#"{"a":2}"#, &response);
        let (input, _) = Codex.read(after.as_bytes());
        assert_eq!(Codex.ended(&input), ended);
    }
}

/// What Codex 0.166.0 said of these very hooks.
const HASHES: [(&str, &str); 7] = [
    ("session_start", "bba803ff1fcd537351ea9b36bb8ab23a3af1c8ca62109823597aa99456ab835f"),
    ("user_prompt_submit", "9dff1b39387226780c7853a380e96f105a034f44068447fe118c6baf212adf4f"),
    ("pre_tool_use", "4062fd43ee000c9a66714aa36733e851d9e0666c5b0e164c2f86a7961f781560"),
    ("post_tool_use", "9afcec22a8d4dccac9e71a08f31d445fde493adb368ca20244ca87b75dd0b4d7"),
    ("stop", "302b9f53af6466c04582c6f30d2fabeabeed08ab7721dc5cc4563fefd64e1708"),
    ("subagent_stop", "2582afc0d9c3ece428561805a2d3e7bad3b9b2445965d4c6b7c57cd4ad00977d"),
    ("session_end", "f95dfc76dd5ebf7d840b09c2875c1abd640eb4fbce9426342186479bc3dae8fa"),
];

fn hooks(exe: &str) -> Vec<u8> {
    let path = Path::new("/p/.codex/hooks.json");
    let content = Content { role: Role::Either, path, bytes: b"", exe: Some(exe) };
    let form = waypost_app::harness::Form::Local { exe, approve: true, allow: &[] };
    Codex.registering().add(content, form).unwrap().bytes
}

fn untrusted(bytes: &[u8], config: &str) -> Vec<String> {
    let path = Path::new("/p/.codex/hooks.json");
    let content = Content { role: Role::Either, path, bytes, exe: None };
    Codex.registering().untrusted(content, Path::new("/p"), config.as_bytes())
}

#[test]
fn which_hooks_are_trusted_is_known_as_codex_knows_it() {
    let bytes = hooks("/opt/bin/waypost");
    let state = |(event, hash): &(&str, &str)| {
        format!(
            "[hooks.state.\"/p/.codex/hooks.json:{event}:0:0\"]\ntrusted_hash = \"sha256:{hash}\"\n"
        )
    };
    let folder = "[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
    let all: String = HASHES.iter().map(state).collect();
    let left = untrusted(&bytes, &format!("{folder}{all}"));
    assert_eq!(left, ["PreCompact", "SubagentStart"], "the others are as Codex says");
    assert_eq!(untrusted(&bytes, &all).len(), FACTS.events.len(), "nobody trusts the folder");
    assert_eq!(untrusted(&bytes, folder).len(), 9);
    assert_eq!(untrusted(&bytes, "no toml [").len(), FACTS.events.len());
    let stop_off = all.replace("302b9f", "302b9e");
    assert!(untrusted(&bytes, &format!("{folder}{stop_off}")).contains(&"Stop".to_owned()));
    let moved = hooks("/other/waypost");
    assert_eq!(
        untrusted(&moved, &format!("{folder}{all}")).len(),
        9,
        "another text is another hook"
    );
}

#[test]
fn a_path_with_spaces_is_called_and_known_again() {
    let exe = "/opt/my tools/it's/waypost";
    let bytes = hooks(exe);
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.contains(r#""'/opt/my tools/it'\\''s/waypost' hook codex""#), "{text}");
    let path = Path::new("/p/.codex/hooks.json");
    let content = Content { role: Role::Either, path, bytes: &bytes, exe: None };
    let said = Codex.registering().said(content).unwrap();
    assert_eq!(said.hooks[0].command, exe);
    assert!(said.hooks.iter().all(|hook| hook.faults.is_empty() && !hook.is_shared));
}
