//! What hooks see of subagents and teammates.

use std::path::Path;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

use super::{begun, subagent, with, writes};

fn invocations(env: &TestEnv) -> Vec<Value> {
    env.json(&["agent", "list", "--json"])["invocations"].as_array().unwrap().clone()
}

/// What the harness tells when the call that started a subagent returns.
fn returned(call: &str, agent: &str, kind: &str, background: bool) -> Value {
    let response = if background {
        json!({"isAsync": true, "status": "async_launched", "agentId": agent})
    } else {
        json!({"status": "completed", "agentId": agent, "agentType": kind, "content": [],
            "totalDurationMs": 1234, "totalTokens": 99, "totalToolUseCount": 2})
    };
    let input = json!({"description": "Look at it", "prompt": "secret", "subagent_type": kind});
    json!({"tool_name": "Agent", "tool_use_id": call, "tool_input": input, "tool_response": response})
}

#[test]
fn subagents_are_invocations_with_what_they_took_and_touched() {
    let env = begun("[project]\n");
    let (outer, inner) = (subagent("a1", "implementer"), subagent("a2", "qa"));
    env.hook("SubagentStart", &outer);
    writes(&env, &outer, "outer.txt", "new\n");
    env.hook("SubagentStart", &inner);
    writes(&env, &inner, "inner.txt", "new\n");
    env.hook("SubagentStop", &inner);
    env.hook("PostToolUse", &with(returned("t2", "a2", "qa", false), &outer));
    env.hook("SubagentStop", &outer);
    env.hook("PostToolUse", &returned("t1", "a1", "implementer", false));
    let [outer, inner] = &invocations(&env)[..] else { panic!("{:?}", invocations(&env)) };
    assert_eq!((&outer["agent"], &inner["agent"]), (&json!("implementer"), &json!("qa")));
    assert_eq!((&outer["status"], &inner["status"]), (&json!("completed"), &json!("completed")));
    assert_eq!((&outer["files"], &inner["files"]), (&json!(["outer.txt"]), &json!(["inner.txt"])));
    assert_eq!((&inner["parent"], outer.get("parent")), (&json!("a1"), None));
    let took = json!({"tokens": 99, "duration_ms": 1234, "tool_calls": 2});
    assert_eq!(inner["usage"], took, "by what the harness says while nothing was counted");
    assert_eq!(inner["prompt"], "Look at it", "and never the prompt");
    assert!(env.json(&["history", "--json"]).to_string().find("secret").is_none());
}

/// What the client wrote down of a subagent: the time, the message, and the tokens that came out, beside a hundred that
/// went in.
fn wrote(transcript: &Path, agent: &str, lines: &[(&str, &str, u64)]) {
    let line = |(time, id, out): &(&str, &str, u64)| {
        let usage = json!({"input_tokens": 100, "output_tokens": out});
        let message = json!({"id": id, "model": "m", "usage": usage});
        json!({"type": "assistant", "timestamp": time, "sessionId": "s1", "isSidechain": true, "agentId": agent,
            "message": message})
        .to_string()
            + "\n"
    };
    let folder = transcript.with_extension("").join("subagents");
    std::fs::create_dir_all(&folder).unwrap();
    let lines: String = lines.iter().map(line).collect();
    std::fs::write(folder.join(format!("agent-{agent}.jsonl")), lines).unwrap();
}

#[test]
fn tokens_of_subagents_are_those_of_their_transcripts_however_late_these_are_written() {
    let mut env = begun("[project]\n");
    let transcript = env.home().join(".claude/projects/-work-demo/s1.jsonl");
    std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    std::fs::write(&transcript, "").unwrap();
    let tokens = |env: &TestEnv, agent: &str| {
        let all = invocations(env);
        all.iter().find(|one| one["subagent"] == agent).unwrap()["usage"]["tokens"].clone()
    };
    for (call, agent) in [("t1", "a1"), ("t2", "a2")] {
        env.hook("SubagentStart", &subagent(agent, "qa"));
        env.hook("SubagentStop", &subagent(agent, "qa"));
        env.hook("PostToolUse", &returned(call, agent, "qa", false));
    }
    wrote(
        &transcript,
        "a1",
        &[("2026-11-15T12:00:01Z", "m1", 5), ("2026-11-15T12:00:02Z", "m1", 20)],
    );
    env.time = "2026-11-15T12:00:30.000Z".to_owned();
    let end = json!({"transcript_path": transcript});
    env.hook("Stop", &end);
    assert_eq!(tokens(&env, "a1"), 120, "each message once, by its last line");
    assert_eq!(tokens(&env, "a2"), 99, "nothing of it is written yet");
    wrote(&transcript, "a2", &[("2026-11-15T12:00:03Z", "m2", 30)]);
    env.time = "2026-11-15T12:00:31.000Z".to_owned();
    env.hook("SessionEnd", &with(json!({"reason": "other"}), &end));
    assert_eq!((tokens(&env, "a1"), tokens(&env, "a2")), (json!(120), json!(130)));
}

