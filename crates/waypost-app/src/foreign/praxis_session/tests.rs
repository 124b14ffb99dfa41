//! Tests of the reader: each shape that such files have had, and what decides where a session is.

mod odd;
mod strict;
mod writing;

use serde_json::{Value, json};
use waypost_core::time::Timestamp;
use waypost_core::track::PhaseResult;

use super::*;
use crate::foreign::mutations::each_mutation;

fn with_times<T>(use_them: impl FnOnce(&Times<'_>) -> T) -> T {
    let ahead = |_: Timestamp| 3600;
    use_them(&Times::new(&ahead))
}

fn read_bytes(bytes: &[u8]) -> Option<Reading> {
    let file = ForeignFile::of("w-1.json", "old/w-1.json", bytes).ok()?;
    with_times(|times| read(&file, times))
}

fn session(value: &Value) -> Brought {
    match read_bytes(value.to_string().as_bytes()) {
        Some(Reading::Sessions(mut sessions)) => sessions.remove(0),
        other => panic!("no session: {other:?}"),
    }
}

fn status(brought: &Brought) -> &str {
    brought.manifest["status"].as_str().unwrap()
}

fn phase(brought: &Brought) -> &str {
    brought.past.phase.as_deref().unwrap()
}

fn remarks(brought: &Brought) -> String {
    brought.remarks.join("\n")
}

fn time(text: &str) -> Option<Timestamp> {
    Timestamp::lenient(text)
}

/// The oldest shape, with `closed` phases completed, an hour each.
#[expect(clippy::needless_pass_by_value, reason = "calls read better so")]
fn plain(workflow: &str, closed: u64, first: Value, last: Value) -> Value {
    let mut value = json!({
        "session_id": "w-1",
        "workflow_type": workflow,
        "target_file": "specs/review/2024-05-06-bird-feeder/",
        "current_phase": closed,
        "completed_phases": (0..closed).collect::<Vec<_>>(),
        "phase_artifacts": {},
        "checkpoints": {},
        "created_at": "2024-05-06T08:00:00.123456",
        "updated_at": format!("2024-05-06T{:02}:00:00.5", 8 + closed),
        "metadata": {},
    });
    for number in 0..closed {
        let evidence = match number {
            0 => first.clone(),
            _ if number + 1 == closed => last.clone(),
            _ => json!({"all_docstrings_complete": true}),
        };
        value["checkpoints"][number.to_string()] = "passed".into();
        value["phase_artifacts"][number.to_string()] = json!({
            "phase_number": number,
            "evidence": evidence,
            "outputs": {},
            "commands_executed": [],
            "timestamp": format!("2024-05-06T{:02}:00:00", 9 + number),
        });
    }
    value
}

/// The shape with its own times and a word for its life.
#[expect(clippy::needless_pass_by_value, reason = "calls read better so")]
fn timed(status: &str, metadata: Value) -> Value {
    json!({
        "session_id": "workflow_default_w-1",
        "workflow_type": "spec_execution_v1",
        "target_file": "specs/2024-05-06-bird-feeder/tasks.md",
        "current_phase": 1,
        "completed_phases": [0],
        "phase_artifacts": {},
        "checkpoints": {"0": "passed"},
        "evidence_submitted": {"0": {"phases_extracted": true}},
        "phase_timings": {
            "0": {"phase": 0, "started_at": "2024-05-06T10:00:00", "completed_at": "2024-05-06T10:03:00",
                  "duration_seconds": 180.25},
            "1": {"phase": 1, "started_at": "2024-05-06T10:03:00", "completed_at": null, "duration_seconds": null},
        },
        "created_at": "2024-05-06T10:00:00",
        "updated_at": "2024-05-06T10:03:00",
        "completed_at": "2024-05-06T10:03:01",
        "metadata": metadata,
        "status": status,
    })
}

/// The shape with explicit flags.
fn flagged() -> Value {
    json!({
        "session_id": "w-1",
        "workflow_type": "bird-watch",
        "target_file": "specs/bird-feeder",
        "workflow_structure": {"total_phases": 3, "dynamic": false, "starting_phase": 1,
                               "indexing_scheme": "one_based", "workflow_version": "v2"},
        "phase_names": {"1": "look", "2": "count", "3": "tell"},
        "current_phase": 2,
        "completed_phases": [1],
        "phase_timing": {
            "1": {"started_at": "2024-05-06T10:00:00.000Z", "completed_at": "2024-05-06T10:03:00.000Z", "attempts": 2},
            "2": {"started_at": "2024-05-06T10:03:00.000Z", "attempts": 1},
        },
        "lifecycle": {"completed": false, "completed_at": null, "paused": true, "paused_at": "2024-05-06T10:30:00Z",
                      "paused_reason": "rain", "paused_context": "eleven sparrows so far",
                      "resumed_at": "2024-05-06T10:20:00Z", "resume_count": 4,
                      "last_error": "no binoculars", "last_error_at": "2024-05-06T10:10:00Z"},
        "phase_artifacts": {"1": {"phase_number": 1, "phase_name": "look", "evidence": {"birds": 3},
                                  "outputs": ["birds.md"], "commands_executed": ["ls", {"command": "wc -l birds.md"}],
                                  "timestamp": "2024-05-06T10:03:00.000Z"}},
        "checkpoints": {"1": "passed", "2": "failed", "3": "pending"},
        "created_at": "2024-05-06T10:00:00.000Z",
        "updated_at": "2024-05-06T10:30:00.000Z",
        "metadata": {"spec_path": "specs/bird-feeder", "user_options": {"loud": false}, "agent_version": "1.0.0"},
    })
}

#[test]
fn a_phase_behind_the_last_one_stands_for_the_end() {
    let mut value = plain("spec_execution_v1", 6, json!({"checked": true}), json!({"live": true}));
    value["metadata"] = json!({"total_phases": 6, "spec_path": "specs/x"});
    let found = session(&value);
    assert_eq!((status(&found), phase(&found), found.past.complete), ("complete", "Phase 5", true));
    assert_eq!(found.past.phases.len(), 6);
    assert_eq!(found.definition.as_ref().unwrap().phases.len(), 6);
    assert_eq!(found.definition.as_ref().unwrap().phases_from, None);
    assert_eq!(found.past.ended_at, time("2024-05-06T13:00:00Z"));
    assert!(remarks(&found).contains("phase 6, which it does not have"), "{}", remarks(&found));
    assert_eq!(found.past.options["total_phases"], 6);
}

#[test]
fn times_that_are_not_in_the_file_are_deduced_and_said_to_be() {
    let found = session(&plain("spec_creation_v1", 2, json!({"a": 1}), json!({"b": 2})));
    let phases = &found.past.phases;
    assert_eq!(phases[0].started_at, time("2024-05-06T07:00:00.123Z"));
    assert_eq!(phases[0].completed_at, time("2024-05-06T08:00:00Z"));
    assert_eq!(phases[1].started_at, phases[0].completed_at);
    assert_eq!(phases[2].started_at, phases[1].completed_at);
    assert_eq!((phases[2].completed_at, phases[2].attempts), (None, 0));
    assert_eq!(phases[3].started_at, None);
    assert_eq!((phases[0].result, phases[0].attempts), (PhaseResult::Passed, 1));
    assert_eq!(phases[1].evidence["b"], 2);
    assert!(remarks(&found).contains("when its phases began is not in the file"));
    assert!(found.remarks.iter().any(|remark| remark == LOCAL_TIMES));
    assert_eq!(found.manifest["created_at"], "2024-05-06T07:00:00.123Z");
}

#[test]
fn a_topic_is_something_that_a_person_knows() {
    let mut value = plain("spec_creation_v1", 0, json!({}), json!({}));
    let topic = |value: &Value| session(value).manifest["topic"].as_str().unwrap().to_owned();
    assert_eq!(topic(&value), "spec_creation_v1: 2024-05-06-bird-feeder");
    value["target_file"] = "specs/bird-feeder/tasks.md".into();
    assert_eq!(topic(&value), "spec_creation_v1: bird-feeder");
    value["target_file"] = "src/core/feeder.py".into();
    assert_eq!(topic(&value), "spec_creation_v1: feeder.py");
    value["target_file"] = "".into();
    assert_eq!(topic(&value), "spec_creation_v1");
    value["metadata"] = json!({"feature_name": "Bird Feeder", "description": "Feeds birds"});
    assert_eq!(topic(&value), "spec_creation_v1: Bird Feeder");
    let found = session(&value);
    assert_eq!(found.manifest["description"], "Feeds birds");
    assert_eq!((found.name.as_str(), found.format), ("w-1", "praxis"));
    assert_eq!(found.past.target, None);
}

#[test]
fn phases_of_a_spec_are_as_many_as_the_first_one_found() {
    let of =
        |first: Value, closed: u64| session(&plain("spec_execution_v1", closed, first, json!({})));
    for first in [
        json!({"phases_extracted": 3}),
        json!({"phase_list": ["one", "two", "three"]}),
        json!({"tasks_complete": ["read it", "Parsed tasks.md - 3 phases, 14 tasks"]}),
    ] {
        let found = of(first.clone(), 4);
        assert_eq!((status(&found), phase(&found)), ("complete", "Phase 3"), "{first}");
        assert!(remarks(&found).contains("counts 3 phases of the spec"), "{}", remarks(&found));
        let found = of(first, 2);
        assert_eq!(
            (status(&found), phase(&found), found.past.phases.len()),
            ("active", "Phase 2", 4)
        );
    }
    let found = of(json!({"phases_extracted": true, "note": "phases are good"}), 3);
    assert_eq!((status(&found), phase(&found), found.past.phases.len()), ("active", "Phase 3", 4));
    assert!(remarks(&found).contains("nothing says that no more follow"), "{}", remarks(&found));
}

#[test]
fn a_count_of_two_tells_nothing_of_a_spec() {
    let mut value = plain("spec_execution_v1", 2, json!({}), json!({}));
    value["metadata"]["total_phases"] = 2.into();
    let found = session(&value);
    assert_eq!((status(&found), phase(&found)), ("active", "Phase 2"));
    assert!(remarks(&found).contains("it counts 2 phases"), "{}", remarks(&found));

    let mut value =
        plain("spec_execution_v1", 5, json!({"tasks": ["4 phases, 14 tasks"]}), json!({}));
    value["metadata"]["total_phases"] = 2.into();
    let found = session(&value);
    assert_eq!(
        (status(&found), phase(&found), found.past.phases.len()),
        ("complete", "Phase 4", 5)
    );
    assert!(remarks(&found).contains("it counts 2 phases"), "{}", remarks(&found));

    let mut value = plain("bird_watch_v1", 5, json!({}), json!({}));
    value["metadata"]["total_phases"] = 2.into();
    let found = session(&value);
    assert_eq!(
        (status(&found), phase(&found), found.past.phases.len()),
        ("complete", "Phase 4", 5)
    );
    assert!(
        remarks(&found).contains("phase 1 is the last, and phase 4 is completed"),
        "{}",
        remarks(&found)
    );
}

#[test]
fn evidence_may_say_that_all_is_done() {
    let done = json!({"workflow_execution_complete": true});
    let found = session(&plain("spec_execution_v1", 7, json!({"total_phases": 2}), done.clone()));
    assert_eq!((status(&found), phase(&found)), ("complete", "Phase 6"));
    assert!(remarks(&found).contains("`workflow_execution_complete`"), "{}", remarks(&found));
    let found = session(&plain("bird_watch_v1", 2, json!({}), done));
    assert_eq!((status(&found), phase(&found)), ("complete", "Phase 1"));
    for other in [json!({"all_docstrings_complete": true}), json!({"workflow_complete": false})] {
        let found = session(&plain("bird_watch_v1", 2, json!({}), other));
        assert_eq!((status(&found), phase(&found)), ("active", "Phase 2"));
    }
}

#[test]
fn the_programs_own_workflows_are_known() {
    let found = session(&plain("spec_creation_v1", 6, json!({}), json!({})));
    assert_eq!((status(&found), phase(&found)), ("complete", "Phase 5"));
    let found = session(&plain("spec_creation_v1", 0, json!({}), json!({})));
    assert_eq!((status(&found), phase(&found), found.past.phases.len()), ("active", "Phase 0", 6));
    assert_eq!(found.past.phases[0].started_at, time("2024-05-06T07:00:00.123Z"));
}

#[test]
fn a_spec_that_nobody_has_read_yet_has_more_phases() {
    let found = session(&plain("spec_execution_v1", 0, json!({}), json!({})));
    let definition = found.definition.unwrap();
    assert_eq!((definition.phases.len(), definition.phases_from.as_deref()), (1, Some("tasks.md")));
}

#[test]
fn what_calls_itself_completed_while_a_phase_is_open_is_not() {
    let found = session(&timed("completed", json!({})));
    assert_eq!((status(&found), phase(&found), found.past.complete), ("active", "Phase 1", false));
    assert_eq!(found.past.ended_at, None);
    assert!(remarks(&found).contains("phase 1 was begun and not completed"), "{}", remarks(&found));
    assert_eq!(found.past.phases[0].completed_at, time("2024-05-06T09:03:00Z"));
    assert_eq!(found.past.phases[1].started_at, time("2024-05-06T09:03:00Z"));
    assert_eq!(found.past.phases[0].evidence["phases_extracted"], true);
    assert!(!remarks(&found).contains("taken to have begun"));
    assert_eq!(found.manifest["topic"], "spec_execution_v1: 2024-05-06-bird-feeder");
}

#[test]
fn the_program_begins_a_phase_behind_the_last_one() {
    let mut value = timed("completed", json!({"total_phases": 1}));
    value["workflow_type"] = "bird_watch_v1".into();
    let found = session(&value);
    assert_eq!(
        (status(&found), phase(&found), found.past.phases.len()),
        ("complete", "Phase 0", 1)
    );
    assert_eq!(found.past.ended_at, time("2024-05-06T09:03:01Z"));
    assert!(
        remarks(&found).contains("phase 1 was begun behind the last phase"),
        "{}",
        remarks(&found)
    );
}

#[test]
fn an_error_is_told_with_its_reason() {
    let mut value = timed("error", json!({}));
    value["error_reason"] = "manually_deleted".into();
    let found = session(&value);
    assert_eq!((status(&found), phase(&found)), ("failed", "Phase 1"));
    let error = found.past.last_error.unwrap();
    assert_eq!(
        (error.text.as_str(), error.time),
        ("manually_deleted", time("2024-05-06T09:03:01Z"))
    );
    assert_eq!(found.past.ended_at, time("2024-05-06T09:03:01Z"));
    value.as_object_mut().unwrap().remove("error_reason");
    assert!(session(&value).past.last_error.is_some());
}

#[test]
fn explicit_flags_are_taken() {
    let found = session(&flagged());
    assert_eq!((status(&found), phase(&found)), ("paused", "count"));
    let definition = found.definition.as_ref().unwrap();
    assert_eq!((definition.first, definition.version.as_deref()), (1, Some("v2")));
    let names: Vec<_> = definition.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["look", "count", "tell"]);
    let past = &found.past;
    let pause = past.pause.as_ref().unwrap();
    assert_eq!((pause.reason.as_str(), pause.since), ("rain", time("2024-05-06T10:30:00Z")));
    assert_eq!(pause.context.as_deref(), Some("eleven sparrows so far"));
    assert_eq!((past.resumed, past.resumed_at), (4, time("2024-05-06T10:20:00Z")));
    assert_eq!(past.last_error.as_ref().unwrap().text, "no binoculars");
    assert_eq!(
        Value::Object(past.options.clone()),
        json!({"loud": false, "agent_version": "1.0.0"})
    );
    assert_eq!((past.phases[0].number, past.phases[0].attempts), (1, 2));
    assert_eq!(past.phases[0].outputs, ["birds.md"]);
    assert_eq!(past.phases[0].commands, ["ls", "wc -l birds.md"]);
    assert_eq!(past.phases[1].result, PhaseResult::Failed);
    assert!(found.remarks.is_empty(), "{}", remarks(&found));
}

