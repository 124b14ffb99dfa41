//! Resources, change notifications, prompts and completions of the MCP server.

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER, OLDER, request};

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

fn project() -> (TestEnv, String) {
    let env = env();
    env.init_with(
        "[project]\n\n[[gate]]\nid = \"tests-pass\"\nlevel = \"must\"\nbefore = [\"stop\"]\n\
         proof = { ran = \"./check.sh\" }\nmessage = \"Run the tests.\"\n",
    );
    let id = env.start("Add login");
    (env, id)
}

fn read(client: &mut Client, uri: &str) -> (String, String) {
    let result = client.result("resources/read", json!({"uri": uri}));
    assert!(result["ttlMs"].as_u64() > Some(0), "{result}");
    let content = &result["contents"][0];
    let text = |name: &str| content[name].as_str().unwrap_or_default().to_owned();
    (text("mimeType"), text("text"))
}

#[test]
fn every_resource_is_read_with_and_without_an_id() {
    let (env, id) = project();
    let mut client = Client::start(&env, OLDER, &[]);
    for prefix in ["session://".to_owned(), format!("session://{id}/")] {
        for (kind, mime_type, holds) in [
            ("state", "application/json", "Add login"),
            ("checklist", "application/json", "\"FAIL\""),
            ("history", "application/json", "session started: Add login"),
            ("violations", "application/json", "\"violations\": []"),
            ("brief", "text/plain", "Next: "),
            ("dashboard", "text/markdown", "### Open gates"),
        ] {
            let (found, text) = read(&mut client, &format!("{prefix}{kind}"));
            assert_eq!(found, mime_type, "{prefix}{kind}");
            assert!(text.contains(holds), "{prefix}{kind}: {text}");
        }
    }
    let (_, state) = read(&mut client, "session://state");
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state, env.json(&["status", "--json"]));
    let listed = client.result("resources/list", json!({}));
    assert_eq!(listed["resources"].as_array().unwrap().len(), 6);
    let templates = client.result("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 7);
}

#[test]
fn what_is_no_resource_is_not_found() {
    let (env, _) = project();
    for (revision, code) in [(OLDER, -32002), (NEWER, -32602)] {
        let mut client = Client::start(&env, revision, &[]);
        for uri in [
            "session://2026-01-01_x_abcdef/state",
            "session://../../config/waypost/key",
            "session://../state",
            "session://state/..",
            "file:///etc/passwd",
        ] {
            let answer = client.ask("resources/read", json!({"uri": uri}));
            assert_eq!(answer["error"]["code"], code, "{uri}: {answer}");
            assert_eq!(answer["error"]["data"]["uri"], uri, "{answer}");
        }
    }
}

#[test]
fn history_is_bounded_however_long_it_is() {
    let (env, _) = project();
    for number in 0..220 {
        env.ok(&["note", "add", &format!("note {number}")]);
    }
    let mut client = Client::start(&env, OLDER, &[]);
    let (_, history) = read(&mut client, "session://history");
    let history: Value = serde_json::from_str(&history).unwrap();
    assert_eq!(history["records"].as_array().unwrap().len(), 200);
    assert_eq!((&history["total"], &history["left_out"]), (&json!(221), &json!(21)));
    assert!(history["records"][199]["summary"].as_str().unwrap().contains("note 219"));
}

