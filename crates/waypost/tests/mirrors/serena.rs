//! Serena's memories, through a session's whole life and Serena's own deaths.

use serde_json::json;
use waypost_testkit::mcp::{Client, OLDER};
use waypost_testkit::{TestEnv, everything};

use crate::servers::{Served, block, project, sync, synced, trust};

pub(crate) const CONFIG: &str =
    "[project]\nprotocol = \"builtin\"\npublish = \"always\"\nmirrors = [\"serena\"]\n";

/// The same for a Serena that runs already.
fn at(url: &str) -> String {
    format!("{CONFIG}\n[mirror.serena]\nurl = \"{url}\"\n")
}

/// A memory; empty if there is none.
pub(crate) fn memory(env: &TestEnv, name: &str) -> String {
    let path = env.project().join(format!(".serena/memories/{name}.md"));
    std::fs::read_to_string(path).unwrap_or_default()
}

/// A project whose Serena runs already.
fn served() -> (TestEnv, Served) {
    let env = project(CONFIG);
    let serena = Served::serena(&env);
    env.write("waypost.toml", &at(&serena.url()));
    trust(&env);
    (env, serena)
}

/// The agent changes something, and wants to be done at once.
fn miss(env: &TestEnv, client: &mut Client) {
    env.write("src/lib.txt", "two\n");
    let advanced = client.works("advance_phase", json!({"target_phase": "COMPLETE"}));
    assert_eq!(advanced["success"], false, "{advanced}");
}

#[test]
fn the_memories_of_a_whole_life_read_as_agents_know_them() {
    // By the usual start line, over standard input and output.
    let env = project(CONFIG);
    let mut client = Client::start(&env, OLDER, &[]);
    let started = client.works("session_start", json!({"objective": "Design | it"}));
    let id = started["session_id"].as_str().unwrap().to_owned();
    synced(&env);
    let current = memory(&env, "session-current-state");
    let commit = env.git(&["rev-parse", "--short=7", "HEAD"]);
    let top = format!(
        "# Session State\n\n## Metadata\n\n- **Session ID**: {id}\n- **Objective**: Design | it\n\
         - **Branch**: main\n- **Starting Commit**: {}\n- **Started At**: 2026-11-15T12:00:00Z\n\
         - **Current Phase**: INIT\n\n## Phase Status\n\n| Phase | Status | Evidence |\n\
         |-------|--------|----------|\n| SERENA_INIT | PENDING | ",
        commit.trim()
    );
    assert!(current.starts_with(&top), "{current}");
    for row in [
        "\n## Checklist (Start)\n\n| Req | Step | Status | Evidence |\n|-----|------|--------|----------|\n\
         | MUST | Initialize Serena: mcp__serena__activate_project | [ ] | |\n",
        "\n## Checklist (End)\n\n| Req | Step | Status | Evidence |\n",
        "| MUST | Route to qa agent | [ ] | SKIPPED: nothing changed |\n",
    ] {
        assert!(current.contains(row), "{row}\n{current}");
    }
    assert_eq!(memory(&env, "session-history"), "");
    miss(&env, &mut client);
    client.works("session_add_note", json!({"kind": "decision", "text": "Files first\n## no"}));
    drop(client);
    env.ok(&["end", &id, "--summary", "designed", "--next-notes", "Build it"]);
    synced(&env);
    assert_eq!(memory(&env, "session-current-state"), "", "it is over");
    let history = memory(&env, "session-history");
    let entry = format!(
        "# Session History\n\n## Recent Sessions (Last 10)\n\n### {id}\n\n- **Objective**: Design | it\n\
         - **Outcome**: COMPLETE\n- **Key Decisions**:\n  - Files first ## no\n\
         - **Next Session Notes**: Build it\n\n```waypost\n"
    );
    assert!(history.starts_with(&entry), "{history}");
    let row = "| 12:00:00 | GIT_COMMIT | MUST Commit all changes | CRITICAL | |\n";
    let log = memory(&env, "session-violations-log");
    assert!(log.contains(&format!("\n### {id}\n")) && log.contains(row), "{log}");
}

#[test]
fn the_history_keeps_the_last_ten_and_violations_stay_over_sessions() {
    let (mut env, _serena) = served();
    let mut client = Client::start(&env, OLDER, &[]);
    let started = client.works("session_start", json!({"objective": "Miss it"}));
    let missed = started["session_id"].as_str().unwrap().to_owned();
    miss(&env, &mut client);
    drop(client);
    env.ok(&["end", &missed, "--summary", "missed"]);
    let mut ids = Vec::new();
    for minute in 10..22 {
        env.time = format!("2026-11-15T12:{minute}:00.000Z");
        let id = env.start(&format!("Work {minute}"));
        env.ok(&["end", &id, "--summary", "done"]);
        ids.push(id);
        if minute % 6 == 0 {
            synced(&env);
        }
    }
    synced(&env);
    let history = memory(&env, "session-history");
    let told: Vec<&str> = history.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let last: Vec<&str> = ids.iter().rev().take(10).map(String::as_str).collect();
    assert_eq!(told, last);
    assert_eq!(block(&history)["sessions"].as_array().unwrap().len(), 10);
    let log = memory(&env, "session-violations-log");
    assert_eq!(log.matches(&missed).count(), 1, "{log}");
    assert!(log.contains("| (none recorded) | | | | |"), "{log}");
    assert_eq!(sync(&env)["sent"], 0, "nothing is shown twice");
}

