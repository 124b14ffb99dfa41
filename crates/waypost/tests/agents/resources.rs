//! What resources tell of agents, however much there is of it.

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, OLDER};

use super::{calls, env, subagent, with};

fn text(client: &mut Client, uri: &str) -> String {
    let read = client.result("resources/read", json!({"uri": uri}));
    read["contents"][0]["text"].as_str().unwrap().to_owned()
}

fn read(client: &mut Client, uri: &str) -> Value {
    serde_json::from_str(&text(client, uri)).unwrap()
}

/// What a list holds, with what was left out of it before.
fn whole(client: &mut Client, uri: &str, list: &str) -> Vec<Value> {
    let mut uri = uri.to_owned();
    let mut all = Vec::new();
    loop {
        let told = read(client, &uri);
        let own = told[list].as_array().unwrap().clone();
        let parts = ["invocations", "decisions", "verdicts"].map(|list| told[list].as_array());
        assert!(parts.into_iter().flatten().any(|list| !list.is_empty()), "{uri} goes on");
        all.splice(..0, own);
        let Some(earlier) = told["earlier"].as_str() else { return all };
        earlier.clone_into(&mut uri);
    }
}

#[test]
fn a_note_path_leads_to_all_of_its_invocations_however_long_they_are() {
    let env = env();
    env.init();
    env.start("Add login");
    let mut client = Client::start(&env, OLDER, &[]);
    let long = "long ".repeat(12_000);
    for number in 0..11 {
        let given = json!({"agent": "qa", "prompt": format!("{number} {long}"), "artifacts": ["a.txt"],
            "context": {"about": &long[..50_000]}});
        client.works("agent_invoke", given);
    }
    let listed = env.json(&["agent", "list", "--json"]);
    let compaction = &listed["compactions"][0];
    let found = whole(&mut client, compaction["note_path"].as_str().unwrap(), "invocations");
    assert_eq!(compaction["count"], found.len());
    assert_eq!(
        found[..],
        listed["invocations"].as_array().unwrap()[..8],
        "in their order, each once"
    );
}

#[test]
fn every_decision_and_verdict_is_read_whatever_came_after_it() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    let mut client = Client::start(&env, OLDER, &[]);
    for number in 0..210 {
        let given = json!({"type": "scope", "description": format!("{number}"), "rationale": "r",
            "decided_by": "architect"});
        client.works("decision_record", given);
        if number % 100 == 0 {
            let given = json!({"agent": "security", "decision": "reject", "confidence": 0.5,
                "reasoning": format!("{number}")});
            client.works("verdict_record", given);
        }
        client.works("session_add_note", json!({"kind": "note", "text": "something else"}));
    }
    let decided = env.json(&["decision", "list", "--json"])["decisions"].clone();
    let judged = env.json(&["verdict", "list", "--json"])["verdicts"].clone();
    assert_eq!((decided.as_array().unwrap().len(), judged.as_array().unwrap().len()), (210, 3));
    for uri in ["session://history".to_owned(), format!("session://{id}/history")] {
        assert_eq!(json!(whole(&mut client, &uri, "decisions")), decided, "{uri}");
        assert_eq!(json!(whole(&mut client, &uri, "verdicts")), judged, "{uri}");
    }
}

fn changed_by_another(env: &TestEnv) {
    let other = json!({"session_id": "s2"});
    env.hook("SessionStart", &with(json!({"source": "startup"}), &other));
    env.hook("UserPromptSubmit", &with(json!({"prompt": "go"}), &other));
    let call = json!({"tool_name": "Write", "tool_use_id": "w", "tool_response": {},
        "tool_input": {"file_path": env.project().join("app.txt"), "content": "new\n"}});
    env.hook("PreToolUse", &with(call.clone(), &other));
    env.write("app.txt", "new\n");
    env.hook("PostToolUse", &with(call, &other));
}

#[test]
fn the_dashboard_tells_who_is_at_work_what_waits_and_who_changed_which_file() {
    let env = env();
    env.init();
    changed_by_another(&env);
    env.begin();
    env.hook("SubagentStart", &subagent("a1", "qa"));
    let mut client = Client::start(&env, OLDER, &[]);
    let given = json!({"from_agent": "implementer", "to_agent": "qa", "reason": "It | works <b>",
        "context": "c"});
    let handed = client.works("handoff_create", given);
    let given = json!({"agent": "security", "decision": "conditional", "confidence": 0.5,
        "reasoning": "r", "conditions": ["Limit the *tries*"]});
    calls(&env, &mut client, &json!({}), "verdict_record", &given);
    let id = handed["session_id"].clone();
    for uri in
        ["session://dashboard".to_owned(), format!("session://{}/dashboard", id.as_str().unwrap())]
    {
        let page = text(&mut client, &uri);
        for line in [
            "- at work: qa".to_owned(),
            format!(
                "- **{}** from implementer to qa: It \\| works \\<b>.",
                handed["handoff_id"].as_str().unwrap()
            ),
            "Limit the \\*tries\\*".to_owned(),
            "- claude-code s2 changed app.txt (just now)".to_owned(),
        ] {
            assert!(page.contains(&line), "{uri}: {line} in {page}");
        }
    }
}
