//! Many calls at once: in one server, in several, with hooks and commands beside them. Every answer
//! is right.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, NEWER, request};
use waypost_testkit::{TestEnv, everything};

const CALLS: u64 = 64;
const SERVERS: usize = 8;

/// Asks for the gates so often, without waiting for an answer in between.
fn ask_many(client: &mut Client, calls: u64) {
    for number in 0..calls {
        let about = json!({"name": "requirement_status", "arguments": {}});
        client.send(&request(NEWER, 10_000 + number, "tools/call", about));
    }
}

/// Every answer says that the gate holds.
fn all_hold(client: &mut Client, calls: u64) {
    let mut answered = BTreeSet::new();
    while answered.len() < usize::try_from(calls).unwrap() {
        let message = client.next_message();
        let Some(id) = message["id"].as_u64().filter(|id| *id >= 10_000) else { continue };
        let told: &Value = &message["result"]["structuredContent"];
        assert_eq!(told["satisfied"], true, "{message}");
        assert_eq!(told["gates"][0]["status"], "met", "{message}");
        assert!(answered.insert(id), "{message}");
    }
}

#[test]
fn sixty_four_calls_in_one_server_and_seven_servers_beside_it_are_all_answered_rightly() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    for number in 0..60 {
        env.write(&format!("src/new-{number}.txt"), "new\n");
    }
    env.ok(&["run", "--", "./check.sh"]);
    let mut clients: Vec<Client> = (0..SERVERS).map(|_| Client::start(&env, NEWER, &[])).collect();
    std::thread::scope(|scope| {
        for (number, client) in clients.iter_mut().enumerate() {
            let calls = if number == 0 { CALLS } else { 4 };
            scope.spawn(move || {
                ask_many(client, calls);
                all_hold(client, calls);
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for number in 0..6 {
                    let note = env.waypost(&["note", "add", &format!("note {number}")]);
                    assert!(note.status.success(), "{}", everything(&note));
                    let checked = env.waypost(&["gate", "check"]);
                    assert!(checked.status.success(), "{}", everything(&checked));
                    let read = json!({
                        "tool_name": "Read", "tool_use_id": format!("r{number}"),
                        "tool_input": {"file_path": env.project().join("src/lib.txt")},
                    });
                    assert_eq!(env.hook("PreToolUse", &read).denied(), None);
                }
            });
        }
    });
    assert_eq!(env.stop().held(), None, "the run still counts");
    env.ok(&["verify", "--all"]);
}
