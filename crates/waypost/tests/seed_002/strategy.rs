//! The tests that the second seed names and that no other module holds, under names that point to them.

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, OLDER};
use waypost_testkit::{TestEnv, everything};

use crate::{accepted, begun, get_state, set_state};

/// As many at once, with as many turns each.
const WRITERS: u64 = 8;

fn client(env: &TestEnv) -> Client {
    Client::start(env, OLDER, &["--toolsets", "orchestration"])
}

fn list<'s>(state: &'s Value, name: &str) -> &'s [Value] {
    state["orchestratorWorkflow"][name].as_array().unwrap()
}

#[test]
fn seed_002_a_session_that_its_start_hook_began_is_read_by_the_command() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\nmode = \"planning\"\n");
    env.begin();
    let state = get_state(&env);
    let status = env.json(&["status", "--json"]);
    assert_eq!((&state["sessionId"], &state["mode"]), (&status["session_id"], &json!("planning")));
    let denied = env.before_edit(&env.project().join("src/lib.txt")).denied().unwrap();
    assert!(denied.contains("planning"), "{denied}");
    env.ok(&["mode", "coding"]);
    assert_eq!(get_state(&env)["mode"], "coding");
    assert_eq!(env.before_edit(&env.project().join("src/lib.txt")).denied(), None);
}

#[test]
fn seed_002_an_agents_work_is_followed_from_its_beginning_to_its_end() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    env.begin();
    let agent = json!({"agent_id": "a1", "agent_type": "security"});
    env.hook("SubagentStart", &agent);
    let at_work = get_state(&env);
    assert_eq!(at_work["orchestratorWorkflow"]["activeAgent"], "security");
    let begun = &list(&at_work, "agentHistory")[0];
    assert_eq!((&begun["status"], &begun["output"]), (&json!("in_progress"), &Value::Null));
    // Whoever says that it is done does not know it better than the hook that saw it begin.
    let mut said = at_work.clone();
    let output = json!({"summary": "done", "artifacts": [], "recommendations": [], "blockers": []});
    said["orchestratorWorkflow"]["agentHistory"][0]["status"] = json!("completed");
    said["orchestratorWorkflow"]["agentHistory"][0]["output"] = output;
    let told = crate::refused(&env, &said);
    assert!(told.contains("hooks see when it is done"), "{told}");
    env.hook("SubagentStop", &agent);
    let done = get_state(&env);
    let ended = &list(&done, "agentHistory")[0];
    assert_eq!(ended["status"], "completed");
    assert!(ended["completedAt"].is_string() && ended["output"].is_object(), "{ended:#}");
    assert_eq!(done["orchestratorWorkflow"]["activeAgent"], Value::Null);
}

#[test]
fn seed_002_of_writers_with_the_same_version_one_is_taken_and_the_others_are_told() {
    let env = begun();
    for turn in 0..4_u64 {
        let version = get_state(&env)["version"].as_u64().unwrap();
        let attempt = |writer: u64| {
            let given = json!({"version": version, "task": format!("{turn}-{writer}")});
            set_state(&env, &given.to_string())
        };
        let outputs: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..WRITERS).map(|n| scope.spawn(move || attempt(n))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) =
            outputs.iter().partition(|output| output.status.success());
        assert_eq!(won.len(), 1, "turn {turn}");
        let conflict = json!({"conflict": {"expected": version, "actual": version + 1}});
        for output in lost {
            assert_eq!(output.status.code(), Some(1), "{}", everything(output));
            let told: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(told, conflict);
        }
        assert_eq!(get_state(&env)["version"], version + 1);
    }
}

