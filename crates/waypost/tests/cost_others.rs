//! `waypost cost` on transcripts of other clients than harnesses, each beside a sum that was worked out by hand.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

const OPUS: &str = "claude-opus-5-5";

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

fn write(file: PathBuf, lines: &[Value]) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(file, lines.join("\n") + "\n").unwrap();
}

fn cost(env: &TestEnv) -> Value {
    env.json(&["cost", "--json"])
}

#[test]
fn answers_of_codex_that_have_names_count_once_each_and_their_states_do_not() {
    let env = env();
    let of = |thread: &str, answers: &[&str], forked: Option<&str>| {
        let time = "2026-11-10T10:00:00Z";
        let line = |kind: &str, payload: Value| json!({"timestamp": time, "type": kind, "payload": payload});
        let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}});
        let mut meta = json!({"id": thread, "cwd": env.project(), "forked_from_id": forked});
        if thread != "parent" {
            meta["source"] = source;
        }
        let mut lines =
            vec![line("session_meta", meta), line("turn_context", json!({"model": OPUS}))];
        for (at, answer) in answers.iter().enumerate() {
            let used = json!({"input_tokens": 1000, "cached_input_tokens": 0, "output_tokens": 50});
            let total = json!({"input_tokens": 1000 * (at + 1), "output_tokens": 50 * (at + 1)});
            let record = json!({"thread_id": thread, "response_id": answer, "usage": used});
            let info = json!({"total_token_usage": total, "last_token_usage": used});
            lines.push(line("token_usage_record", record));
            lines.push(line("event_msg", json!({"type": "token_count", "info": info})));
        }
        let name = format!("rollout-2026-11-10T10-00-00-{thread}.jsonl");
        write(env.home().join(".codex/sessions/2026/11/10").join(name), &lines);
    };
    // As a run of the client wrote it: a forked subagent and two that repeat nothing, twelve answers of the same size.
    of("parent", &["r1", "r2", "r3", "r4", "r5", "r6"], None);
    of("forked", &["r7", "r8"], Some("parent"));
    of("fresh1", &["r9", "r10"], None);
    of("fresh2", &["r11", "r12"], None);
    let told = cost(&env);
    assert_eq!((&told["messages"], &told["tokens"]["input"]), (&json!(12), &json!(12_000)));
    assert_eq!(told["tokens"]["output"], 600);
    // One that is gone on with begins with what was there.
    of("resumed", &["r1", "r2", "r13"], Some("parent"));
    assert_eq!(cost(&env)["tokens"]["input"], 13_000);
}

/// A line of a rollout, so many seconds after ten.
fn line(second: u32, kind: &str, payload: &Value) -> Value {
    json!({"timestamp": format!("2026-11-10T10:00:{second:02}.000Z"), "type": kind, "payload": payload})
}

/// A state of a rollout: all that was used by then, and the last of it.
fn state(second: u32, total: u64, last: Option<u64>) -> Value {
    let used = |input: u64| json!({"input_tokens": input, "cached_input_tokens": 0, "output_tokens": input / 100});
    let info = json!({"total_token_usage": used(total), "last_token_usage": last.map(used)});
    line(second, "event_msg", &json!({"type": "token_count", "info": info}))
}

fn rollout(env: &TestEnv, id: &str, meta: &Value, rest: &[Value]) {
    let mut payload = json!({"id": id, "cwd": env.project()});
    payload.as_object_mut().unwrap().extend(meta.as_object().unwrap().clone());
    let context = line(10, "turn_context", &json!({"model": OPUS}));
    let lines = [&[line(10, "session_meta", &payload), context], rest].concat();
    let name = format!("rollout-2026-11-10T10-00-10-{id}.jsonl");
    write(env.home().join(".codex/sessions/2026/11/10").join(name), &lines);
}

/// What subagents say of themselves, as versions of the client write it.
fn spawned() -> [Value; 3] {
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}});
    [
        json!({"source": source}),
        json!({"source": source, "forked_from_id": "parent"}),
        json!({"thread_source": "subagent", "parent_thread_id": "parent", "forked_from_id": "parent"}),
    ]
}

#[test]
fn what_subagents_of_codex_use_behind_a_repeated_history_counts_for_each_of_them() {
    let env = env();
    let parent = |second: u32| [state(second, 1000, Some(1000)), state(second, 3000, Some(2000))];
    rollout(&env, "parent", &json!({}), &[parent(11), parent(12)].concat());
    let copied = line(10, "session_meta", &json!({"id": "parent", "cwd": env.project()}));
    let mut of_their_own = 0;
    for (form, meta) in spawned().iter().enumerate() {
        // The history with new times, with its own ones, and behind what the other thread said of itself.
        for (way, history) in [
            parent(10).to_vec(),
            parent(1).to_vec(),
            [std::slice::from_ref(&copied), &parent(10)].concat(),
        ]
        .into_iter()
        .enumerate()
        {
            for number in 0..10 {
                let own = [history.clone(), vec![state(30, 3500, Some(500))]].concat();
                rollout(&env, &format!("sub-{form}-{way}-{number}"), meta, &own);
                of_their_own += 500;
            }
        }
    }
    assert_eq!(cost(&env)["tokens"]["input"], 3000 + of_their_own);
}

