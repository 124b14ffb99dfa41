//! `waypost cost` on transcripts in the formats of clients, each beside a sum that was worked out by hand.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, everything};

const ID: &str = "31569691-e4d9-4215-a79c-1f052ae3b831";
const OTHER: &str = "41569691-e4d9-4215-a79c-1f052ae3b832";
const OPUS: &str = "claude-opus-5-5";
/// What a client wrote down itself.
const RECORDED: &str =
    include_str!("../../waypost-hook/src/harnesses/claude_code/conversation/recorded.jsonl");

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

fn folder(env: &TestEnv) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = env.project().to_string_lossy().chars().map(plain).collect();
    env.home().join(".claude/projects").join(name)
}

fn write(file: PathBuf, lines: &[Value]) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(file, lines.join("\n") + "\n").unwrap();
}

fn keep(env: &TestEnv, id: &str, lines: &[Value]) {
    write(folder(env).join(format!("{id}.jsonl")), lines);
}

/// A line of a message: given, written, read from the cache, written to it for five minutes and for an hour.
fn used(env: &TestEnv, time: &str, id: &str, model: &str, tokens: [u64; 5]) -> Value {
    let [input, output, read, short, long] = tokens;
    line(
        env,
        time,
        id,
        model,
        &json!({
            "input_tokens": input, "output_tokens": output, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": short + long,
            "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long},
        }),
    )
}

fn line(env: &TestEnv, time: &str, id: &str, model: &str, usage: &Value) -> Value {
    json!({"type": "assistant", "timestamp": time, "cwd": env.project(), "parentUuid": null, "sessionId": ID,
        "message": {"id": id, "model": model, "role": "assistant", "content": [], "usage": usage}})
}

fn cost(env: &TestEnv, args: &[&str]) -> Value {
    env.json(&[&["cost", "--json"], args].concat())
}

#[track_caller]
fn is_usd(told: &Value, expected: f64) {
    assert!(told.is_f64(), "{told} is no amount");
    let usd = told.as_f64().unwrap();
    assert!((usd - expected).abs() < 1e-9, "{usd} is not {expected}");
}

fn keys(told: &Value) -> Vec<&str> {
    told["rows"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap()).collect()
}

#[test]
fn every_sort_of_token_has_its_price_and_the_sum_is_that_by_hand() {
    let env = env();
    keep(
        &env,
        ID,
        &[
            used(&env, "2026-11-10T10:00:00Z", "m1", OPUS, [1000, 200, 30_000, 4000, 500]),
            used(
                &env,
                "2026-11-11T10:00:00Z",
                "m2",
                "claude-opus-4-5-20251101",
                [100, 20, 3000, 400, 50],
            ),
        ],
    );
    let told = cost(&env, &[]);
    // 1000*4 + 200*20 + 30000*0.2 + 4000*5 + 500*8 = 38000, and 500 + 500 + 1500 + 2500 + 500 = 5500, in millionths.
    is_usd(&told["total_usd"], 0.0435);
    let tokens = json!({"input": 1100, "output": 220, "cache_read": 33000, "cache_write": 4950});
    assert_eq!(told["tokens"], tokens);
    assert_eq!(keys(&told), ["2026-11-10", "2026-11-11"]);
    is_usd(&told["rows"][1]["usd"], 0.0055);
    let first = json!({"input": 1000, "output": 200, "cache_read": 30000, "cache_write": 4500});
    assert_eq!(told["rows"][0]["tokens"], first);
    assert_eq!(told["unknown_models"], json!([]));
    assert!(!env.store().exists(), "telling costs sets nothing up");
}

#[test]
fn a_message_counts_once_and_its_last_line_holds_however_often_it_is_copied() {
    let env = env();
    let late = [
        used(&env, "2026-11-10T10:00:00Z", "m1", OPUS, [1000, 1, 0, 0, 0]),
        used(&env, "2026-11-10T10:00:01Z", "m1", OPUS, [1000, 1, 0, 0, 0]),
        used(&env, "2026-11-10T10:00:02Z", "m1", OPUS, [1000, 100, 0, 0, 0]),
    ];
    keep(&env, ID, &late);
    is_usd(&cost(&env, &[])["total_usd"], 0.006);
    // Conversations that go on from it begin with a copy.
    for number in 0..90 {
        let mut copy = late.to_vec();
        let own = format!("own{number}");
        copy.push(used(&env, "2026-11-12T10:00:00Z", &own, OPUS, [10, 0, 0, 0, 0]));
        keep(&env, &format!("{number:08}-e4d9-4215-a79c-1f052ae3b831"), &copy);
    }
    let told = cost(&env, &[]);
    is_usd(&told["total_usd"], 0.006 + 90.0 * 0.00004);
    is_usd(&told["rows"][0]["usd"], 0.006);
    assert_eq!((&told["messages"], &told["tokens"]["output"]), (&json!(91), &json!(100)));
}