#[test]
fn the_last_sessions_are_told_of_also_where_none_is_at_hand() {
    let env = env();
    env.init_with("[project]\n");
    let mut client = Client::start(&env, OLDER, &[]);
    let past = |client: &mut Client| {
        serde_json::from_str::<Value>(&read(client, "session://history").1).unwrap()
    };
    let nothing = past(&mut client);
    assert_eq!((&nothing["session_id"], &nothing["sessions"]), (&Value::Null, &json!([])));
    for number in 0..12 {
        let id = env.start(&format!("Work {number}"));
        env.ok(&["note", "add", "--session", &id, "--kind", "decision", "Keep it\u{7} simple"]);
        env.write_spec(&id);
        env.ok(&["end", &id, "--summary", "done", "--next-notes", "go on"]);
    }
    let found = past(&mut client);
    let sessions = found["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 10, "the last ten");
    let names: Vec<&str> = sessions.iter().map(|one| one["objective"].as_str().unwrap()).collect();
    assert!(names.iter().all(|name| name.starts_with("Work ")), "{names:?}");
    assert_eq!(sessions[0]["outcome"], "COMPLETE");
    assert_eq!(
        (&sessions[0]["summary"], &sessions[0]["commit_sha"]),
        (&json!("done"), &Value::Null)
    );
    assert_eq!(sessions[0]["next_session_notes"], "go on");
    let decisions = sessions[0]["key_decisions"].to_string();
    assert!(decisions.contains("Keep it") && !decisions.contains('\u{7}'), "{decisions}");
    let all = env.json(&["list", "--history", "--all", "--json"]);
    assert_eq!(all.as_array().unwrap().len(), 12);
    let told = env.ok(&["list", "--history"]);
    assert!(told.contains("COMPLETE  Work ") && told.contains("  next go on"), "{told}");
}

#[test]
fn violations_of_all_sessions_are_told_together_and_each_by_itself() {
    let env = env();
    env.init_with("[project]\nprotocol = \"builtin\"\n");
    env.write(".agents/notes.md", "x\n");
    let mut client = Client::start(&env, OLDER, &[]);
    let mut ids = Vec::new();
    for objective in ["One", "Two"] {
        let started = client.works("session_start", json!({"objective": objective}));
        let id = started["session_id"].as_str().unwrap().to_owned();
        client.works("advance_phase", json!({"target_phase": "WORKING"}));
        env.write(&format!(".agents/sessions/{id}.md"), "| MUST | Commit | [x] | |\n");
        env.git(&["add", "-A"]);
        env.git(&["commit", "-q", "-m", objective]);
        let ended = client.works("session_end", json!({"summary": "done"}));
        assert_eq!(ended["status"], "COMPLETE", "{ended}");
        ids.push(id);
    }
    let all: Value = serde_json::from_str(&read(&mut client, "session://violations").1).unwrap();
    let of = |found: &Value| {
        let found = found["violations"].as_array().unwrap().iter();
        found.map(|one| one["session_id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let found: Vec<String> = of(&all);
    assert_eq!(found, ids);
    assert_eq!((&all["total"], &all["left_out"]), (&json!(2), &json!(0)));
    let (_, one) = read(&mut client, &format!("session://{}/violations", ids[0]));
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!((&one["session_id"], &one["total"]), (&json!(ids[0]), &json!(1)));
    assert_eq!(one["violations"][0]["phase"], "SESSION_LOG");
    let told = env.ok(&["violations", "--all"]);
    assert!(
        told.contains("One") && told.contains("Two") && told.contains("came to hold: "),
        "{told}"
    );
}

#[test]
fn a_subscriber_of_the_older_revision_hears_of_changes_by_others() {
    let (env, id) = project();
    let mut client = Client::start(&env, OLDER, &[]);
    let uri = format!("session://{id}/state");
    client.result("resources/subscribe", json!({"uri": uri}));
    env.ok(&["note", "add", "from elsewhere"]);
    let told = client.next_message();
    assert_eq!(told["method"], "notifications/resources/updated", "{told}");
    assert_eq!(told["params"]["uri"], json!(uri));
    client.result("resources/unsubscribe", json!({"uri": uri}));
    let wrong = client.ask("resources/subscribe", json!({"uri": "session://../x"}));
    assert!(wrong["error"]["code"].is_i64(), "{wrong}");
}

#[test]
fn whoever_subscribes_again_and_again_is_told_once() {
    let (env, one) = project();
    let other = env.start("Add logout");
    let mut client = Client::start(&env, OLDER, &[]);
    let uri = |id: &str| json!({"uri": format!("session://{id}/state")});
    for _ in 0..50 {
        client.result("resources/subscribe", uri(&one));
        client.result("resources/unsubscribe", uri(&one));
    }
    client.result("resources/subscribe", uri(&one));
    client.result("resources/subscribe", uri(&other));
    for id in [&one, &other, &one, &other] {
        env.ok(&["note", "add", "--session", id, "x"]);
        assert_eq!(client.next_message()["params"], uri(id));
    }
}

#[test]
fn whoever_wants_to_know_of_something_else_is_told_of_that() {
    let (env, one) = project();
    let other = env.start("Add logout");
    let mut client = Client::start(&env, OLDER, &[]);
    let uri = |id: &str| json!({"uri": format!("session://{id}/state")});
    client.result("resources/subscribe", uri(&one));
    for (id, next) in [(&one, &other), (&other, &one)] {
        env.ok(&["note", "add", "--session", id, "x"]);
        assert_eq!(client.next_message()["params"], uri(id));
        client.result("resources/unsubscribe", uri(id));
        client.result("resources/subscribe", uri(next));
    }
}

#[test]
fn a_client_subscribes_to_so_many_resources_and_no_more() {
    const MAX: usize = 256;
    let (env, _) = project();
    let mut client = Client::start(&env, OLDER, &[]);
    let uris: Vec<String> =
        (0..=MAX).map(|number| format!("session://2026-01-01_x_{number:06x}/state")).collect();
    for uri in &uris[..MAX] {
        client.result("resources/subscribe", json!({"uri": uri}));
    }
    let answer = client.ask("resources/subscribe", json!({"uri": uris[MAX]}));
    let told = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("256 resources") && told.contains("unsubscribe"), "{answer}");
    client.result("resources/subscribe", json!({"uri": uris[0]}));
    client.result("resources/unsubscribe", json!({"uri": uris[0]}));
    client.result("resources/subscribe", json!({"uri": uris[MAX]}));
    let mut client = Client::start(&env, NEWER, &[]);
    let params = json!({"notifications": {"resourceSubscriptions": uris}});
    client.send(&request(NEWER, 900, "subscriptions/listen", params));
    let acknowledged = client.next_message();
    let accepted = &acknowledged["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(accepted, &json!(uris[..MAX]));
    client.kill();
}

#[test]
fn a_listener_of_the_newer_revision_hears_of_changes_by_others() {
    let (env, _) = project();
    let mut client = Client::start(&env, NEWER, &[]);
    let wanted = json!({"resourceSubscriptions": ["session://brief", "session://../x"]});
    let params = json!({"notifications": wanted});
    client.send(&request(NEWER, 900, "subscriptions/listen", params));
    let acknowledged = client.next_message();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    let accepted = &acknowledged["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(accepted, &json!(["session://brief"]), "{acknowledged}");
    // Others are answered while it listens.
    client.works("session_get_state", json!({}));
    env.ok(&["note", "add", "from elsewhere"]);
    let told = client.next_message();
    assert_eq!(told["method"], "notifications/resources/updated", "{told}");
    assert_eq!(told["params"]["uri"], "session://brief");
    let subscription = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(subscription, &json!(900), "{told}");
}

#[test]
fn prompts_are_written_out_with_what_is_known() {
    let (env, id) = project();
    let mut client = Client::start(&env, OLDER, &[]);
    let listed = client.result("prompts/list", json!({}));
    assert_eq!(listed["prompts"].as_array().unwrap().len(), 2);
    let got = client.result("prompts/get", json!({"name": "resume"}));
    assert!(got["messages"][0]["content"]["text"].as_str().unwrap().contains("Add login"));
    let given = json!({"session_id": &id[..15], "to": "a reviewer"});
    let got = client.result("prompts/get", json!({"name": "handoff", "arguments": given}));
    let text = got["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("To: \"a reviewer\"") && text.contains(&id), "{text}");
    for wrong in [
        json!({"name": "fly"}),
        json!({"name": "handoff", "arguments": {"when": "now"}}),
        json!({"name": "resume", "arguments": {"session_id": "1999"}}),
    ] {
        let answer = client.ask("prompts/get", wrong.clone());
        assert_eq!(answer["error"]["code"], -32602, "{wrong}: {answer}");
    }
}

#[test]
fn sessions_gates_and_phases_are_completed() {
    let (env, id) = project();
    let mut client = Client::start(&env, OLDER, &[]);
    let template = json!({"type": "ref/resource", "uri": "session://{session_id}/state"});
    let prompt = json!({"type": "ref/prompt", "name": "handoff"});
    for (reference, name, value, expected) in [
        (&template, "session_id", "2026", vec![id.as_str()]),
        (&prompt, "session_id", "", vec![id.as_str()]),
        (&prompt, "session_id", "1999", vec![]),
        (&prompt, "gate", "te", vec!["tests-pass"]),
        (&prompt, "phase", "b", vec!["build"]),
        (&prompt, "to", "b", vec![]),
    ] {
        let argument = json!({"name": name, "value": value});
        let params = json!({"ref": reference, "argument": argument});
        let found = client.result("completion/complete", params);
        assert_eq!(found["completion"]["values"], json!(expected), "{name} {value}");
    }
}