#[test]
fn however_many_subagents_a_turn_has_the_tokens_of_each_are_told() {
    let env = begun("[project]\n");
    let transcript = env.home().join(".claude/projects/-work-demo/s1.jsonl");
    std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    std::fs::write(&transcript, "").unwrap();
    let names: Vec<String> = (0..70).map(|number| format!("b{number}")).collect();
    for name in &names {
        env.hook("SubagentStart", &subagent(name, "qa"));
        wrote(&transcript, name, &[("2026-11-15T12:00:01Z", &format!("m-{name}"), 20)]);
    }
    env.hook("Stop", &json!({"transcript_path": transcript}));
    let told = invocations(&env);
    assert_eq!(told.len(), names.len());
    assert!(told.iter().all(|one| one["usage"]["tokens"] == 120), "{told:?}");
}

#[test]
fn one_in_the_background_is_at_work_until_it_ends() {
    let env = begun("[project]\n");
    let agent = subagent("b1", "qa");
    env.hook("SubagentStart", &agent);
    env.hook("PostToolUse", &returned("t1", "b1", "qa", true));
    assert_eq!(invocations(&env)[0]["status"], "in_progress");
    assert_eq!(env.json(&["status", "--json"])["agents_at_work"], json!(["qa"]));
    assert!(env.ok(&["status"]).contains("qa at work"));
    env.hook("SubagentStop", &agent);
    assert_eq!(invocations(&env)[0]["status"], "completed");
}

#[test]
fn a_call_that_failed_is_an_invocation_that_failed() {
    let env = begun("[project]\n");
    env.hook("SubagentStart", &subagent("f1", "qa"));
    env.hook("SubagentStart", &subagent("f2", "critic"));
    let input = json!({"description": "Look", "prompt": "p", "subagent_type": "qa"});
    let call = json!({"tool_name": "Agent", "tool_use_id": "t1", "tool_input": input,
        "error": "interrupted", "is_interrupt": true});
    env.hook("PostToolUseFailure", &call);
    let told = invocations(&env);
    assert_eq!((&told[0]["status"], &told[1]["status"]), (&json!("failed"), &json!("in_progress")));
    assert_eq!(env.json(&["status", "--json"])["agents_at_work"], json!(["critic"]));
}

#[test]
fn one_whose_beginning_no_hook_saw_is_an_invocation_all_the_same() {
    let env = begun("[project]\n");
    // Two that are known to have begun, of which one left the state: they are no others when their calls return.
    for number in 0..12 {
        env.hook("SubagentStart", &subagent(&format!("k{number}"), "qa"));
        env.hook("SubagentStop", &subagent(&format!("k{number}"), "qa"));
    }
    env.hook("PostToolUse", &returned("t0", "k0", "qa", false));
    env.hook("PostToolUse", &returned("t1", "k11", "qa", false));
    env.hook("SubagentStop", &subagent("k0", "qa"));
    assert_eq!(invocations(&env).len(), 12);
    let outer = subagent("a1", "implementer");
    env.hook("PostToolUse", &with(returned("t2", "a2", "qa", false), &outer));
    env.hook("SubagentStop", &subagent("a3", "critic"));
    env.hook("PostToolUse", &returned("t3", "a3", "critic", false));
    // Compaction ends one that never began; one in the background begins later.
    env.hook("SubagentStop", &subagent("a4", ""));
    env.hook("PostToolUse", &returned("t5", "a5", "qa", true));
    let told = invocations(&env);
    let told: Vec<_> =
        told[12..].iter().map(|one| (&one["subagent"], &one["agent"], &one["status"])).collect();
    let of = |subagent: &str, kind: &str| (json!(subagent), json!(kind), json!("completed"));
    let wanted = [of("a2", "qa"), of("a3", "critic")];
    assert_eq!(told, wanted.iter().map(|(a, b, c)| (a, b, c)).collect::<Vec<_>>());
    let inner = &invocations(&env)[12];
    assert_eq!((&inner["parent"], &inner["usage"]["tokens"]), (&json!("a1"), &json!(99)));
    assert_eq!(env.json(&["status", "--json"]).get("agents_at_work"), None);
}

