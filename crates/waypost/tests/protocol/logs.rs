//! Session logs and reports of others, as the gates of the protocol see them.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::Client;

use crate::project::{bare, client, gate, start};

/// A project with a session, whose log and reports are looked at.
fn begun() -> (TestEnv, Client, String) {
    let env = bare();
    env.write(".agents/notes.md", "x\n");
    let mut client = client(&env);
    let id = start(&mut client)["session_id"].as_str().unwrap().to_owned();
    (env, client, id)
}

/// What a step of the end comes to.
fn step(client: &mut Client, name: &str) -> (String, String) {
    let read = client.result("resources/read", json!({"uri": "session://checklist"}));
    let text = read["contents"][0]["text"].as_str().unwrap();
    let lists: Value = serde_json::from_str(text).unwrap();
    let items = lists["end"].as_array().unwrap();
    let item = items.iter().find(|item| item["step"] == name).unwrap();
    let text = |name: &str| item[name].as_str().unwrap().to_owned();
    (text("status"), text("evidence"))
}

fn complete_log(client: &mut Client) -> (String, String) {
    step(client, "complete_log")
}

#[test]
fn a_log_in_json_is_complete_when_its_musts_are() {
    let (env, mut client, id) = begun();
    assert_eq!(gate(&mut client, "SESSION_LOG")["status"], "FAIL");
    let path = format!(".agents/sessions/{id}-add-login.json");
    let log = |done: bool| {
        let items = json!({
            "changesCommitted": {"level": "MUST", "Complete": done, "Evidence": ""},
            "retrospectiveInvoked": {"level": "SHOULD", "complete": false, "evidence": ""},
            "handoffNotUpdated": {"level": "MUST NOT", "complete": false, "evidence": ""},
        });
        let log = json!({"session": {"number": 1}, "protocolCompliance": {"sessionEnd": items}});
        serde_json::to_string_pretty(&log).unwrap()
    };
    env.write(&path, &log(false));
    assert_eq!(gate(&mut client, "SESSION_LOG")["status"], "PASS");
    let (status, why) = complete_log(&mut client);
    assert_eq!(status, "open", "{why}");
    let open = format!("{path} leaves open: line 4: changesCommitted (not ticked)");
    assert_eq!(why, open);
    env.write(&path, &log(true));
    assert_eq!(complete_log(&mut client).0, "done");
    // What is broken is no log, and says where.
    env.write(&path, "{\n  \"session\": {,}\n}");
    let (status, why) = complete_log(&mut client);
    assert_eq!(status, "open");
    assert!(why.contains("not valid JSON: line 2, column 15"), "{why}");
}

#[test]
fn a_log_without_a_checklist_or_of_another_session_is_not_the_one() {
    let (env, mut client, id) = begun();
    let done = "| MUST | Commit | [x] | abc1234 |\n";
    for other in [format!("{id}0.md"), format!("{id}1-x.json"), format!("{id}.txt")] {
        env.write(&format!(".agents/sessions/{other}"), done);
    }
    assert_eq!(gate(&mut client, "SESSION_LOG")["status"], "FAIL");
    let (status, why) = complete_log(&mut client);
    assert_eq!((status.as_str(), why.contains("no file fits")), ("open", true), "{why}");

    let path = format!(".agents/sessions/{}.md", id.replace("-01", "-1"));
    env.write(&path, "# Session 1\n\nAll is done.\n");
    assert_eq!(gate(&mut client, "SESSION_LOG")["status"], "PASS");
    let (status, why) = complete_log(&mut client);
    assert_eq!(status, "open");
    assert!(why.starts_with(&format!("{path}: it has no checklist; write one")), "{why}");

    env.write(&path, &format!("# Session 7\n\n{done}"));
    let (_, why) = complete_log(&mut client);
    assert!(why.contains("line 1 says that it is about session 7, not about"), "{why}");
    env.write(&path, &format!("# Session 1\n\n{done}"));
    assert_eq!(complete_log(&mut client).0, "done");
}

#[test]
fn ticked_rows_that_say_that_nothing_was_done_stay_open() {
    let (env, mut client, id) = begun();
    let path = format!(".agents/sessions/{id}.md");
    let rows = "| MUST | Run `a | b` | [x] | Serena unreachable |\n\
                | MUST | Export | [N/A] | nothing to export |\n\
                | MUST NOT | Update HANDOFF.md | [ ] | |\n";
    env.write(&path, rows);
    let (status, why) = complete_log(&mut client);
    assert_eq!(status, "open");
    let expected = format!(
        "{path} leaves open: line 1: Run `a | b` (ticked, but its evidence is `Serena unreachable`)"
    );
    assert_eq!(why, expected);
}

#[test]
fn a_report_counts_in_any_spelling_and_for_its_own_session_only() {
    let (env, mut client, id) = begun();
    env.write("src/a.rs", "fn main() {}\n");
    // A project keeps hundreds, and the one that counts is the last.
    for number in 0..120 {
        env.write(
            &format!(".agents/qa/{number:03}.md"),
            &format!("---\nqaVerdict: PASS\nqaSessionLog: {id}{number}\n---\n"),
        );
    }
    assert_eq!(gate(&mut client, "QA_VALIDATION")["status"], "FAIL");
    let (_, why) = step(&mut client, "qa_report");
    assert_eq!(why, format!("no report that fits `.agents/qa/*.md` is about {id}"));
    let report = |verdict: &str| format!("# QA\n\n**Session**: {id}\n\n## Verdict\n\n{verdict}\n");
    env.write(".agents/qa/zz.md", &report("[FAIL] two tests fail"));
    let (_, why) = step(&mut client, "qa_report");
    assert!(why.starts_with(".agents/qa/zz.md says `[FAIL] two tests fail` in line 7"), "{why}");
    env.write(".agents/qa/zz.md", &report("**PASS** - all is well"));
    let found = gate(&mut client, "QA_VALIDATION");
    assert_eq!(found["status"], "PASS", "{found}");
}