#[test]
fn serena_killed_amid_a_thousand_changes_shows_all_of_them_afterwards() {
    let (env, mut serena) = served();
    let mut client = Client::start(&env, OLDER, &[]);
    let started = client.works("session_start", json!({"objective": "Count"}));
    let id = started["session_id"].as_str().unwrap().to_owned();
    let mut mirrored = Vec::new();
    for number in 0..1000 {
        client.works("session_add_note", json!({"kind": "note", "text": format!("n{number}")}));
        match number {
            300 => serena.kill(),
            700 => serena.again(&env),
            _ => {}
        }
        let current = memory(&env, "session-current-state");
        if current.ends_with("```\n") {
            mirrored.push(block(&current)["sessions"][0]["seq"].as_u64().unwrap());
        }
    }
    assert_eq!(client.end(), Some(0));
    assert!(mirrored.windows(2).all(|pair| pair[0] <= pair[1]), "{mirrored:?}");
    synced(&env);
    let held = block(&memory(&env, "session-current-state"))["sessions"][0].clone();
    let history = env.json(&["history", &id, "--json"]);
    let events = history["events"].as_array().unwrap();
    let notes = env.notes(&id);
    assert_eq!(notes, (0..1000).map(|number| format!("n{number}")).collect::<Vec<_>>());
    assert_eq!(held["seq"], events.last().unwrap()["seq"]);
    assert_eq!(held["state"]["version"], held["seq"]);
    let status = env.json(&["mirror", "status", "--json"]);
    assert_eq!(
        (&status["mirrors"][0]["waiting"], &status["mirrors"][0]["failures"]),
        (&json!(0), &json!(0))
    );
    let files = std::fs::read_dir(env.project().join(".serena/memories")).unwrap().count();
    assert_eq!(files, 2, "the session and its violations, and nothing beside them");
}

#[test]
fn where_serena_is_not_installed_one_warning_says_so_and_files_are_enough() {
    let env = project(
        "[project]\npublish = \"always\"\nmirrors = [\"serena\"]\n\n\
         [mirror.serena]\ncommand = [\"no-such-serena\"]\n",
    );
    env.begin();
    let id = env.start("Go on");
    env.edit("src/lib.txt", "two\n");
    let output = env.waypost(&["mirror", "sync"]);
    let told = everything(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert_eq!(told.matches("no-such-serena is not installed").count(), 1, "{told}");
    assert!(told.contains("nothing is lost"), "{told}");
    let doctor = everything(&env.waypost(&["doctor"]));
    assert_eq!(doctor.matches("not installed").count(), 1, "{doctor}");
    env.ok(&["end", &id, "--summary", "done"]);
    assert!(env.copy_of(&id).join("events.jsonl").exists());
}

#[test]
fn nothing_is_started_that_no_human_said_yes_to() {
    let env = project(CONFIG);
    let command = "[mirror.serena]\ncommand = [\"touch\", \"started\"]\n";
    env.write("waypost.toml", &format!("{CONFIG}\n{command}"));
    env.start("Go on");
    for args in [&["mirror", "sync"][..], &["doctor"]] {
        let told = everything(&env.waypost(args));
        assert!(told.contains("waypost trust config"), "{told}");
    }
    let (done, told) = env.as_person(&["restore", "--from", "serena"]);
    assert!(!done && told.contains("waypost trust config"), "{told}");
    let mut client = Client::start(&env, OLDER, &[]);
    client.works("validate_gate", json!({"phase": "ALL"}));
    drop(client);
    assert!(!env.project().join("started").exists());
}

#[test]
fn the_gate_about_serena_asks_it() {
    let (env, mut serena) = served();
    let mut client = Client::start(&env, OLDER, &[]);
    client.works("session_start", json!({"objective": "Ask"}));
    let gate = client.works("validate_gate", json!({"phase": "SERENA_INIT"}));
    assert_eq!(gate["status"], "PASS", "{gate}");
    assert!(gate["evidence"].as_str().unwrap().contains("it answers (verified)"), "{gate}");
    serena.kill();
    let gate = client.works("validate_gate", json!({"phase": "SERENA_INIT"}));
    assert_eq!(gate["status"], "FAIL", "{gate}");
    let held = client.works("advance_phase", json!({}));
    assert_eq!(held["blocked_by"], json!(["SERENA_INIT"]), "{held}");
    serena.again(&env);
    let advanced = client.works("advance_phase", json!({}));
    assert_eq!(advanced["current_phase"], "SERENA_READY", "{advanced}");
}
