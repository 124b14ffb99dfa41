//! Events as Claude Code 2.1.325 sent them, without what Waypost never looks at.

use waypost_app::harness::{Event, Harness, Input, Task, TaskKind};

use super::super::ClaudeCode;

const STOP: &str = r#"{"session_id":"e7e121f5","cwd":"/p","hook_event_name":"Stop","stop_hook_active":false,
"last_assistant_message":"First stop.","background_tasks":[
{"id":"bf0jwfyv6","type":"shell","status":"running","description":"watch","command":"sleep 3"},
{"id":"acf6aa65243b40bf7","type":"subagent","status":"running","description":"bg agent","agent_type":"general-purpose"},
{"id":"t6xusi6y6","type":"teammate","status":"running","description":"mate"},
{"id":"w1","type":"workflow","status":"running","description":"flow","name":"x"},
{"id":"m1","type":"monitor","status":"running","description":"socket"},
{"id":"d1","type":"dream","status":"running","description":""},
{"id":"c1","type":"cloud session","status":"running","description":""}],"session_crons":[]}"#;

fn read(text: &str) -> Input<'_> {
    let (input, problem) = ClaudeCode.read(text.as_bytes());
    assert_eq!(problem, None, "{text}");
    input
}

fn task(id: &str, kind: TaskKind) -> Task {
    Task { id: id.to_owned(), kind, agent: None }
}

#[test]
fn what_runs_in_the_background_is_told_apart() {
    let input = read(STOP);
    let agent = Task {
        agent: Some("acf6aa65243b40bf7".to_owned()),
        ..task("acf6aa65243b40bf7", TaskKind::Agent)
    };
    let expected = [
        task("bf0jwfyv6", TaskKind::Shell),
        agent,
        task("t6xusi6y6", TaskKind::Teammate),
        task("w1", TaskKind::Agent),
        task("m1", TaskKind::Monitor),
        task("c1", TaskKind::Other),
    ];
    assert_eq!(input.tasks, expected);
    assert!(input.has_background());
}

#[test]
fn a_teammate_that_stays_is_nothing_that_a_stop_waits_for() {
    let input = read(
        r#"{"hook_event_name":"Stop","background_tasks":[{"id":"t6","type":"teammate","status":"running"}]}"#,
    );
    assert!(!input.has_background());
}

#[test]
fn a_background_subagent_that_stops_does_not_wait_for_itself() {
    let input = read(
        r#"{"session_id":"e7","cwd":"/p","agent_id":"acf6","agent_type":"general-purpose","hook_event_name":"SubagentStop",
        "stop_hook_active":true,"background_tasks":[{"id":"b3","type":"shell","status":"running"},
        {"id":"acf6","type":"subagent","status":"running","agent_type":"general-purpose"}]}"#,
    );
    assert_eq!(input.event, Some(Event::SubagentStop));
    assert_eq!(input.tasks, [task("b3", TaskKind::Shell)]);
}

#[test]
fn the_call_that_started_a_task_names_it_as_the_list_does() {
    for (name, response, id) in [
        (
            "Bash",
            r#"{"stdout":"","stderr":"","interrupted":false,"backgroundTaskId":"b3x3hzv67"}"#,
            Some("b3x3hzv67"),
        ),
        ("Bash", r#"{"stdout":"ok","stderr":"","interrupted":false}"#, None),
        (
            "Monitor",
            r#"{"taskId":"bf0jwfyv6","timeoutMs":30000,"persistent":false}"#,
            Some("bf0jwfyv6"),
        ),
        (
            "Agent",
            r#"{"isAsync":true,"status":"async_launched","agentId":"acf6aa65243b40bf7"}"#,
            Some("acf6aa65243b40bf7"),
        ),
        ("Agent", r#"{"status":"completed","agentId":"a4f6e23d5a07798c5"}"#, None),
        ("TaskUpdate", r#"{"success":true,"taskId":"1","updatedFields":["status"]}"#, None),
    ] {
        let text = format!(
            r#"{{"session_id":"e7","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"{name}",
            "tool_input":{{"command":"x"}},"tool_response":{response},"tool_use_id":"t1","duration_ms":8}}"#
        );
        let tool = ClaudeCode.tool(&read(&text)).unwrap();
        assert_eq!(tool.starts.as_deref(), id, "{name} {response}");
    }
}

#[test]
fn tasks_teammates_and_settings_are_events() {
    for (text, event) in [
        (
            r#"{"session_id":"9e","cwd":"/p","hook_event_name":"TaskCompleted","task_id":"1","task_subject":"Fix it","task_description":"x"}"#,
            Event::TaskDone,
        ),
        (
            r#"{"session_id":"26","cwd":"/p","agent_id":"aworker-160a","agent_type":"worker","hook_event_name":"TeammateIdle","teammate_name":"worker","team_name":"session-26"}"#,
            Event::TeammateIdle,
        ),
        (
            r#"{"session_id":"89","cwd":"/p","hook_event_name":"ConfigChange","source":"local_settings","file_path":"/p/.claude/settings.local.json"}"#,
            Event::ConfigChanged,
        ),
        (
            r#"{"session_id":"9e","cwd":"/p","hook_event_name":"TaskCreated","task_id":"1"}"#,
            Event::Other,
        ),
        (
            r#"{"session_id":"9e","cwd":"/p","hook_event_name":"CwdChanged","new_cwd":"/"}"#,
            Event::Other,
        ),
    ] {
        assert_eq!(read(text).event, Some(event), "{text}");
    }
    let changed = r#"{"hook_event_name":"ConfigChange","file_path":"/p/.claude/settings.json"}"#;
    assert_eq!(read(changed).file.as_deref(), Some("/p/.claude/settings.json"));
}

#[test]
fn the_folder_of_a_work_tree_is_where_its_events_happen() {
    let entered = r#"{"session_id":"31","cwd":"/p/.claude/worktrees/side","hook_event_name":"PostToolUse","tool_name":"EnterWorktree",
        "tool_input":{"name":"side"},"tool_response":{"worktreePath":"/p/.claude/worktrees/side","worktreeBranch":"worktree-side"}}"#;
    let isolated = r#"{"session_id":"31","cwd":"/p/.claude/worktrees/agent-a4","hook_event_name":"SubagentStop","agent_id":"a4",
        "agent_type":"general-purpose","background_tasks":[]}"#;
    assert_eq!(read(entered).cwd.as_deref(), Some("/p/.claude/worktrees/side"));
    let stop = read(isolated);
    assert_eq!(stop.cwd.as_deref(), Some("/p/.claude/worktrees/agent-a4"));
    assert_eq!(stop.subagent.as_deref(), Some("a4"));
}

#[test]
fn clearing_and_forking_name_nothing_but_how_it_began() {
    for source in ["clear", "fork"] {
        let text = format!(
            r#"{{"session_id":"76","cwd":"/p","hook_event_name":"SessionStart","source":"{source}"}}"#
        );
        let input = read(&text);
        assert_eq!(input.event, Some(Event::Start));
        assert_eq!(input.source.as_deref(), Some(source));
    }
}
