//! The MCP server over pipes, as a client of either revision of the protocol meets it.

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, NEWER, OLDER};
use waypost_testkit::{TestEnv, everything};

const GATES: &str = r#"
[project]

[[gate]]
id = "reviewed"
level = "must"
before = ["push"]
proof = { approval = true }
message = "Let somebody review it."

[[gate]]
id = "said"
level = "should"
before = ["stop"]
scope = "session"
proof = { ran = "./check.sh" }
accept = "claimed"
message = "Say that it was read."
"#;

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A project with gates and one session.
fn project() -> (TestEnv, String) {
    let env = env();
    env.init_with(GATES);
    let id = env.start("Add login");
    (env, id)
}

/// Every byte of every stream.
fn streams(env: &TestEnv) -> Vec<Vec<u8>> {
    let folder = std::fs::read_dir(env.store().join("sessions")).into_iter().flatten().flatten();
    let mut paths: Vec<_> = folder.map(|entry| entry.path().join("events.jsonl")).collect();
    paths.push(env.store().join("project/events.jsonl"));
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap_or_default()).collect()
}

#[test]
fn both_revisions_are_served_from_their_first_request_on() {
    let (env, id) = project();
    for revision in [OLDER, NEWER] {
        let mut client = Client::start(&env, revision, &[]);
        if revision == NEWER {
            let found = client.result("server/discover", json!({}));
            let versions = found["supportedVersions"].to_string();
            assert!(versions.contains(OLDER) && versions.contains(NEWER), "{versions}");
            assert!(found["instructions"].as_str().unwrap().contains("session_brief"));
            assert!(found["ttlMs"].is_u64(), "{found}");
        }
        let tools = client.result("tools/list", json!({}));
        let named: Vec<&str> = tools["tools"].as_array().unwrap().iter().map(name_of).collect();
        assert_eq!(named.first(), Some(&"session_start"));
        assert!(named.contains(&"requirement_status"));
        let state = client.works("session_get_state", json!({}));
        assert_eq!((&state["session_id"], &state["version"]), (&json!(id), &json!(1)));
        assert_eq!(client.end(), Some(0));
    }
}

fn name_of(tool: &Value) -> &str {
    tool["name"].as_str().unwrap_or_default()
}

#[test]
fn the_handshake_tells_who_serves() {
    let (env, _) = project();
    let mut client = Client::start(&env, NEWER, &[]);
    let about = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": OLDER, "capabilities": {}, "clientInfo": about});
    let found = client.result("initialize", params);
    assert_eq!(found["serverInfo"]["name"], "waypost");
    assert_eq!(found["serverInfo"]["title"], "Waypost");
    assert_eq!(found["protocolVersion"], OLDER);
    assert_eq!(found["capabilities"]["resources"]["subscribe"], true);
}