#[test]
fn flags_that_the_phases_contradict_do_not_count() {
    let mut value = flagged();
    value["lifecycle"]["completed"] = true.into();
    let found = session(&value);
    assert_eq!((status(&found), found.past.complete), ("paused", false));
    assert!(remarks(&found).contains("calls itself completed"), "{}", remarks(&found));
    value["completed_phases"] = json!([1, 2, 3]);
    value["checkpoints"] = json!({"1": "passed", "2": "skipped", "3": "passed"});
    value["skip_reasons"] = json!({"2": "no time"});
    value["current_phase"] = 3.into();
    let found = session(&value);
    assert_eq!((status(&found), phase(&found), found.past.complete), ("complete", "tell", true));
    assert_eq!(found.past.phases[1].skipped.as_deref(), Some("no time"));
    value["lifecycle"]["completed"] = false.into();
    let found = session(&value);
    assert_eq!(status(&found), "complete");
    assert!(remarks(&found).contains("though it does not call itself so"), "{}", remarks(&found));
}

#[test]
fn other_files_are_told_apart() {
    let of = |value: Value| read_bytes(value.to_string().as_bytes());
    let workflow = json!({"workflow_type": "spec_creation_v1", "total_phases": 6, "phases": []});
    assert!(
        matches!(of(workflow), Some(Reading::NoSession(why)) if why.contains("workflow definition"))
    );
    assert_eq!(of(json!({"session_id": "x", "topic": "y", "current_phase": "spec"})), None);
    assert_eq!(of(json!({"session_id": "x", "workflow_type": "y", "current_phase": "spec"})), None);
    assert_eq!(of(json!({"phases": [], "name": "x"})), None);
    assert_eq!(of(json!([1, 2])), None);
    assert_eq!(read_bytes(b"# Session"), None);
    let broken = json!({"session_id": "x", "workflow_type": {}, "current_phase": 1});
    assert!(matches!(of(broken), Some(Reading::Refused(why)) if why.contains("`workflow_type`")));
    let browser = json!({"session_id": "b", "browser_type": "chromium", "tab_ids": {}, "status": "completed"});
    assert!(matches!(of(browser), Some(Reading::NoSession(why)) if why.contains("browser")));
}

#[test]
fn damaged_files_do_no_harm() {
    let shapes = [
        plain("spec_execution_v1", 3, json!({"n": "4 phases"}), json!({"workflow_complete": true})),
        timed("completed", json!({"total_phases": 2})),
        flagged(),
    ];
    for shape in shapes {
        let text = serde_json::to_string_pretty(&shape).unwrap();
        each_mutation(&text, 10_000, |bytes| {
            if let Some(Reading::Sessions(sessions)) = read_bytes(bytes) {
                let definition = sessions[0].definition.as_ref().unwrap();
                assert!((1..=200).contains(&definition.phases.len()));
                assert!(definition.phase(phase(&sessions[0])).is_some());
                assert!(!sessions[0].past.complete || status(&sessions[0]) != "active");
            }
        });
    }
}