#[test]
fn whoever_is_at_work_when_the_client_ends_is_not_at_work_any_more() {
    let env = begun("[project]\n");
    env.hook("SubagentStart", &subagent("l1", "qa"));
    env.hook("SessionEnd", &json!({"reason": "other"}));
    assert_eq!(invocations(&env)[0]["status"], "failed");
    assert!(env.json(&["status", "--json"]).get("agents_at_work").is_none());
}

#[test]
fn what_teammates_complete_is_an_invocation_each() {
    let env = begun("[project]\n");
    let done =
        |subject: &str| json!({"task_id": "1", "task_subject": subject, "teammate_name": "worker"});
    env.hook("TaskCompleted", &done("Write the parser"));
    env.hook("TaskCompleted", &done("Test the parser"));
    env.hook("TeammateIdle", &json!({"teammate_name": "worker"}));
    let told = invocations(&env);
    let told: Vec<_> =
        told.iter().map(|one| (&one["agent"], &one["prompt"], &one["status"])).collect();
    let of = |prompt: &str| (json!("worker"), json!(prompt), json!("completed"));
    let wanted = [of("Write the parser"), of("Test the parser")];
    let wanted: Vec<_> = wanted.iter().map(|(a, b, c)| (a, b, c)).collect();
    assert_eq!(told, wanted, "idleness alone is no work");
    // What was given to it by name is over when it has nothing more to do.
    env.ok(&["agent", "invoke", "worker", "--prompt", "Document it"]);
    env.hook("TeammateIdle", &json!({"teammate_name": "worker"}));
    assert_eq!(invocations(&env)[2]["status"], "completed");
}

#[test]
fn forged_and_broken_stories_of_subagents_break_nothing() {
    let env = begun("[project]\n");
    for fields in [
        json!({"agent_id": "x", "agent_type": "y".repeat(10_000)}),
        json!({"agent_id": "z".repeat(10_000), "agent_type": "qa"}),
        json!({"agent_id": "\u{202e}\u{1b}[31m", "agent_type": "\n\n"}),
        json!({"agent_id": "n", "agent_type": "qa", "agent_transcript_path": "/dev/zero"}),
        json!({"agent_id": "n", "agent_type": "qa", "agent_transcript_path": env.project()}),
    ] {
        for event in ["SubagentStart", "SubagentStop"] {
            assert_eq!(env.hook(event, &fields).status, 0, "{event} {fields}");
        }
    }
    assert_eq!(env.waypost(&["verify", "--all"]).status.code(), Some(0));
    let told = env.ok(&["agent", "list"]);
    assert!(!told.contains('\u{202e}') && !told.contains('\u{1b}'), "{told}");
}

#[test]
fn subagents_that_are_said_to_have_started_each_other_are_all_told_of() {
    let env = begun("[project]\n");
    let names = ["a1", "a2", "a3"];
    for name in names {
        env.hook("SubagentStart", &subagent(name, "qa"));
    }
    // Each other, itself, and one that nobody knows.
    for (call, by, of) in
        [("t1", "a1", "a2"), ("t2", "a2", "a1"), ("t3", "a3", "a3"), ("t4", "nobody", "a3")]
    {
        env.hook("PostToolUse", &with(returned(call, of, "qa", false), &subagent(by, "qa")));
    }
    let told = invocations(&env);
    let mut found: Vec<_> = told.iter().map(|one| one["subagent"].as_str().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, names);
    let shown = env.ok(&["agent", "list"]);
    assert_eq!(shown.matches("  qa ").count(), names.len(), "{shown}");
}