#[test]
fn subagents_count_once_where_their_words_are_files_of_their_own() {
    let env = env();
    keep(&env, ID, &[used(&env, "2026-11-10T10:00:00Z", "m1", OPUS, [1000, 0, 0, 0, 0])]);
    let inside = folder(&env).join(ID).join("subagents");
    for number in 0..11 {
        let mut own =
            used(&env, "2026-11-10T10:01:00Z", &format!("s{number}"), OPUS, [1000, 0, 0, 0, 0]);
        own["isSidechain"] = json!(true);
        own["agentId"] = json!(format!("a{number}"));
        let copied = used(&env, "2026-11-10T10:00:00Z", "m1", OPUS, [1000, 0, 0, 0, 0]);
        write(inside.join(format!("agent-a{number}.jsonl")), &[copied, own]);
    }
    let told = cost(&env, &["--by", "conversation"]);
    is_usd(&told["total_usd"], 12.0 * 0.004);
    assert_eq!(keys(&told), [ID]);
}

/// A rollout of Codex: what it says of itself, and states of what was used.
fn rollout(env: &TestEnv, id: &str, meta: &Value, states: &[(u64, u64)]) {
    rollout_with(env, id, meta, &[], states);
}

fn rollout_with(env: &TestEnv, id: &str, meta: &Value, repeated: &[Value], states: &[(u64, u64)]) {
    let time = "2026-11-10T10:00:00Z";
    let mut payload = json!({"id": id, "cwd": env.project()});
    payload.as_object_mut().unwrap().extend(meta.as_object().unwrap().clone());
    let mut lines = vec![
        json!({"timestamp": time, "type": "session_meta", "payload": payload}),
        json!({"timestamp": time, "type": "turn_context", "payload": {"cwd": env.project(), "model": "claude-opus-5-5"}}),
    ];
    let metas = repeated
        .iter()
        .map(|meta| json!({"timestamp": time, "type": "session_meta", "payload": meta}));
    lines.splice(1..1, metas);
    let mut total = 0;
    for (input, cached) in states {
        total += input;
        let last =
            json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": 10});
        let info = json!({"total_token_usage": {"input_tokens": total}, "last_token_usage": last});
        lines.push(json!({"timestamp": time, "type": "event_msg", "payload": {"type": "token_count", "info": info}}));
    }
    let name = format!("rollout-2026-11-10T10-00-00-{id}.jsonl");
    write(env.home().join(".codex/sessions/2026/11/10").join(name), &lines);
}

#[test]
fn histories_that_codex_repeats_for_subagents_and_forks_count_once() {
    let env = env();
    rollout(&env, "parent", &json!({}), &[(1000, 0), (2000, 500)]);
    // 3000 given, of which 500 from the cache, and 20 written.
    let alone = 2500.0 * 4e-6 + 500.0 * 0.2e-6 + 20.0 * 20e-6;
    is_usd(&cost(&env, &[])["total_usd"], alone);
    let spawned = json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}}});
    for number in 0..45 {
        rollout(&env, &format!("sub{number}"), &spawned, &[(1000, 0), (2000, 500)]);
        let forked = json!({"forked_from_id": "parent"});
        rollout(&env, &format!("fork{number}"), &forked, &[(1000, 0), (2000, 500)]);
    }
    // One that goes on from a fork repeats what that says of itself, too.
    let fork = json!({"id": "fork1", "forked_from_id": "parent", "cwd": env.project()});
    let nested = json!({"forked_from_id": "fork1"});
    rollout_with(&env, "nested", &nested, &[fork], &[(1000, 0), (2000, 500)]);
    is_usd(&cost(&env, &[])["total_usd"], alone);
    // Another conversation with the same figures is another one.
    rollout(&env, "other", &json!({}), &[(1000, 0), (2000, 500)]);
    is_usd(&cost(&env, &[])["total_usd"], 2.0 * alone);
}

