//! Manifests with the oddities of real ones, and what is made of them.

use serde_json::{Value, json};
use waypost_core::time::Timestamp;
use waypost_core::track::PhaseResult;

use super::*;
use crate::foreign::mutations::each_mutation;

fn utc(_: Timestamp) -> i32 {
    0
}

/// What becomes of a manifest in a folder of its session's name.
fn reading(manifest: &Value) -> Reading {
    let text = manifest.to_string();
    let file = ForeignFile::of(MANIFEST, MANIFEST, text.as_bytes()).unwrap();
    let times = Times::new(&utc);
    read(&file, "x").or_else(|| read_other(&file, &times)).unwrap()
}

fn brought(manifest: &Value) -> Brought {
    match reading(manifest) {
        Reading::Sessions(mut sessions) => sessions.remove(0),
        other => panic!("{other:?}"),
    }
}

fn building() -> Value {
    json!({
        "session_id": "x",
        "topic": "Sort the shelves",
        "session_type": "full",
        "created_at": "2026-03-01T08:00:00+00:00",
        "updated_at": "2026-03-01T12:00:00+00:00",
        "current_phase": "build",
        "status": "active",
        "phase_history": {
            "spec_started_at": "2026-03-01T08:00:00+00:00",
            "spec_completed_at": "2026-03-01T09:00:00+00:00",
            "plan_started_at": "2026-03-01T09:00:00+00:00",
            "plan_completed_at": "2026-03-01T10:00:00+00:00",
            "build_started_at": "2026-03-01T10:00:00+00:00",
        },
    })
}

fn with(fields: &Value) -> Value {
    let mut manifest = building();
    for (key, value) in fields.as_object().unwrap() {
        manifest[key] = value.clone();
    }
    manifest
}

fn kinds(brought: &Brought) -> Vec<(&str, &str)> {
    brought.past.notes.iter().map(|note| (&*note.kind, &*note.text)).collect()
}

#[test]
fn what_is_over_is_complete_and_phases_that_nobody_began_are_skipped() {
    for fields in [
        json!({"current_phase": "complete"}),
        json!({"current_phase": "completed", "status": "done"}),
        json!({"status": "archived"}),
    ] {
        let mut manifest = with(&fields);
        manifest["phases"] = json!({"build": {"status": "completed"}});
        let brought = brought(&manifest);
        assert!(brought.past.complete, "{fields}");
        let docs = brought.past.phases.last().unwrap();
        assert_eq!((docs.name.as_str(), docs.result), ("docs", PhaseResult::Skipped));
        assert_eq!(brought.past.phase.as_deref(), Some("build"));
        assert!(brought.past.ended_at.is_some());
    }
    // It is over, and its phase is half done.
    for fields in [json!({"status": "cancelled"}), json!({"current_phase": "complete"})] {
        let ended = brought(&with(&fields)).past;
        assert!(!ended.complete && ended.ended_at.is_some(), "{fields}");
        assert_eq!(ended.phase.as_deref(), Some("build"));
    }
}

#[test]
fn a_specification_that_needs_no_plan_completes_its_session() {
    let brought = brought(&json!({
        "session_id": "x", "topic": "Look around", "current_phase": "spec",
        "created_at": "2026-03-01T08:00:00Z",
        "phases": {
            "spec": {"status": "finalized_complete", "finalized_at": "2026-03-01T09:00:00Z"},
            "plan": {"status": null}, "build": {"status": "not_started"},
        },
    }));
    assert!(brought.past.complete);
    let results: Vec<_> = brought.past.phases.iter().map(|phase| phase.result).collect();
    let skipped = PhaseResult::Skipped;
    assert_eq!(results, [PhaseResult::Passed, skipped, skipped, skipped]);
    assert_eq!(brought.remarks, Vec::<String>::new());
}