#[test]
fn subagents_of_codex_that_begin_at_nothing_count_in_every_form() {
    let env = env();
    rollout(&env, "parent", &json!({}), &[state(11, 1000, Some(1000))]);
    for (form, meta) in spawned().iter().enumerate() {
        for number in 0..11 {
            rollout(&env, &format!("sub-{form}-{number}"), meta, &[state(14, 1000, Some(1000))]);
        }
    }
    assert_eq!(cost(&env)["tokens"]["input"], 34 * 1000);
}

#[test]
fn a_history_whose_answers_had_names_is_not_counted_again_where_it_lost_them() {
    let env = env();
    let used = json!({"input_tokens": 1000, "cached_input_tokens": 0, "output_tokens": 10});
    let named = line(11, "token_usage_record", &json!({"response_id": "r1", "usage": used}));
    rollout(&env, "parent", &json!({}), &[named, state(11, 1000, Some(1000))]);
    let own = line(31, "token_usage_record", &json!({"response_id": "r2", "usage": used}));
    for (id, second) in [("early", 1), ("late", 10)] {
        let copied = line(10, "session_meta", &json!({"id": "parent"}));
        let history = [copied, state(second, 1000, Some(1000)), own.clone()];
        rollout(&env, id, &spawned()[0], &history);
    }
    assert_eq!(cost(&env)["tokens"]["input"], 2000);
}

#[test]
fn sums_alone_are_counted_by_what_was_added() {
    let env = env();
    let states = [state(11, 1000, None), state(12, 3000, None), state(13, 3000, None)];
    rollout(&env, "sums", &json!({}), &states);
    assert_eq!(cost(&env)["tokens"]["input"], 3000);
    // Where the count began anew, all of it was added.
    rollout(&env, "anew", &json!({}), &[state(11, 2000, None), state(12, 500, None)]);
    assert_eq!(cost(&env)["tokens"]["input"], 5500);
}

#[test]
fn messages_of_gemini_count_once_and_what_was_read_from_the_cache_apart() {
    let env = env();
    let message = |id: &str, output: u64| {
        let tokens = json!({"input": 1000, "output": output, "cached": 400, "thoughts": 30, "tool": 10, "total": 1});
        json!({"id": id, "timestamp": "2026-11-10T10:00:00Z", "type": "gemini", "content": "x", "model": OPUS, "tokens": tokens})
    };
    let place = env.home().join(".gemini/tmp/shop");
    let head = json!({"sessionId": "8c3b6078-ed99", "projectHash": "x"});
    let lines = [head, message("a", 1), message("a", 50), message("a", 50), message("b", 50)];
    write(place.join("chats/session-2026-11-10T10-00-8c3b6078.jsonl"), &lines);
    fs::write(place.join(".project_root"), env.project().to_str().unwrap()).unwrap();
    let told = cost(&env);
    let tokens = json!({"input": 1220, "output": 160, "cache_read": 800, "cache_write": 0});
    assert_eq!((&told["tokens"], &told["messages"]), (&tokens, &json!(2)));
}

#[test]
fn sessions_of_opencode_and_those_that_they_started_count() {
    let env = env();
    let storage = env.home().join(".local/share/opencode/storage");
    for (session, parent) in [("ses_1", Value::Null), ("ses_2", json!("ses_1"))] {
        let head = json!({"id": session, "directory": env.project(), "parentID": parent});
        write(storage.join(format!("session/global/{session}.json")), &[head]);
        for number in 0..2 {
            let id = format!("msg_{session}_{number}");
            let message = json!({"id": id, "role": "assistant", "modelID": OPUS, "time": {"created": 1_795_000_000_000_i64},
                "tokens": {"input": 100, "output": 20, "reasoning": 5, "cache": {"read": 1000, "write": 200}}});
            write(storage.join(format!("message/{session}/{id}.json")), &[message]);
        }
    }
    let told = cost(&env);
    // 400 given, 100 written, 4000 read from the cache and 800 written to it.
    let usd = told["total_usd"].as_f64().unwrap();
    let by_hand = 400.0 * 4e-6 + 100.0 * 20e-6 + 4000.0 * 0.2e-6 + 800.0 * 5e-6;
    assert!((usd - by_hand).abs() < 1e-9, "{usd} is not {by_hand}");
}