#[test]
fn subagents_of_codex_that_repeat_nothing_count_whatever_their_figures_are() {
    let env = env();
    rollout(&env, "parent", &json!({}), &[(1000, 0), (1000, 0)]);
    // The figures are those of the parent, but they come later than a repeated history is written.
    for number in 0..11 {
        let id = format!("sub{number}");
        let meta = json!({"timestamp": "2026-11-10T10:00:00Z", "type": "session_meta", "payload": {
            "id": id, "cwd": env.project(),
            "source": {"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}}}});
        let context = json!({"timestamp": "2026-11-10T10:00:00Z", "type": "turn_context", "payload": {"model": OPUS}});
        let used = json!({"input_tokens": 1000, "cached_input_tokens": 0, "output_tokens": 10});
        let state = json!({"timestamp": "2026-11-10T10:00:04Z", "type": "event_msg", "payload": {
            "type": "token_count", "info": {"total_token_usage": {"input_tokens": 1000}, "last_token_usage": used}}});
        let name = format!("rollout-2026-11-10T10-00-00-{id}.jsonl");
        let file = env.home().join(".codex/sessions/2026/11/10").join(name);
        write(file, &[meta, context, state]);
    }
    let told = cost(&env, &[]);
    assert_eq!((&told["messages"], &told["tokens"]["input"]), (&json!(13), &json!(13_000)));
}

#[test]
fn models_cost_what_was_looked_up() {
    for (model, prices) in [
        (OPUS, [4.0, 20.0, 0.2, 5.0, 8.0]),
        ("claude-opus-4-5-20251101", [5.0, 25.0, 0.5, 6.25, 10.0]),
        ("claude-opus-4-9", [5.0, 25.0, 0.5, 6.25, 10.0]),
        ("claude-opus-5-20260901", [5.0, 25.0, 0.5, 6.25, 10.0]),
        ("claude-sonnet-5-5", [2.0, 10.0, 0.1, 2.5, 4.0]),
        ("claude-sonnet-4-20250514", [3.0, 15.0, 0.3, 3.75, 6.0]),
        ("claude-sonnet-4-5-20250929", [3.0, 15.0, 0.3, 3.75, 6.0]),
        ("claude-haiku-4-5-20251001", [1.0, 5.0, 0.1, 1.25, 2.0]),
        ("claude-haiku-5-5", [0.1, 0.5, 0.01, 0.125, 0.2]),
    ] {
        let env = env();
        let of = |at: usize| {
            let mut tokens = [0; 5];
            tokens[at] = 1_000_000;
            let time = format!("2026-11-0{}T10:00:00Z", at + 1);
            used(&env, &time, &format!("m{at}"), model, tokens)
        };
        keep(&env, ID, &[0, 1, 2, 3, 4].map(of));
        let told = cost(&env, &[]);
        for (row, price) in told["rows"].as_array().unwrap().iter().zip(prices) {
            is_usd(&row["usd"], price);
        }
        assert_eq!(told["rows"].as_array().unwrap().len(), prices.len(), "{model}");
    }
}

#[test]
fn a_model_without_a_price_is_told_and_given_one_by_the_project() {
    let env = env();
    keep(
        &env,
        ID,
        &[
            used(&env, "2026-11-10T10:00:00Z", "m1", OPUS, [1000, 0, 0, 0, 0]),
            used(&env, "2026-11-11T10:00:00Z", "m2", "mystery-1", [1000, 100, 7, 0, 0]),
        ],
    );
    let told = cost(&env, &[]);
    assert_eq!(told["unknown_models"], json!(["mystery-1"]));
    is_usd(&told["total_usd"], 0.004);
    assert_eq!((&told["rows"][1]["usd"], &told["tokens"]["input"]), (&Value::Null, &json!(2000)));
    let shown = env.waypost(&["cost"]);
    let shown = everything(&shown);
    assert!(shown.contains("price unknown") && shown.contains("mystery-1"), "{shown}");
    env.write("waypost.toml", "[project]\n[prices.mystery-1]\ninput = 1\noutput = 2.5\n[prices.claude-opus-5-5]\ninput = 40\noutput = 1\n");
    let told = cost(&env, &[]);
    // What is read from the cache costs what is given, where nothing else is said.
    is_usd(&told["total_usd"], 0.04 + 0.001 + 0.00025 + 0.000_007);
    assert_eq!(told["unknown_models"], json!([]));
}

#[test]
fn a_price_that_cannot_be_understood_is_told_with_its_line() {
    let env = env();
    env.init();
    let text = env.read("waypost.toml");
    env.write("waypost.toml", &format!("{text}\n[prices.own]\ninput = -1\nouput = 2\n"));
    let told = everything(&env.waypost(&["gate", "list"]));
    for part in ["did you mean `output`?", "needs `output`", "US dollars for a million tokens"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn since_and_until_take_whole_days_and_exact_times() {
    let env = env();
    let at = |time: &str, id: &str| used(&env, time, id, OPUS, [1000, 0, 0, 0, 0]);
    keep(
        &env,
        ID,
        &[
            at("2026-11-09T23:59:59.999Z", "m1"),
            at("2026-11-10T00:00:00.000Z", "m2"),
            at("2026-11-10T23:59:59.999Z", "m3"),
            at("2026-11-11T00:00:00.000Z", "m4"),
        ],
    );
    let messages = |args: &[&str]| cost(&env, args)["messages"].clone();
    assert_eq!(messages(&[]), 4);
    assert_eq!(messages(&["--since", "2026-11-10"]), 3);
    assert_eq!(messages(&["--until", "2026-11-10"]), 3);
    assert_eq!(messages(&["--since", "2026-11-10", "--until", "2026-11-10"]), 2);
    assert_eq!(
        messages(&["--since", "2026-11-10T23:59:59.999Z", "--until", "2026-11-11T00:00:00Z"]),
        1
    );
    assert_eq!(messages(&["--since", "2026-11-12"]), 0);
    let none = env.waypost(&["cost", "--since", "soon"]);
    assert_eq!(none.status.code(), Some(2), "{}", everything(&none));
    // Half an hour before midnight in UTC it is the next day an hour further east.
    let east = env
        .command(env.binary(), env.project())
        .env("TZ", "XXX-1")
        .args(["cost", "--json", "--since", "2026-11-10", "--until", "2026-11-10"])
        .output()
        .unwrap();
    let east: Value = serde_json::from_slice(&east.stdout).unwrap();
    assert_eq!((keys(&east), &east["messages"]), (vec!["2026-11-10"], &json!(2)), "{east}");
}

#[test]
fn it_is_summed_up_by_week_month_model_project_and_block() {
    let env = env();
    keep(
        &env,
        ID,
        &[
            used(&env, "2026-10-31T22:50:00Z", "m1", OPUS, [1000, 0, 0, 0, 0]),
            used(&env, "2026-11-01T02:30:00Z", "m2", OPUS, [1000, 0, 0, 0, 0]),
            used(&env, "2026-11-01T03:00:00Z", "m3", "claude-haiku-4-5", [1000, 0, 0, 0, 0]),
        ],
    );
    assert_eq!(keys(&cost(&env, &["--by", "week"])), ["2026-10-26"]);
    assert_eq!(keys(&cost(&env, &["--by", "month"])), ["2026-10", "2026-11"]);
    assert_eq!(keys(&cost(&env, &["--by", "model"])), ["claude-haiku-4-5", OPUS]);
    assert_eq!(keys(&cost(&env, &["--by", "project"])), [env.project().to_str().unwrap()]);
    let blocks = cost(&env, &["--by", "block"]);
    assert_eq!(keys(&blocks), ["2026-10-31T22:00:00.000Z", "2026-11-01T03:00:00.000Z"]);
    is_usd(&blocks["rows"][0]["usd"], 0.008);
    assert_eq!(blocks["rows"][0]["running"], false);
    // A part of a block is of the same block.
    let part = cost(&env, &["--by", "block", "--since", "2026-11-01T02:00:00Z"]);
    assert_eq!(keys(&part), keys(&blocks));
    is_usd(&part["rows"][0]["usd"], 0.004);
}

#[test]
fn the_running_block_tells_how_fast_it_goes() {
    let env = env();
    keep(&env, ID, &[used(&env, "2026-11-10T22:30:00Z", "m1", OPUS, [1000, 0, 0, 0, 0])]);
    let run = |args: &[&str]| {
        let mut command = env.command(env.binary(), env.project());
        let output =
            command.env("WAYPOST_TEST_TIME", "2026-11-11T00:30:00.000Z").args(args).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let told: Value = serde_json::from_str(&run(&["cost", "--by", "block", "--json"])).unwrap();
    let row = &told["rows"][0];
    assert_eq!((&row["running"], &row["ends"]), (&json!(true), &json!("2026-11-11T03:00:00.000Z")));
    is_usd(&row["usd_per_hour"], 0.002);
    is_usd(&row["tokens_per_hour"], 500.0);
    let shown = run(&["cost", "--by", "block"]);
    assert!(shown.contains("uses 500 tokens an hour: 0.00 USD"), "{shown}");
}

#[test]
fn numbers_that_no_message_can_have_used_are_lines_that_cannot_be_read() {
    let env = env();
    let good = used(&env, "2026-11-10T10:00:00Z", "m0", OPUS, [1000, 0, 0, 0, 0]);
    let odd = [json!(-5), json!("many"), json!(1.5), json!(u64::MAX), json!([1]), json!(1e300)];
    let mut lines = vec![good];
    for (at, number) in odd.iter().enumerate() {
        let usage = json!({"input_tokens": number, "output_tokens": 3});
        lines.push(line(&env, "2026-11-10T10:00:00Z", &format!("odd{at}"), OPUS, &usage));
    }
    lines.push(line(&env, "2026-11-10T10:00:00Z", "none", OPUS, &json!({"input_tokens": null})));
    keep(&env, ID, &lines);
    let file = folder(&env).join(format!("{ID}.jsonl"));
    let nan = "{\"type\":\"assistant\",\"message\":{\"usage\":{\"input_tokens\":NaN}}}\n";
    fs::write(&file, fs::read_to_string(&file).unwrap() + nan).unwrap();
    rollout(&env, "hostile", &json!({}), &[(u64::MAX, u64::MAX)]);
    let told = cost(&env, &[]);
    is_usd(&told["total_usd"], 0.004);
    assert_eq!(told["unreadable"], odd.len() + 2, "{told}");
}

#[test]
fn what_a_client_says_that_it_cost_is_what_it_cost() {
    let env = env();
    fs::create_dir_all(folder(&env)).unwrap();
    fs::write(folder(&env).join(format!("{ID}.jsonl")), RECORDED).unwrap();
    let lines = RECORDED.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut totals = lines.filter(|line| line["type"] == "cost-state");
    let total = totals.next_back().unwrap()["totalCostUSD"].as_f64().unwrap();
    let told = cost(&env, &["--all"])["total_usd"].as_f64().unwrap();
    assert!((told - total).abs() <= total / 100.0, "{told} is not {total}");
}

#[test]
fn a_session_is_told_by_the_conversations_that_its_records_name() {
    let env = env();
    env.init();
    env.begin();
    let session = env.json(&["list", "--json"])[0]["session_id"].as_str().unwrap().to_owned();
    keep(&env, "s1", &[used(&env, "2026-11-10T10:00:00Z", "m1", OPUS, [1000, 0, 0, 0, 0])]);
    keep(&env, OTHER, &[used(&env, "2026-11-10T10:00:00Z", "m2", OPUS, [500, 0, 0, 0, 0])]);
    let told = cost(&env, &["--by", "session"]);
    assert_eq!(keys(&told), [session.as_str(), "no session"]);
    is_usd(&told["rows"][0]["usd"], 0.004);
}

#[test]
fn a_table_reads_well() {
    let env = env();
    keep(
        &env,
        ID,
        &[
            used(
                &env,
                "2026-11-10T10:00:00Z",
                "m1",
                OPUS,
                [1_234_567, 20_000, 30_000_000, 4000, 500],
            ),
            used(&env, "2026-11-11T10:00:00Z", "m2", "mystery-1", [1000, 100, 0, 0, 0]),
        ],
    );
    let told = format!("{}\n{}", everything(&env.waypost(&["cost"])), env.ok(&["cost", "--help"]));
    insta::assert_snapshot!(told);
}
