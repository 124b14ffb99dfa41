//! A whole session by a protocol's file, from its start to COMPLETE.

use serde_json::json;

use crate::project::{client, gate, harbour, record, start, steps_in, strings};

#[test]
fn a_session_begins_by_the_file_and_every_surface_tells_where_it_stands() {
    let env = harbour();
    let mut client = client(&env);
    let started = start(&mut client);
    let id = started["session_id"].as_str().unwrap().to_owned();
    assert!(id.ends_with("-session-01"), "{id}");
    assert_eq!(started["phase"], "Pilot Aboard");
    assert_eq!(strings(&started["blocked_until"]), ["Pilot Aboard"]);
    let skipped = steps_in(&started["checklist"], "skipped");
    for step in ["list_skills", "count_passengers", "say_so_stop", "push"] {
        assert!(skipped.contains(&step), "{step}: {skipped:?}");
    }

    let held = client.works("advance_phase", json!({"target_phase": "WORKING"}));
    assert_eq!((&held["success"], &held["blocked_by"]), (&json!(false), &json!(["Pilot Aboard"])));
    let blocked = client.works("get_blocked_reason", json!({}));
    assert_eq!(blocked["blocked_phases"][0]["phase"], "Pilot Aboard", "{blocked}");
    record(&mut client, "Phase 1: Pilot Aboard", "read_handoff", "tool_output", "it stands there");
    record(&mut client, "SERENA_INIT", "activate_project", "tool_output", "active");
    let advanced = client.works("advance_phase", json!({}));
    assert_eq!(advanced["current_phase"], "Charts", "{advanced}");
    assert_eq!(env.json(&["status", "--json"])["session_id"], json!(id));
    let refused = client.refused("validate_gate", json!({"phase": "Phase 4"}));
    assert!(refused.contains("Log Opened, Weather"), "two phases are called that: {refused}");
    let all = gate(&mut client, "ALL");
    assert_eq!((&all["status"], all["gates"].as_array().unwrap().len()), (&json!("FAIL"), 11));
    let shown = client.result("resources/read", json!({"uri": "session://checklist"}));
    assert!(shown.to_string().contains("Sign the manifest"), "{shown}");
    assert!(env.ok(&["brief"]).contains("Charts"), "the brief says where it stands");
}

#[test]
fn a_session_goes_by_the_file_from_its_start_to_complete() {
    let env = harbour();
    let mut client = client(&env);
    let id = start(&mut client)["session_id"].as_str().unwrap().to_owned();
    let said = |client: &mut _, phase: &str, step: &str| {
        let recorded = record(client, phase, step, "manual", "it was done, as asked for");
        assert_eq!(recorded["evidence_recorded"], true, "{recorded}");
        assert_eq!(recorded["auto_validated"], false, "{recorded}");
    };
    said(&mut client, "Pilot Aboard", "read_handoff");
    said(&mut client, "Pilot Aboard", "activate_project");
    assert_eq!(gate(&mut client, "Pilot Aboard")["status"], "PASS");
    // A must that nobody can see holds the end, and nothing before it.
    let charts = gate(&mut client, "Phase 2");
    assert_eq!(
        (&charts["status"], &charts["blocking"]),
        (&json!("FAIL"), &json!(false)),
        "{charts}"
    );
    let advanced = client.works("advance_phase", json!({"target_phase": "working"}));
    assert_eq!(
        (&advanced["current_phase"], &advanced["success"]),
        (&json!("WORKING"), &json!(true))
    );
    assert_eq!(client.works("get_blocked_reason", json!({}))["is_blocked"], false);

    env.write("src/a.rs", "fn main() {}\n");
    let early = client.works("advance_phase", json!({"target_phase": "COMPLETE"}));
    assert_eq!(early["success"], false, "{early}");
    let missing = strings(&early["blocked_by"]);
    for phase in ["Charts", "Log Opened", "Papers", "Quality Checks", "Git Operations"] {
        assert!(missing.contains(&phase), "{phase}: {missing:?}");
    }
    let open = client.works("session_end", json!({"summary": "too early"}));
    assert_eq!(open["status"], "INCOMPLETE");

    said(&mut client, "CHARTS", "write_down_which_charts_it");
    said(&mut client, "Papers", "sign_manifest");
    said(&mut client, "Session End Checklist", "hoist_flag");
    let log = format!(".agents/sessions/{id}.json");
    let done = json!({"protocolCompliance": {"sessionEnd": {
        "changesCommitted": {"level": "MUST", "Complete": true, "Evidence": "yes"}}}});
    env.write(&log, &done.to_string());
    assert_eq!(gate(&mut client, "SESSION_LOG")["status"], "PASS");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "do it"]);
    env.ok(&["run", "--", "sh", "scripts/check.sh"]);
    let checked = gate(&mut client, "QUALITY_CHECKS");
    assert_eq!(checked["status"], "PASS", "{checked}");
    let complete = client.works("advance_phase", json!({"target_phase": "COMPLETE"}));
    assert_eq!(complete["success"], true, "{complete}");
    assert_eq!(complete["current_phase"], "COMPLETE");
    let ended = client.works("session_end", json!({"summary": "done"}));
    assert_eq!(ended["status"], "COMPLETE", "{ended}");
    assert_eq!(ended["handoff_updated"], false);
}

#[test]
fn whoever_changes_what_is_to_stay_as_it_is_does_not_reach_the_end() {
    let env = harbour();
    let mut client = client(&env);
    start(&mut client);
    env.write(".agents/HANDOFF.md", "changed\n");
    let papers = gate(&mut client, "DOCS_UPDATE");
    assert!(papers.to_string().contains("HANDOFF.md was changed"), "{papers}");
}
