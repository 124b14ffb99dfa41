//! Whose verdict a gate takes, and on what.

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, NEWER};
use waypost_testkit::{TestEnv, everything};

use super::{begun, calls, subagent, writes};

pub(super) fn gate(fresh: &str) -> String {
    format!(
        "[project]\n\n[[gate]]\nid = \"reviewed\"\nbefore = [\"commit\"]\nscope = \"session\"\n\
         proof = {{ verdict = \"approve\", agent = \"security\", min_confidence = 0.8{fresh} }}\n\
         message = \"Have security look at it.\"\n"
    )
}

pub(super) fn verdict(word: &str, sure: f64) -> Value {
    json!({"agent": "security", "decision": word, "confidence": sure, "reasoning": "Looked."})
}

/// A subagent comes, judges, and goes.
fn judged(env: &TestEnv, client: &mut Client, name: &str, kind: &str, said: &Value) -> Value {
    let by = subagent(name, kind);
    env.hook("SubagentStart", &by);
    let result = calls(env, client, &by, "verdict_record", said);
    env.hook("SubagentStop", &by);
    assert_ne!(result["isError"], true, "{result}");
    result["structuredContent"].clone()
}

pub(super) fn held(env: &TestEnv) -> Option<String> {
    env.before_bash("git commit -am x", "commit").denied()
}