#[test]
fn what_a_client_gave_wrongly_is_a_readable_answer_and_changes_nothing() {
    let (env, id) = project();
    env.start("Add logout");
    env.ok(&["switch", "--none"]);
    let mut client = Client::start(&env, OLDER, &[]);
    let before = streams(&env);
    for (tool, given, said) in [
        ("session_pause", json!({"reason": 5, "session_id": id}), "argument `reason`"),
        ("session_pause", json!({"session_id": id}), "missing field `reason`"),
        ("session_pause", json!({"reason": "x", "why": 1}), "unknown field `why`"),
        ("session_add_note", json!({"kind": "n", "text": ["x"]}), "argument `text`"),
        ("session_list", json!({"status": "asleep"}), "argument `status`"),
        ("session_brief", json!({"budget": -1}), "argument `budget`"),
        ("session_get_state", json!({"session_id": 1}), "argument `session_id`"),
        ("session_get_state", json!({"expected_version": "1"}), "argument `expected_version`"),
        ("session_show", json!({"session_id": "../../key"}), "cannot be an id"),
        ("session_resume", json!({"session_id": "/etc/passwd"}), "cannot be an id"),
        ("session_get_state", json!({"session_id": "2026"}), "fits 2 sessions"),
        ("session_get_state", json!({"session_id": "1999"}), "no session begins with"),
        ("session_add_note", json!({"kind": "n", "text": "x"}), "2 active sessions"),
        ("session_add_commit", json!({"sha": "-x", "message": "m", "session_id": id}), "no commit"),
        ("requirement_satisfy", json!({"name": "review", "session_id": id}), "did you mean"),
    ] {
        let text = client.refused(tool, given.clone());
        assert!(text.contains(said), "{tool} {given}: {text}");
    }
    for arguments in [json!("text"), json!(5), json!([1])] {
        let text = client.refused("session_get_state", arguments);
        assert!(text.contains("`arguments` has to be an object"), "{text}");
    }
    assert_eq!(streams(&env), before);
    let unknown = client.ask("tools/call", json!({"name": "session_fly", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn a_refusal_names_the_tools_that_the_client_has_and_commands_for_the_rest() {
    let (env, id) = project();
    let unknown = json!({"session_id": "1999"});
    let own = json!({"session_id": id});
    let mut all = Client::start(&env, OLDER, &[]);
    let mut few = Client::start(&env, OLDER, &["--toolsets", "workflow"]);
    for (has_all, given, said) in [
        (true, &unknown, "\nNext: session_list shows them"),
        (false, &unknown, "\nNext: `waypost list --all` shows them"),
        (true, &own, "\nNext: session_start begins a session that follows one"),
        (false, &own, "\nNext: `waypost start --objective \"…\"` begins a session"),
        (false, &own, "\nNext: workflow_start with workflow full begins one; workflow_list"),
    ] {
        let client = if has_all { &mut all } else { &mut few };
        let text = client.refused("workflow_get_phase", given.clone());
        assert!(text.contains(said), "{given}: {text}");
    }
    env.ok(&["pause", "--reason", "x"]);
    let result = all.call("session_pause", json!({"reason": "y", "session_id": id}));
    let resume = format!("resume it: call session_resume with session_id {id}");
    assert_eq!(result["structuredContent"]["error"]["next"], json!([resume]), "{result}");
    let person = everything(&env.waypost(&["pause", &id, "--reason", "y"]));
    assert!(person.contains(&format!("resume it: waypost resume {id}")), "{person}");
}

#[test]
fn a_version_that_is_not_current_any_more_is_a_typed_conflict() {
    let (env, id) = project();
    let mut client = Client::start(&env, OLDER, &[]);
    let note = |version: u64| json!({"kind": "note", "text": "x", "expected_version": version});
    assert_eq!(client.works("session_add_note", note(1))["version"], 2);
    env.ok(&["note", "add", "from elsewhere"]);
    let before = streams(&env);
    for (tool, given) in [
        ("session_add_note", note(2)),
        ("session_get_state", json!({"expected_version": 2})),
        ("session_show", json!({"session_id": id, "expected_version": 2})),
        ("requirement_satisfy", json!({"name": "said", "expected_version": 2})),
        ("session_pause", json!({"reason": "x", "expected_version": 2})),
    ] {
        let result = client.call(tool, given);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["kind"], "conflict", "{tool}: {result}");
        assert_eq!((&error["expected"], &error["actual"]), (&json!(2), &json!(3)), "{tool}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("version 3") && text.contains("version 2"), "{text}");
    }
    assert_eq!(streams(&env), before);
    assert_eq!(client.works("session_add_note", note(3))["version"], 4);
}

#[test]
fn what_an_agent_says_of_a_gate_is_claimed_and_not_more() {
    let (env, _) = project();
    let mut client = Client::start(&env, OLDER, &[]);
    let said = client.works("requirement_satisfy", json!({"name": "reviewed"}));
    assert_eq!((&said["provenance"], &said["satisfied"]), (&json!("claimed"), &json!(false)));
    let given = json!({"name": "said", "metadata": {"by": "me"}});
    let said = client.works("requirement_satisfy", given);
    assert_eq!(said["satisfied"], true, "{said}");
    let found = client.works("requirement_status", json!({"name": "said"}));
    assert_eq!(found["gates"][0]["status"], "met", "{found}");
    assert_eq!(client.works("requirement_clear", json!({"name": "said"}))["satisfied"], false);
    let history = env.json(&["history", "--json"]).to_string();
    assert!(history.contains(r#""harness":"mcp""#), "{history}");
}

#[test]
fn a_session_is_paused_found_and_resumed() {
    let (env, id) = project();
    let mut client = Client::start(&env, NEWER, &[]);
    let given = json!({"reason": "Waiting for \u{1b}[31mreview", "context": "Form done"});
    client.works("session_pause", given);
    let listed = client.works("session_list", json!({"status": "paused"}));
    assert_eq!(listed["sessions"][0]["session_id"], json!(id));
    let resumed = client.works("session_resume", json!({}));
    assert_eq!(resumed["pause"]["reason"], "Waiting for [31mreview");
    let shown = client.works("session_show", json!({}));
    assert_eq!(shown["state"]["lifecycle"], "active");
    let brief = client.works("session_brief", json!({"budget": 60}));
    assert!(brief["brief"].as_str().unwrap().contains("Add login"), "{brief}");
    assert!(brief["brief"].as_str().unwrap().len() <= 180, "{brief}");
}

#[test]
fn only_the_chosen_tools_are_there_and_a_misspelt_choice_is_explained() {
    let (env, _) = project();
    let mut client = Client::start(&env, OLDER, &["--toolsets", "requirements"]);
    let tools = client.result("tools/list", json!({}));
    let tools = tools["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| name_of(tool).starts_with("requirement_")), "{tools:?}");
    let other = client.ask("tools/call", json!({"name": "session_list", "arguments": {}}));
    assert_eq!(other["error"]["code"], -32602);
    let output = env.waypost(&["mcp", "--toolsets", "sesion"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(everything(&output).contains("did you mean `session`?"), "{}", everything(&output));
}

#[test]
fn without_a_key_neither_server_starts() {
    let env = env();
    for command in ["mcp", "serve"] {
        let output = env.waypost(&[command]);
        assert_eq!(output.status.code(), Some(2), "{}", everything(&output));
        assert!(everything(&output).contains("key"), "{}", everything(&output));
    }
}

#[test]
fn outside_a_project_the_server_says_what_to_do() {
    let env = env();
    env.init();
    std::fs::remove_file(env.project().join("waypost.toml")).unwrap();
    std::fs::remove_dir_all(env.store()).unwrap();
    let mut client = Client::start(&env, OLDER, &[]);
    let text = client.refused("session_get_state", json!({}));
    assert!(text.contains("waypost init"), "{text}");
    let read = client.ask("resources/read", json!({"uri": "session://state"}));
    assert!(read["error"]["message"].as_str().unwrap().contains("waypost init"), "{read}");
    // A project that is set up meanwhile is found.
    env.ok(&["init"]);
    env.start("Add login");
    client.works("session_get_state", json!({}));
}

#[test]
fn a_server_that_was_killed_goes_on_where_it_was() {
    let (env, _) = project();
    let mut client = Client::start(&env, OLDER, &[]);
    client.works("session_add_note", json!({"kind": "note", "text": "before"}));
    client.kill();
    let mut client = Client::start(&env, OLDER, &[]);
    let shown = client.works("session_show", json!({}));
    assert_eq!(shown["notes"][0]["text"], "before", "{shown}");
    client.works("session_add_note", json!({"kind": "note", "text": "after"}));
    env.ok(&["verify", "--all"]);
}