#[test]
fn seed_002_writers_without_a_version_lose_nothing() {
    let env = begun();
    let add = |writer: u64| {
        for turn in 0..4 {
            let name = format!("writer {writer}, turn {turn}");
            // Whoever looked a moment ago may find that others have added something since.
            loop {
                let mut given = get_state(&env);
                given.as_object_mut().unwrap().remove("version");
                let known = given["orchestratorWorkflow"]["decisions"].as_array().cloned();
                let mut decisions = known.unwrap_or_default();
                decisions
                    .push(json!({"type": "process", "description": name, "decidedBy": "planner"}));
                let output = set_state(
                    &env,
                    &json!({"orchestratorWorkflow": {"decisions": decisions}}).to_string(),
                );
                if output.status.success() {
                    break;
                }
                assert!(
                    everything(&output).contains("is not what is recorded"),
                    "{}",
                    everything(&output)
                );
            }
        }
    };
    std::thread::scope(|scope| {
        let add = &add;
        for writer in 0..4 {
            scope.spawn(move || add(writer));
        }
    });
    let told = get_state(&env);
    let mut found: Vec<&str> = list(&told, "decisions")
        .iter()
        .map(|known| known["description"].as_str().unwrap())
        .collect();
    found.sort_unstable();
    let mut expected: Vec<String> = (0..4)
        .flat_map(|writer| (0..4).map(move |turn| format!("writer {writer}, turn {turn}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    env.ok(&["verify", "--all"]);
}

#[test]
fn seed_002_a_server_that_is_started_again_gives_the_same_state() {
    let env = begun();
    let mut first = client(&env);
    first.works("agent_invoke", json!({"agent": "qa", "prompt": "Try it"}));
    let verdict = json!({"agent": "qa", "decision": "conditional", "confidence": 0.5, "reasoning": "r",
        "conditions": ["Try it again"]});
    first.works("verdict_record", verdict);
    let before = get_state(&env);
    first.kill();
    assert_eq!(get_state(&env), before);
    let mut again = client(&env);
    again.works("agent_complete", json!({"agent": "qa", "summary": "It works"}));
    let after = get_state(&env);
    assert_eq!(after["version"], before["version"].as_u64().unwrap() + 1);
    assert_eq!(list(&after, "agentHistory")[0]["output"]["summary"], "It works");
    assert_eq!(list(&after, "verdicts"), list(&before, "verdicts"));
}

#[test]
fn seed_002_without_its_secret_the_server_does_not_start() {
    let env = begun();
    fs::remove_file(env.key_file()).unwrap();
    let output = env.waypost(&["mcp"]);
    assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
    assert!(output.stdout.is_empty(), "{}", everything(&output));
    assert!(everything(&output).contains("there is no key"), "{}", everything(&output));
}

#[test]
fn seed_002_history_leaves_the_state_above_ten_and_nothing_of_it_is_lost() {
    let env = begun();
    let mut client = client(&env);
    let mut known = Vec::new();
    let work = |turn: usize| json!({"agent": "implementer", "prompt": format!("turn {turn}")});
    for turn in 1..=50 {
        client.works("agent_invoke", work(turn));
        client.works("agent_complete", json!({"agent": "implementer", "summary": "done"}));
        known.push(format!("turn {turn}"));
        if ![1, 10, 11, 20, 50].contains(&turn) {
            continue;
        }
        let state = get_state(&env);
        let at_hand = list(&state, "agentHistory");
        let compacted = list(&state, "compactionHistory");
        // Eight leave at the eleventh, and again each time that eleven are at hand.
        let times = if turn < 11 { 0 } else { (turn - 11) / 8 + 1 };
        assert_eq!((at_hand.len(), compacted.len()), (turn - 8 * times, times), "after {turn}");
        let prompts = |list: &[Value]| -> Vec<String> {
            list.iter().map(|work| work["input"]["prompt"].as_str().unwrap().to_owned()).collect()
        };
        let mut all = Vec::new();
        for moved in compacted {
            let read = json!({"uri": moved["notePath"]});
            let read = client.result("resources/read", read);
            let told: Value =
                serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
            let archived = told["invocations"].as_array().unwrap();
            assert_eq!(moved["count"], archived.len());
            all.extend(archived.iter().map(|work| work["prompt"].as_str().unwrap().to_owned()));
        }
        all.extend(prompts(at_hand));
        assert_eq!(all, known, "after {turn}");
        assert_eq!(accepted(&env, &state), state, "it goes round, however often it was compacted");
    }
}