fn why(env: &TestEnv) -> String {
    let gates = env.json(&["status", "--json"])["gates"].clone();
    gates[0]["why"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn only_the_agent_itself_gives_its_verdict() {
    for revision in [waypost_testkit::mcp::OLDER, NEWER] {
        let env = begun(&gate(""));
        let mut client = Client::start(&env, revision, &[]);
        assert!(held(&env).unwrap().contains("security has given no verdict"));
        let nobody = client.works("verdict_record", verdict("approve", 1.0));
        assert_eq!((&nobody["provenance"], &nobody["counts"]), (&json!("claimed"), &json!(false)));
        let main = calls(&env, &mut client, &json!({}), "verdict_record", &verdict("approve", 1.0));
        assert_eq!(main["structuredContent"]["provenance"], "claimed");
        let other = judged(&env, &mut client, "a1", "qa", &verdict("approve", 1.0));
        assert!(other["why_not"].as_str().unwrap().contains("it came from qa"), "{other}");
        assert!(held(&env).is_some());
        let mut spelled = verdict("approve", 0.8);
        spelled["agent"] = json!("Security");
        let own = judged(&env, &mut client, "a2", "security", &spelled);
        assert_eq!((&own["provenance"], &own["counts"]), (&json!("observed"), &json!(true)));
        assert_eq!(held(&env), None);
        // A later claim takes nothing away, and a later verdict does.
        client.works("verdict_record", verdict("reject", 1.0));
        assert_eq!(held(&env), None);
        judged(&env, &mut client, "a3", "security", &verdict("needs_revision", 1.0));
        assert!(held(&env).unwrap().contains("security said `needs_revision`"));
    }
}

#[test]
fn a_name_of_a_call_that_was_never_seen_or_was_used_before_proves_nothing() {
    let env = begun(&gate(""));
    let mut client = Client::start(&env, NEWER, &[]);
    let by = subagent("a1", "security");
    env.hook("SubagentStart", &by);
    let meta = json!({"claudecode/toolUseId": "toolu_guessed"});
    let asked = |meta: &Value| json!({"name": "verdict_record", "arguments": verdict("approve", 1.0), "_meta": meta});
    let forged = client.result("tools/call", asked(&meta));
    assert_eq!(forged["structuredContent"]["provenance"], "claimed");
    calls(&env, &mut client, &by, "verdict_record", &verdict("reject", 1.0));
    let again = json!({"claudecode/toolUseId": "toolu_verdict_record_a1"});
    let replayed = client.result("tools/call", asked(&again));
    assert_eq!(replayed["structuredContent"]["provenance"], "claimed");
    assert!(held(&env).unwrap().contains("security said `reject`"));
    // Another call than the one that was seen is not the one that was seen.
    let fields = json!({"tool_name": "mcp__waypost__verdict_record", "tool_use_id": "swapped",
        "tool_input": verdict("reject", 1.0), "agent_id": "a1", "agent_type": "security"});
    env.hook("PreToolUse", &fields);
    let swapped = client.result("tools/call", asked(&json!({"claudecode/toolUseId": "swapped"})));
    assert_eq!(swapped["structuredContent"]["counts"], false, "{swapped}");
    // Nor is any call the one of which it was not seen what it was given.
    for (call, input) in [("empty", json!({})), ("broken", json!("reject"))] {
        let fields = json!({"tool_name": "mcp__waypost__verdict_record", "tool_use_id": call,
            "tool_input": input, "agent_id": "a1", "agent_type": "security"});
        env.hook("PreToolUse", &fields);
        let filled = client.result("tools/call", asked(&json!({"claudecode/toolUseId": call})));
        assert_eq!(filled["structuredContent"]["counts"], false, "{filled}");
    }
    // A call that a forger announces is no call of the harness'.
    let fields = json!({"tool_name": "mcp__waypost__verdict_record", "tool_use_id": "forged",
        "tool_input": verdict("approve", 1.0), "agent_id": "a1", "agent_type": "security"});
    env.forged_hook("PreToolUse", &fields);
    let forged = client.result("tools/call", asked(&json!({"claudecode/toolUseId": "forged"})));
    assert_eq!(forged["structuredContent"]["counts"], false, "{forged}");
    assert!(held(&env).is_some());
}

#[test]
fn how_sure_it_is_and_what_it_still_wants_count() {
    let env = begun(&gate(""));
    let mut client = Client::start(&env, NEWER, &[]);
    let mut wants = verdict("conditional", 1.0);
    (wants["conditions"], wants["blockers"]) = (json!(["Test the empty file"]), json!(["No key"]));
    let given = judged(&env, &mut client, "a1", "security", &wants);
    assert!(
        held(&env).unwrap().contains("with 2 conditions and blockers that are open"),
        "{}",
        why(&env)
    );
    for shown in [env.ok(&["status"]), env.ok(&["brief"]), env.ok(&["verdict", "list"])] {
        assert!(shown.contains("Test the empty file") && shown.contains("No key"), "{shown}");
    }
    let id = given["verdict_id"].as_str().unwrap();
    let refused = env.waypost(&["verdict", "resolve", id, "--how", "I did it"]);
    assert_eq!(refused.status.code(), Some(1), "{}", everything(&refused));
    let (done, said) = env.as_person(&["verdict", "resolve", id, "--how", "tested"]);
    assert!(done, "{said}");
    assert!(!env.ok(&["brief"]).contains("Test the empty file"));
    assert!(env.ok(&["verdict", "list"]).contains("tested"));
    assert!(held(&env).is_some(), "resolved is not approved");
    judged(&env, &mut client, "a2", "security", &verdict("approve", 0.79));
    assert!(held(&env).unwrap().contains("with a confidence of 0.79, below 0.8"));
    // What an agent wants is settled by its next word.
    judged(&env, &mut client, "a3", "security", &wants);
    judged(&env, &mut client, "a4", "security", &verdict("approve", 0.8));
    assert!(!env.ok(&["status"]).contains("Test the empty file"));
    assert_eq!(held(&env), None);
}

#[test]
fn a_verdict_is_about_the_content_that_was_looked_at() {
    let env = begun(&gate(", fresh = \"tree\""));
    let mut client = Client::start(&env, NEWER, &[]);
    env.edit("app.txt", "new\n");
    judged(&env, &mut client, "a1", "security", &verdict("approve", 1.0));
    assert_eq!(held(&env), None);
    env.edit("app.txt", "newer\n");
    assert!(held(&env).unwrap().contains("app.txt changed since security gave its verdict"));
    env.edit("app.txt", "new\n");
    assert_eq!(held(&env), None, "that content was judged");
    // The latest word on this very content counts, whatever was said of others meanwhile.
    env.edit("app.txt", "newest\n");
    judged(&env, &mut client, "a2", "security", &verdict("reject", 1.0));
    assert!(held(&env).unwrap().contains("security said `reject`"));
    env.edit("app.txt", "new\n");
    assert_eq!(held(&env), None);
    // Somebody changes a file while it looks.
    let by = subagent("a3", "security");
    env.edit("app.txt", "again\n");
    env.hook("SubagentStart", &by);
    env.edit("app.txt", "moved\n");
    let given = calls(&env, &mut client, &by, "verdict_record", &verdict("approve", 1.0));
    let why = given["structuredContent"]["why_not"].as_str().unwrap();
    assert!(why.contains("files changed while security was looking"), "{given}");
    assert!(held(&env).is_some());
}

#[test]
fn nobody_judges_what_it_changed_itself() {
    for fresh in ["", ", fresh = \"tree\""] {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        let by = subagent("a1", "security");
        let told = env.hook("SubagentStart", &by);
        assert!(
            told.stdout.contains("whoever changed the work cannot judge it"),
            "{}",
            told.stdout
        );
        writes(&env, &by, "fix.txt", "new\n");
        let given = calls(&env, &mut client, &by, "verdict_record", &verdict("approve", 1.0));
        let why_not = given["structuredContent"]["why_not"].as_str().unwrap_or_default();
        assert!(why_not.contains("changed fix.txt itself"), "{fresh}: {given}");
        assert!(
            held(&env).unwrap().contains("judged its own work (it changed fix.txt)"),
            "{fresh}"
        );
        // What the parent did meanwhile is not the subagent's.
        let other = subagent("a2", "security");
        env.hook("SubagentStop", &by);
        env.hook("SubagentStart", &other);
        let given = calls(&env, &mut client, &other, "verdict_record", &verdict("approve", 1.0));
        assert_eq!(given["structuredContent"]["counts"], true, "{fresh}: {given}");
        assert_eq!(held(&env), None, "{fresh}");
    }
}

#[test]
fn a_human_may_say_it_and_what_is_configured_wrong_is_told() {
    let env = begun(&gate(""));
    let args = ["verdict", "record", "security", "--decision", "approve", "--confidence", "1"];
    let args = [&args[..], &["--reasoning", "I looked"]].concat();
    assert!(env.ok(&args).contains("claimed"));
    let (done, said) = env.as_person(&args);
    assert!(done && said.contains("approved"), "{said}");
    assert_eq!(held(&env), None);
    for (proof, says) in [
        ("verdict = \"approved\", agent = \"qa\"", "did you mean `approve`?"),
        ("verdict = \"fine\", agent = \"qa\"", "a verdict is approve, reject"),
        ("verdict = \"approve\"", "whose verdict?"),
        ("verdict = \"approve\", agent = \"qa\", min_confidence = 2", "a number from 0 to 1"),
        (
            "verdict = \"approve\", agent = \"qa\", min_confidence = \"high\"",
            "a number from 0 to 1",
        ),
        ("verdict = \"approve\", agent = \"qa\", ttl = \"1h\"", "ttl"),
        ("handoff = \"done\"", "it is `accepted`"),
    ] {
        env.write(
            "waypost.toml",
            &format!(
                "[project]\n[[gate]]\nid = \"g\"\nbefore = [\"stop\"]\nproof = {{ {proof} }}\n"
            ),
        );
        let output = env.waypost(&["gate", "list"]);
        assert_eq!(output.status.code(), Some(2), "{proof}: {}", everything(&output));
        assert!(everything(&output).contains(says), "{proof}: {}", everything(&output));
    }
}
