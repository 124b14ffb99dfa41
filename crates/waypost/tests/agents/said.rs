//! What people and agents say: invocations, decisions, and where they are read again.

use serde_json::{Value, json};
use waypost_testkit::everything;
use waypost_testkit::mcp::{Client, OLDER};

use super::{begun, env};

#[test]
fn an_invocation_is_completed_by_name_and_blockers_block_it() {
    let env = env();
    env.init();
    env.start("Add login");
    env.ok(&["agent", "invoke", "qa", "--prompt", "Test it", "--context", "area=login"]);
    env.ok(&["agent", "invoke", "qa", "--prompt", "Test it again", "--artifact", "a.md"]);
    let done = env.ok(&["agent", "complete", "qa", "--summary", "Half", "--blocker", "No data"]);
    assert!(done.contains("the work of qa is blocked"), "{done}");
    let listed = env.json(&["agent", "list", "--json"]);
    let [first, second] = &listed["invocations"].as_array().unwrap()[..] else { panic!() };
    assert_eq!((&first["status"], &second["status"]), (&json!("in_progress"), &json!("blocked")));
    assert_eq!(first["context"], json!({"area": "login"}));
    assert_eq!(second["output"]["blockers"], json!(["No data"]));
    assert_eq!(env.json(&["status", "--json"])["agents_at_work"], json!(["qa"]));
    env.ok(&["agent", "complete", "qa", "--summary", "Done", "--to", "critic", "--why", "Look"]);
    let nobody = env.waypost(&["agent", "complete", "qa", "--summary", "Again"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(everything(&nobody).contains("qa has no open invocation"), "{}", everything(&nobody));
    let told = env.ok(&["agent", "list"]);
    assert!(told.contains("qa blocked") && told.contains("as it was said"), "{told}");
    let brief = env.ok(&["brief"]);
    assert!(brief.contains("\"Done\" (qa)"), "{brief}");
}

#[test]
fn above_ten_the_state_keeps_three_and_every_note_path_is_found_again() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    for number in 0..25 {
        env.ok(&["agent", "invoke", "qa", "--prompt", &format!("Part {number}")]);
        env.ok(&["agent", "complete", "qa", "--summary", &format!("Did {number}")]);
    }
    let listed = env.json(&["agent", "list", "--json"]);
    assert_eq!(listed["invocations"].as_array().unwrap().len(), 25);
    let compactions = listed["compactions"].as_array().unwrap();
    let mut archived = Vec::new();
    let mut client = Client::start(&env, OLDER, &[]);
    for compaction in compactions {
        let path = compaction["note_path"].as_str().unwrap();
        assert!(path.starts_with(&format!("session://{id}/history/")), "{path}");
        let shown = env.json(&["agent", "list", "--archive", path, "--json"]);
        let read = client.result("resources/read", json!({"uri": path}));
        let read: Value =
            serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(read["invocations"], shown["invocations"], "{path}");
        assert_eq!(json!(shown["invocations"].as_array().unwrap().len()), compaction["count"]);
        archived.extend(shown["invocations"].as_array().unwrap().clone());
    }
    let all = listed["invocations"].as_array().unwrap();
    assert_eq!(archived, all[..archived.len()], "in their order, each once");
    let state =
        std::fs::read_to_string(env.store().join("sessions").join(&id).join("snapshot.json"));
    let held = 25 - archived.len();
    assert!((3..=10).contains(&held), "{held}: {state:?}");
    let compacted = client.works("history_compact", json!({}));
    assert_eq!(compacted["count"], json!(held - 3), "{compacted}");
    assert!(client.refused("history_compact", json!({})).contains("not needed"));
    for wrong in ["session://nothing", "3", "9-x", "session://2026-01-01_no_such/history/1-2"] {
        let output = env.waypost(&["agent", "list", "--archive", wrong]);
        assert_eq!(output.status.code(), Some(1), "{wrong}: {}", everything(&output));
    }
    assert_eq!(env.waypost(&["verify", "--all"]).status.code(), Some(0));
}

#[test]
fn decisions_stand_in_the_brief_and_in_the_history_of_sessions() {
    let env = env();
    env.init();
    let id = env.start("Add login");
    let why = ["--rationale", "Fewer ways in"];
    env.ok(&[&["decision", "record", "Passkeys only", "--type", "scope"], &why[..]].concat());
    let by = ["--decided-by", "architect", "--approved-by", "qa"];
    let text = ["decision", "record", "--description", "One binary", "--type", "architectural"];
    env.ok(&[&text[..], &by, &why].concat());
    let listed = env.json(&["decision", "list", "--json"]);
    let first = listed["decisions"][0].clone();
    assert_eq!(first["description"], "Passkeys only");
    assert_eq!(listed["decisions"][1]["approved_by"], json!(["qa"]));
    let decision = first["id"].as_str().unwrap();
    env.ok(&["decision", "reject", &decision[..6], "--by", "security"]);
    env.ok(&["decision", "approve", &decision[..6], "--by", "security"]);
    let listed = env.json(&["decision", "list", "--json"]);
    assert_eq!(listed["decisions"][0]["approved_by"], json!(["security"]));
    assert!(listed["decisions"][0].get("rejected_by").is_none(), "whoever thought again: {listed}");
    assert!(env.ok(&["brief"]).contains("\"Passkeys only\" (human)"));
    let mut client = Client::start(&env, OLDER, &[]);
    let read = client.result("resources/read", json!({"uri": "session://history"}));
    let text = read["contents"][0]["text"].as_str().unwrap();
    let history: Value = serde_json::from_str(text).unwrap();
    let sessions = history["sessions"].as_array().unwrap();
    let own = sessions.iter().find(|session| session["session_id"] == json!(id)).unwrap();
    assert_eq!(own["key_decisions"], json!(["Passkeys only", "One binary"]));
}

#[test]
fn what_is_wrong_changes_nothing_and_is_named() {
    let env = env();
    env.init();
    env.start("Add login");
    let long = "x".repeat(65);
    let before = env.json(&["history", "--json"]);
    let record = ["decision", "record", "A", "--rationale", "b", "--type", "great"];
    let verdict = |word, sure| {
        ["verdict", "record", "qa", "--reasoning", "r", "--decision", word, "--confidence", sure]
    };
    for (args, says) in [
        (&record[..], "`great` is not a type of decision"),
        (&verdict("approved", "0.5"), "`approved` is not a verdict"),
        (&verdict("approve", "1.5"), "it goes from 0 to 1"),
        (&verdict("approve", "NaN"), "it goes from 0 to 1"),
        (&["agent", "invoke", "", "--prompt", "p"], "agent"),
        (&["agent", "invoke", &long, "--prompt", "p"], "agent"),
        (&["agent", "invoke", "qa", "--prompt", " "], "prompt"),
        (&["decision", "approve", "none", "--by", "qa"], "no decision `none`"),
        (&["verdict", "resolve", "verdict-9", "--how", "x"], "needs a terminal"),
        (&["handoff", "accept"], "no handoff"),
        (&["handoff", "accept", "handoff-1"], "no handoff handoff-1 waits"),
        (&["handoff", "show"], "nothing was handed over"),
    ] {
        let output = env.waypost(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", everything(&output));
        let said = everything(&output);
        assert!(said.to_lowercase().contains(says), "{args:?}: {said}");
    }
    assert_eq!(env.json(&["history", "--json"]), before);
    let mut client = Client::start(&env, OLDER, &[]);
    let stale = json!({"agent": "qa", "prompt": "p", "expected_version": 0});
    let result = client.call("agent_invoke", stale);
    let conflict = &result["structuredContent"]["error"];
    assert_eq!((&conflict["expected"], &conflict["actual"]), (&json!(0), &json!(1)), "{result}");
    assert_eq!(env.json(&["history", "--json"]), before);
}

#[test]
fn credentials_in_prompts_and_summaries_are_never_kept() {
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let env = begun("[project]\n");
    let mut client = Client::start(&env, OLDER, &[]);
    let with = |text: &str| format!("{text} {secret}");
    let deep = json!({"token": secret, "deep": [{"key": with("is")}]});
    client.works("agent_invoke", json!({"agent": "qa", "prompt": with("Use"), "context": deep}));
    client.works(
        "agent_complete",
        json!({"agent": "qa", "summary": with("Used"), "blockers": [secret]}),
    );
    let decided =
        json!({"type": "scope", "description": with("a"), "rationale": secret, "decided_by": "qa"});
    client.works("decision_record", decided);
    let judged = json!({"agent": "qa", "decision": "conditional", "confidence": 1, "reasoning": secret,
        "conditions": [with("do")]});
    client.works("verdict_record", judged);
    let handed = json!({"from_agent": "qa", "to_agent": "dev", "reason": secret, "context": with("c"),
        "preserved_context": {"a": secret}, "checklist": [with("say")]});
    client.works("handoff_create", handed);
    let id = env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned();
    let log = std::fs::read_to_string(env.log_of(&id)).unwrap();
    assert!(!log.contains(secret), "{log}");
}

#[test]
fn an_agent_says_its_own_words_in_plain_lines_and_speaks_of_them_anywhere() {
    let env = begun("[project]\n");
    for line in [
        "waypost handoff accept handoff-3 --checked 'fine' && echo taken",
        "cd src && waypost gate satisfy adr",
        "LANG=C waypost verdict record qa --decision approve --confidence 0.5 --reasoning 'setsid is used'",
        "waypost session set-state '{\"activeTask\": \"x\"}' | head -3",
        "echo 'waypost gate satisfy adr'",
        "grep -rn 'waypost verdict record' docs",
        "git commit --allow-empty -m 'Say waypost handoff accept in the docs'",
        "tmux ls; waypost verdict list",
        "setsid -f ./server.sh",
    ] {
        assert_eq!(env.before_bash(line, line).denied(), None, "{line}");
    }
    for line in [
        "setsid -f waypost handoff accept",
        "timeout 9 waypost gate satisfy adr",
        "waypost verdict resolve verdict-1 --how x",
    ] {
        let denied = env.before_bash(line, line).denied().unwrap_or_default();
        assert!(denied.contains("Next: "), "{line}: {denied}");
    }
}
