//! Tests of what is odd in files: other words, other types, and what is missing.

use super::*;

#[test]
fn numbers_may_be_texts_and_checkpoints_have_other_words() {
    let mut value = plain("spec_creation_v1", 2, json!({}), json!({}));
    value["current_phase"] = " 3 ".into();
    value["completed_phases"] = json!(["0", "1", 2.0]);
    value["checkpoints"] =
        json!({"0": true, "1": {"status": "PASSED"}, "2": "Skip", "3": {"passed": false}});
    let found = session(&value);
    assert_eq!((status(&found), phase(&found)), ("active", "Phase 3"));
    let results: Vec<PhaseResult> = found.past.phases.iter().map(|phase| phase.result).collect();
    let [passed, skipped, failed] =
        [PhaseResult::Passed, PhaseResult::Skipped, PhaseResult::Failed];
    assert_eq!(results[..4], [passed, passed, skipped, failed]);
}

#[test]
fn a_session_without_an_id_has_the_name_of_its_file() {
    let mut value = plain("spec_creation_v1", 1, json!({}), json!({}));
    for id in [Value::Null, "  ".into(), json!([])] {
        value["session_id"] = id;
        let found = session(&value);
        assert_eq!(found.name, "w-1");
        assert!(remarks(&found).contains("`session_id` is missing"), "{}", remarks(&found));
    }
    value.as_object_mut().unwrap().remove("session_id");
    assert_eq!(session(&value).name, "w-1");
    value["session_id"] = 42.into();
    let found = session(&value);
    assert_eq!((found.name.as_str(), remarks(&found).contains("missing")), ("42", false));
}

#[test]
fn a_status_that_nobody_knows_is_told() {
    let found = session(&timed("cancelled", json!({})));
    assert_eq!(status(&found), "active");
    assert!(remarks(&found).contains("status `cancelled` is not known"), "{}", remarks(&found));
    let found = session(&timed("In_Progress", json!({})));
    assert!(!remarks(&found).contains("status"), "{}", remarks(&found));
}

#[test]
fn a_session_about_no_file_is_told_by_its_workflow() {
    let mut value = timed("active", json!({}));
    value["target_file"] = "unknown".into();
    let found = session(&value);
    assert_eq!(
        (&found.past.target, &found.manifest["topic"]),
        (&None, &json!("spec_execution_v1"))
    );
}

#[test]
fn a_file_that_came_of_a_phase_is_told() {
    let mut value = timed("active", json!({}));
    value["phase_artifacts"] = json!({"0": {"phase": 0, "artifact_type": "spec", "file_path": "specs/x/srd.md",
                                            "metadata": {}, "timestamp": "2024-05-06T10:02:00"}});
    assert_eq!(session(&value).past.phases[0].outputs, ["specs/x/srd.md"]);
}

#[test]
fn why_a_session_failed_is_said() {
    let mut value = timed("error", json!({}));
    for (reason, told) in
        [("manually_deleted", "somebody deleted it there"), ("disk\nfull", "it failed: disk full")]
    {
        value["error_reason"] = reason.into();
        assert!(remarks(&session(&value)).contains(told), "{}", remarks(&session(&value)));
    }
}

#[test]
fn a_session_that_does_not_say_when_it_began_is_told() {
    let mut value = plain("spec_creation_v1", 1, json!({}), json!({}));
    assert!(!remarks(&session(&value)).contains("when it began"));
    for created in [json!("soon"), Value::Null, json!({})] {
        value["created_at"] = created;
        assert!(remarks(&session(&value)).contains("when it began"));
    }
}

#[test]
fn workflows_of_old_are_known() {
    let mut value = plain("test_generation_v3", 9, json!({}), json!({}));
    value["completed_phases"] = json!([1, 2, 3, 4, 5, 6, 7, 8]);
    for key in ["phase_artifacts", "checkpoints"] {
        value[key] = json!({});
    }
    let found = session(&value);
    assert_eq!((status(&found), phase(&found)), ("complete", "Phase 8"));
}

#[test]
fn a_time_zone_that_was_written_is_taken() {
    let mut value = plain("spec_creation_v1", 0, json!({}), json!({}));
    value["created_at"] = "2024-05-06T08:00:00+02:00".into();
    value["updated_at"] = json!(1_714_982_400);
    let found = session(&value);
    assert_eq!(found.manifest["created_at"], "2024-05-06T06:00:00.000Z");
    assert_eq!(found.manifest["updated_at"], "2024-05-06T08:00:00.000Z");
    assert!(!remarks(&found).contains("time zone"));
}

#[test]
fn phases_that_nobody_counted_are_told() {
    let told = |value: &Value| remarks(&session(value)).contains("how many phases there are");
    assert!(told(&timed("completed", json!({}))));
    assert!(!told(&timed("active", json!({"total_phases": 4}))));
    assert!(!told(&plain("spec_creation_v1", 2, json!({}), json!({}))));
    assert!(
        !told(&plain("spec_execution_v1", 0, json!({}), json!({}))),
        "nobody has read the spec yet"
    );
}

#[test]
fn odd_numbers_do_no_harm() {
    let mut value = plain("bird_watch_v1", 3, json!({}), json!({}));
    value["current_phase"] = json!(1.0);
    value["completed_phases"] = json!([0, 1.5, "x", -1, 1_000_000, 2]);
    value["metadata"]["total_phases"] = json!(1_000_000_000_u64);
    let found = session(&value);
    assert_eq!((status(&found), phase(&found)), ("active", "Phase 1"));
    assert_eq!(found.past.phases.len(), 200);
    assert!(remarks(&found).contains("200"), "{}", remarks(&found));

    let bare = json!({"session_id": "w", "workflow_type": "x", "current_phase": 3});
    let found = session(&bare);
    assert_eq!((status(&found), phase(&found)), ("active", "Phase 3"));
    assert_eq!(found.definition.unwrap().first, 1);
    let empty = json!({"session_id": "w", "workflow_type": "x", "completed_phases": []});
    assert_eq!(phase(&session(&empty)), "Phase 0");
}

#[test]
fn names_of_phases_are_told_apart() {
    let mut value = flagged();
    value["phase_names"] = json!({"1": "Phase 2", "2": "Phase 2", "3": "7"});
    let names = session(&value).definition.unwrap().names();
    assert_eq!(names, ["Phase 2", "Phase 2 (1)", "Phase 3"]);
}