#[test]
fn what_does_not_fit_together_is_told() {
    for (fields, told) in [
        (json!({"current_phase": "plan"}), "it is in phase plan, although build was begun"),
        (
            json!({"current_phase": "review"}),
            "`review`, which is not known here; it is taken as `build`",
        ),
        (
            json!({"current_phase": null}),
            "does not say which phase it is in; it is taken to be in build",
        ),
        (json!({"status": "In Progress"}), "its status is `In Progress`; it is taken as `active`"),
        (json!({"current_phase": "complete"}), "its status was left"),
        (json!({"current_phase": "complete"}), "complete, and not when its phase build was"),
        (json!({"session_type": "feature"}), "its type is `feature`"),
        (
            json!({"session_type": "quick"}),
            "quick sessions have no phase spec here; this one keeps it",
        ),
        (json!({"created_at": "2026-03-01T08:00:00"}), "no offset are taken as UTC"),
        (json!({"created_at": "soon"}), "the earliest time that it tells is taken"),
        (json!({"session_id": "y"}), "its manifest calls it y"),
        (
            json!({"phase_history": {"build_started_at": "2026-03-02T00:00:00Z",
                                     "build_completed_at": "2026-03-01T00:00:00Z"}}),
            "its phase build was completed before it began",
        ),
    ] {
        let remarks = brought(&with(&fields)).remarks;
        assert!(remarks.iter().any(|remark| remark.contains(told)), "{fields}: {remarks:?}");
    }
    assert_eq!(brought(&building()).remarks, Vec::<String>::new());
}

/// Every phase has a completion time.
fn all_completed() -> Value {
    let mut manifest = building();
    for (key, time) in [("build_completed", 12), ("docs_started", 12), ("docs_completed", 13)] {
        manifest["phase_history"][format!("{key}_at")] = json!(format!("2026-03-01T{time}:00:00Z"));
    }
    manifest
}

#[test]
fn a_session_whose_phases_were_all_completed_is_complete_wherever_it_was_left() {
    for (phase, status) in [("docs", "active"), ("build", "paused"), ("docs", "in_progress")] {
        let mut manifest = all_completed();
        (manifest["current_phase"], manifest["status"]) = (json!(phase), json!(status));
        let brought = brought(&manifest);
        assert!(brought.past.complete, "{phase} {status}");
        assert_eq!(brought.past.phase.as_deref(), Some("docs"));
        assert!(waypost_core::session::Basics::read(&manifest).lifecycle().is_over());
        let told = format!("it says that it is in phase {phase}; all its phases were completed");
        assert!(brought.remarks.iter().any(|it| it.starts_with(&told)), "{:?}", brought.remarks);
    }
    let mut begun_anew = all_completed();
    begun_anew["phase_history"]["build_started_at"] = json!("2026-03-02T10:00:00Z");
    assert!(!brought(&begun_anew).past.complete);
    // Research goes on in a plan that nobody has begun.
    let research = json!({"session_type": "research", "current_phase": "plan", "phase_history": {
        "spec_started_at": "2026-03-01T08:00:00Z", "spec_completed_at": "2026-03-01T09:00:00Z"}});
    assert!(!brought(&with(&research)).past.complete);
    let mut failed = all_completed();
    failed["status"] = json!("failed");
    assert_eq!(waypost_core::session::Basics::read(&failed).status, "failed");
}

#[test]
fn the_phase_that_a_session_is_in_is_open_although_it_was_completed() {
    let brought = brought(&with(&json!({"current_phase": "plan"})));
    let plan = &brought.past.phases[1];
    assert_eq!((plan.name.as_str(), plan.result), ("plan", PhaseResult::Pending));
    assert!(plan.started_at.is_some() && plan.completed_at.is_some(), "its times are kept");
    let told = "it is in phase plan, although that was completed; it is taken as not done";
    assert!(brought.remarks.iter().any(|it| it == told), "{:?}", brought.remarks);
    assert!(!brought.past.complete);
}

#[test]
fn phases_that_the_type_does_not_have_are_kept_with_their_times() {
    let quick = brought(&with(&json!({"session_type": "quick"})));
    let names: Vec<_> =
        quick.past.phases.iter().map(|phase| (phase.number, &*phase.name)).collect();
    assert_eq!(names, [(1, "spec"), (2, "plan"), (3, "build")]);
    assert!(quick.past.phases.iter().all(|phase| phase.started_at.is_some()));
    assert_eq!(quick.definition.unwrap().name, "quick");
}

