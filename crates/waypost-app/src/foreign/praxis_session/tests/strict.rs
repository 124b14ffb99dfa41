//! Tests of files of the program that refuses keys which it does not know.

use waypost_core::event::SessionOutcome;

use super::writing::{completed, ended, entered, imported, passed, value, written};
use super::*;

/// All keys that the program takes, and those of a phase's times.
const TAKEN: &[&str] = &[
    "session_id",
    "workflow_type",
    "target_file",
    "current_phase",
    "completed_phases",
    "phase_artifacts",
    "checkpoints",
    "evidence_submitted",
    "phase_timings",
    "created_at",
    "updated_at",
    "completed_at",
    "metadata",
    "status",
    "error_reason",
];
const TAKEN_OF_TIMES: &[&str] = &["phase", "started_at", "completed_at", "duration_seconds"];

fn assert_taken(now: &Value) {
    for key in now.as_object().unwrap().keys() {
        assert!(TAKEN.contains(&key.as_str()), "{key}");
    }
    for timing in now["phase_timings"].as_object().unwrap().values() {
        for key in timing.as_object().unwrap().keys() {
            assert!(TAKEN_OF_TIMES.contains(&key.as_str()), "{key}");
        }
        assert!(timing["started_at"].is_string());
    }
    for result in now["checkpoints"].as_object().unwrap().values() {
        assert!(["pending", "passed", "failed"].contains(&result.as_str().unwrap()), "{result}");
    }
}

fn pause() -> waypost_core::event::Known {
    waypost_core::event::Known::SessionPaused {
        reason: "lunch".into(),
        context: Some("half of it".into()),
    }
}

fn resume() -> waypost_core::event::Known {
    waypost_core::event::Known::SessionResumed { commit: None }
}

#[test]
fn the_strict_program_gets_no_key_that_it_refuses() {
    let mut without_times = timed("active", json!({}));
    without_times.as_object_mut().unwrap().remove("phase_timings");
    let mut failed = timed("error", json!({}));
    failed["error_reason"] = "disk full".into();
    for came in [timed("completed", json!({})), without_times, failed] {
        let came = imported(&session(&came));
        let on = vec![came.clone(), resume(), passed("Phase 1", json!({"tests": 7}))];
        let over = [completed(), ended(SessionOutcome::Completed)];
        for events in [
            vec![came.clone(), resume(), pause()],
            on.clone(),
            on.into_iter().chain(over).collect(),
            vec![came, resume(), ended(SessionOutcome::Failed)],
        ] {
            assert_taken(&value(&written(events)));
        }
    }
}

#[test]
fn what_it_has_no_key_for_is_found_again_in_the_metadata() {
    let came = timed("active", json!({"spec_path": "specs/x"}));
    let now = value(&written(vec![imported(&session(&came)), resume(), pause()]));
    let found = session(&now);
    let paused = found.past.pause.as_ref().unwrap();
    assert_eq!((status(&found), paused.reason.as_str()), ("paused", "lunch"));
    assert_eq!((paused.context.as_deref(), found.past.resumed), (Some("half of it"), 1));
    assert_eq!(paused.since, time("2027-01-15T08:03:00Z"));
    assert_eq!(Value::Object(found.past.options), json!({"spec_path": "specs/x"}));
    // Once that program has gone on, the pause is over.
    let mut later = now.clone();
    later["updated_at"] = "2027-01-15T11:00:00".into();
    let found = session(&later);
    assert_eq!((status(&found), &found.past.pause), ("active", &None));
}

#[test]
fn what_was_skipped_counts_there_as_passed_and_here_as_skipped() {
    let mut came = timed("active", json!({}));
    came["evidence_submitted"]["0"] = json!({"phases_extracted": 2});
    let skipped = waypost_core::event::Known::PhaseSkipped {
        phase: "Phase 1".into(),
        reason: "no time".into(),
    };
    let events = vec![imported(&session(&came)), resume(), skipped, entered("Phase 1", "Phase 2")];
    let now = value(&written(events));
    assert_taken(&now);
    assert_eq!((&now["checkpoints"]["1"], &now["current_phase"]), (&json!("passed"), &json!(2)));
    assert_eq!(now["completed_phases"], json!([0, 1]));
    let found = session(&now);
    assert_eq!(found.past.phases[1].result, PhaseResult::Skipped);
    assert_eq!(found.past.phases[1].skipped.as_deref(), Some("no time"));
    assert_eq!(phase(&found), "Phase 2");
}

#[test]
fn a_time_that_is_the_same_stays_as_exact_as_it_was() {
    let mut came = timed("active", json!({}));
    came["phase_timings"]["1"]["started_at"] = "2024-05-06T10:03:00.123456".into();
    let events =
        vec![imported(&session(&came)), resume(), passed("Phase 1", json!({})), completed()];
    let timing = value(&written(events))["phase_timings"]["1"].clone();
    assert_eq!(timing["started_at"], "2024-05-06T10:03:00.123456");
    assert_eq!(timing["completed_at"], "2027-01-15T09:04:00.000");
}
