//! The tools of the toolset `workflow`.

use serde_json::json;
use waypost_testkit::everything;
use waypost_testkit::mcp::{Client, NEWER};

use crate::project::{SPEC, client, with};

#[test]
fn an_agent_goes_through_a_workflow_with_its_tools() {
    let env = with(SPEC);
    let mut client = Client::start(&env, NEWER, &["--toolsets", "workflow"]);
    let listed = client.works("workflow_list", json!({}));
    let names: Vec<&str> = listed["workflows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["full", "quick", "research", "none", "spec"]);
    let begun = client.works("workflow_start", json!({"workflow": "spec", "target": "specs/a"}));
    assert_eq!((&begun["phase"], &begun["phase_number"]), (&json!("Planning"), &json!(0)));
    let task = client.works("workflow_get_task", json!({"phase": "0", "task_number": 2}));
    assert_eq!(task["acceptance_criteria"], json!(["a list"]));
    let said = client.refused("workflow_get_task", json!({"phase": 0, "task_number": 3}));
    assert!(said.contains("1 to 2"), "{said}");

    let failed =
        client.works("workflow_complete_phase", json!({"phase": 0, "evidence": {"coverage": 65}}));
    assert_eq!(failed["checkpoint_passed"], false, "{failed}");
    assert_eq!(failed["validation"]["errors"].as_array().unwrap().len(), 2, "{failed}");
    assert_eq!(failed["current_phase"], "Planning");
    let errors = client.works("workflow_get_errors", json!({}));
    assert_eq!(errors["errors"][0]["phase"], "Planning");
    client.works("workflow_retry_phase", json!({"phase": "Planning", "reset_evidence": true}));
    let phase = client.works("workflow_get_phase", json!({}));
    assert_eq!((&phase["checkpoint"], &phase["attempts"]), (&json!("pending"), &json!(1)));

    env.write("plan.md", "x\n");
    let passed = client.works(
        "workflow_complete_phase",
        json!({"phase": "Planning", "evidence": {"coverage": 81}}),
    );
    assert_eq!(passed["checkpoint_passed"], true, "{passed}");
    assert_eq!(
        (&passed["next_phase"], &passed["workflow_complete"]),
        (&json!("Building"), &json!(false))
    );
    let back = client.works("workflow_rollback", json!({"to_phase": 0, "reason": "Wrong plan"}));
    assert_eq!(back["taken_back"], json!(["Planning"]), "{back}");
    for (phase, evidence) in [(0, json!({"coverage": 99})), (1, json!({})), (2, json!({}))] {
        let done =
            client.works("workflow_complete_phase", json!({"phase": phase, "evidence": evidence}));
        assert_eq!(done["checkpoint_passed"], true, "{done}");
        assert_eq!(done["workflow_complete"], phase == 2, "{done}");
    }
}

#[test]
fn what_is_refused_says_what_to_do_and_changes_nothing() {
    let env = with(SPEC);
    let mut client = client(&env);
    let said = client.refused("workflow_get_phase", json!({}));
    assert!(said.contains("no active session"), "{said}");
    client.works("workflow_start", json!({"workflow": "spec", "target": "specs/a"}));
    let before = env.event_types();
    let evidence = json!({"coverage": 99});
    for (tool, given, told) in [
        ("workflow_complete_phase", json!({"phase": "Docs", "evidence": {}}), "Planning"),
        ("workflow_complete_phase", json!({"phase": 9, "evidence": {}}), "no phase"),
        ("workflow_complete_phase", json!({"phase": 0}), "missing field `evidence`"),
        ("workflow_complete_phase", json!({"phase": [0], "evidence": {}}), "argument `phase`"),
        ("workflow_complete_phase", json!({"phase": 0, "evidence": [1]}), "argument `evidence`"),
        ("workflow_retry_phase", json!({"phase": 0}), "has not failed"),
        ("workflow_rollback", json!({"to_phase": 0, "reason": "x"}), "no phase before"),
        ("workflow_get_phase", json!({"phase": "Plannin"}), "did you mean `Planning`?"),
        ("workflow_start", json!({"workflow": "spec", "target": "specs/a"}), "goes on already"),
        ("workflow_start", json!({"workflow": "none"}), "has no phases"),
        (
            "workflow_start",
            json!({"workflow": "spec", "target": "b", "expected_version": 1}),
            "version 1 was expected",
        ),
        (
            "workflow_complete_phase",
            json!({"phase": 0, "evidence": evidence, "expected_version": 1}),
            "version 1 was expected",
        ),
    ] {
        let said = client.refused(tool, given.clone());
        assert!(said.contains(told), "{tool} {given}: {said}");
    }
    assert_eq!(env.event_types(), before);
}

#[test]
fn a_paused_workflow_is_not_completed_until_somebody_takes_it_up() {
    let env = with(SPEC);
    env.write("plan.md", "x\n");
    let mut client = client(&env);
    let begun = client.works("workflow_start", json!({"workflow": "spec"}));
    let id = begun["session_id"].as_str().unwrap();
    client.works("session_pause", json!({"reason": "Lunch", "context": "half done"}));
    let before = env.event_types_of(id);
    let complete = json!({"phase": 0, "evidence": {"coverage": 90}, "session_id": id});
    let said = client.refused("workflow_complete_phase", complete.clone());
    assert!(said.contains("paused"), "{said}");
    assert_eq!(env.event_types_of(id), before);
    client.works("session_resume", json!({"session_id": id}));
    let done = client.works("workflow_complete_phase", complete);
    assert_eq!(done["checkpoint_passed"], true, "{done}");
}

#[test]
fn a_session_that_has_a_name_takes_a_workflow_up_and_one_that_follows_one_does_not() {
    let env = with(SPEC);
    let mut client = client(&env);
    let first = client.works("session_start", json!({"objective": "Login"}));
    let begun = client.works("workflow_start", json!({"workflow": "spec", "target": "a"}));
    assert_eq!(
        (&begun["session_id"], &begun["new_session"]),
        (&first["session_id"], &json!(false))
    );
    let other = json!({"workflow": "quick", "session_id": first["session_id"]});
    let said = client.refused("workflow_start", other);
    assert!(said.contains("already"), "{said}");
}

#[test]
fn whoever_begins_a_session_names_the_version_of_the_one_before() {
    let env = with(SPEC);
    let mut client = client(&env);
    let none = client.refused("session_start", json!({"objective": "A", "expected_version": 7}));
    assert!(none.contains("there is no session yet"), "{none}");
    assert_eq!(env.json(&["list", "--json"]), json!([]), "nothing was made");
    client.works("workflow_start", json!({"workflow": "spec", "expected_version": 0}));
    client.works("session_end", json!({"summary": "Rather something else"}));
    let before = env.json(&["list", "--json"])[0]["version"].as_u64().unwrap();
    let wrong = json!({"workflow": "quick", "expected_version": before + 1});
    let conflict = client.refused("workflow_start", wrong);
    assert!(conflict.contains("was expected"), "{conflict}");
    let right = json!({"workflow": "quick", "expected_version": before});
    let begun = client.works("workflow_start", right);
    assert_eq!(begun["new_session"], true, "{begun}");
    assert_eq!(env.json(&["list", "--json"]).as_array().unwrap().len(), 2);
}

#[test]
fn an_agent_does_not_end_a_workflow_as_done_that_is_not() {
    let env = with(SPEC);
    let mut client = client(&env);
    let begun = client.works("workflow_start", json!({"workflow": "quick"}));
    let id = begun["session_id"].as_str().unwrap();
    let early = client.refused("session_set_status", json!({"status": "complete"}));
    assert!(early.contains("quick is not complete: it is in phase plan"), "{early}");
    let told = everything(&env.waypost(&["end", id]));
    assert!(told.contains("warning: the workflow quick is not complete"), "{told}");
    let again = client.works("workflow_start", json!({"workflow": "quick"}));
    assert_ne!(again["session_id"], begun["session_id"]);
    client.works("session_set_status", json!({"status": "failed"}));
}

#[test]
fn the_tasks_of_building_are_those_of_the_plan() {
    let env = with(SPEC);
    let mut client = client(&env);
    let begun = client.works("workflow_start", json!({"workflow": "quick"}));
    let id = begun["session_id"].as_str().unwrap();
    let tasks = json!([
        {"id": "1.1.1", "title": "Draw the form", "description": "With one field"},
        {"id": "1.1.2", "title": "Test it"}
    ]);
    let groups = json!([{"id": "1.1", "title": "Form", "tasks": tasks}]);
    let plan = json!({"checkpoints": [{"id": 1, "title": "Login", "task_groups": groups}]});
    std::fs::write(env.copy_of(id).join("plan.json"), plan.to_string()).unwrap();
    client.works("workflow_complete_phase", json!({"phase": "plan", "evidence": {}}));
    client.works("session_init_build", json!({"checkpoints_total": 1}));
    client.works("session_complete_task", json!({"task_id": "1.1.1"}));
    let phase = client.works("workflow_get_phase", json!({}));
    let done: Vec<bool> =
        (0..2).map(|place| phase["tasks"][place]["completed"] == json!(true)).collect();
    assert_eq!(done, [true, false], "{phase}");
    let task = client.works("workflow_get_task", json!({"phase": "build", "task_number": 1}));
    assert_eq!(task["name"], "Draw the form", "{task}");
    let brief = client.works("session_brief", json!({}));
    assert!(brief["next"].as_str().unwrap().starts_with("do task 1.1.2 \"Test it\""), "{brief}");
}