#[test]
fn goals_decisions_and_questions_are_notes_in_every_shape() {
    let notes = brought(&with(&json!({
        "description": "Top to bottom",
        "goals": {"mid_level": ["Label them"], "high_level": [{"goal": "Find a book"}], "zeal": "high"},
        "key_decisions": [
            {"_example": true, "decision": "Example: use REST"},
            {"title": "By author", "rationale": "as people ask", "date": "2026-03-01", "by": "Ada"},
            "No new shelves",
        ],
        "decisions": {"colour": "blue"},
        "open_questions": ["Which first?", {"question": "How many?", "answer": "Seven"}, 3, null],
        "research_artifacts": [{"path": "research/a.md", "description": "on shelves"}],
        "prior_session": "w",
        "plan_state": {"summary": "Half done", "current_task": "2.1"},
    })));
    assert_eq!(
        kinds(&notes),
        [
            ("description", "Top to bottom"),
            ("goal", "Find a book"),
            ("goal", "Label them"),
            ("goal", "high"),
            ("decision", "By author: as people ask"),
            ("decision", "No new shelves"),
            ("decision", "colour: blue"),
            ("question", "Which first?"),
            ("answer", "How many?: Seven"),
            ("research", "research/a.md: on shelves"),
            ("link", "prior session: w"),
            ("progress", "Half done"),
        ]
    );
    assert_eq!(notes.past.notes[4].by.as_deref(), Some("Ada"));
    assert!(notes.past.notes[4].time.is_some());
    assert_eq!(notes.past.focus.task.as_deref(), Some("2.1"));
    assert_eq!(kinds(&brought(&with(&json!({"goals": "One"})))), [("goal", "One")]);
}

#[test]
fn a_manifest_is_known_without_its_name_or_phase_and_others_are_not_taken_for_one() {
    let mut nameless = building();
    nameless.as_object_mut().unwrap().remove("session_id");
    nameless.as_object_mut().unwrap().remove("current_phase");
    assert_eq!(brought(&nameless).name, "x");
    let file = |value: &Value| value.to_string();
    for other in [
        json!({"session_id": "x", "workflow_type": "w", "current_phase": 2, "topic": "t"}),
        json!({"session_id": "x", "current_phase": 2, "topic": "t"}),
        json!({"current_phase": "build"}),
    ] {
        let text = file(&other);
        let foreign = ForeignFile::of(MANIFEST, MANIFEST, text.as_bytes()).unwrap();
        assert_eq!(read(&foreign, "x"), None, "{other}");
    }
    let text = file(&nameless);
    let alone = ForeignFile::of("some.json", "some.json", text.as_bytes()).unwrap();
    assert_eq!(read(&alone, ""), None, "nothing says what it is called");
    let template = reading(&with(&json!({"session_id": "{{SESSION_ID}}"})));
    assert!(matches!(template, Reading::NoSession(_)));
    let empty = ForeignFile::of(MANIFEST, MANIFEST, b" \n").unwrap();
    assert!(matches!(read(&empty, "x"), Some(Reading::Refused(_))));
}

#[test]
fn research_by_itself_tells_what_had_to_be_found_out() {
    let state = json!({
        "id": "x", "request": "How do others sort?", "status": "completed",
        "created_at": "2026-03-01T08:00:00Z", "completed_at": "2026-03-01T09:00:00Z",
        "research_plan": {"success_criteria": [{"id": "SC1", "description": "Two ways", "met": true}]},
        "subtasks": [{"id": "001", "objective": "Ask a library", "status": "complete"}],
    });
    let brought = brought(&state);
    assert_eq!((brought.format, &brought.manifest["status"]), (RESEARCH, &json!("complete")));
    assert_eq!(brought.original[MANIFEST], state);
    assert_eq!(brought.past.checklist[0].done, Some(true));
    assert_eq!(kinds(&brought), [("subtask", "Ask a library (complete)")]);
}

#[test]
fn ten_thousand_damaged_manifests_are_read_or_refused() {
    let text = with(&json!({
        "goals": {"high_level": ["a"]}, "key_decisions": [{"decision": "b", "date": "2026-03-01"}],
        "open_questions": ["c"], "commits": [{"sha": "abc1234", "checkpoint_id": 1}, "def5678 d"],
        "plan_state": {"checkpoints_completed": [1, "2"], "summary": "e"},
        "phases": {"spec": {"status": "finalized", "finalized_at": "2026-03-01"}},
    }))
    .to_string();
    let mut sessions = 0;
    each_mutation(&text, 10_000, |bytes| {
        let Ok(file) = ForeignFile::of(MANIFEST, MANIFEST, bytes) else { return };
        let times = Times::new(&utc);
        if let Some(Reading::Sessions(found)) = read(&file, "x") {
            sessions += found.len();
        }
        let _ = read_other(&file, &times);
    });
    assert!(sessions > 100, "most damage is in texts and numbers: {sessions}");
}
