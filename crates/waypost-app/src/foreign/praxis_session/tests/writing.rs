//! Tests of the writer: what goes out comes in again as the same.

use waypost_core::actor::Actor;
use waypost_core::agents::Agents;
use waypost_core::course::Course;
use waypost_core::event::{
    Event, Known, PhaseChecked, SessionEnded, SessionImported, SessionOutcome, SessionStarted,
};
use waypost_core::evidence::Provenance;
use waypost_core::id::SessionId;
use waypost_core::manifest::Manifest;
use waypost_core::record::Record;
use waypost_core::session::SessionState;
use waypost_core::track::{Definition, Phase, TrackStarted};

use super::*;
use crate::foreign::session::{Leaving, Written};

pub(super) fn imported(brought: &Brought) -> Known {
    let mut imported = SessionImported::of_manifest(brought.format, brought.manifest.clone());
    imported.past = Box::new(brought.past.clone());
    imported.definition = brought.definition.clone().map(Box::new);
    imported.original = brought.original.clone();
    imported.remarks = brought.remarks.clone();
    Known::SessionImported(imported)
}

/// The file of a session to which this happened, a minute each.
pub(super) fn written(events: Vec<Known>) -> Written {
    let id: SessionId = "w-1".parse().unwrap();
    let record = |(seq, event): (u64, Known)| Record {
        seq,
        time: Timestamp::from_millis(1_800_000_000_000 + i64::try_from(seq).unwrap() * 60_000)
            .unwrap(),
        actor: Actor::Human,
        event: event.into(),
    };
    let records: Vec<Record> = (1..).zip(events).map(record).collect();
    let (state, course) = (SessionState::fold(&records), Course::of(&records));
    let manifest = Manifest::of(&id, &records, "00", state.lifecycle);
    let manifest = serde_json::to_value(manifest).unwrap();
    let ahead = |_: Timestamp| 3600;
    let leaving = Leaving {
        id: &id,
        state: &state,
        course: &course,
        agents: &Agents::of(&records),
        manifest: &manifest,
        notes: &[],
        violations: &[],
        summary: None,
        next_notes: None,
        imported: match &records[0].event {
            Event::Known(Known::SessionImported(imported)) => Some(imported),
            _ => None,
        },
    };
    write(&leaving, &ahead)
}

pub(super) fn value(written: &Written) -> Value {
    serde_json::from_str(&written.text).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "calls read better so")]
pub(super) fn passed(phase: &str, evidence: Value) -> Known {
    Known::PhaseChecked(Box::new(PhaseChecked {
        phase: phase.into(),
        passed: true,
        evidence: evidence.as_object().unwrap().clone(),
        provenance: Provenance::Claimed,
        errors: Vec::new(),
        warnings: Vec::new(),
        next_steps: Vec::new(),
    }))
}

pub(super) fn entered(from: &str, to: &str) -> Known {
    serde_json::from_value(json!({"type": "phase_entered", "from": from, "to": to})).unwrap()
}

pub(super) fn completed() -> Known {
    serde_json::from_value(json!({"type": "track_completed"})).unwrap()
}

pub(super) fn ended(outcome: SessionOutcome) -> Known {
    Known::SessionEnded(SessionEnded { outcome, summary: None, next_notes: None })
}

fn shapes() -> Vec<Value> {
    let found = json!({"phases_extracted": 2});
    let mut failed = timed("error", json!({"spec_path": "specs/x"}));
    failed["error_reason"] = "manually_deleted".into();
    vec![
        plain("spec_execution_v1", 0, json!({}), json!({})),
        plain("spec_execution_v1", 2, found.clone(), json!({"done": ["1.1"]})),
        plain("spec_execution_v1", 3, found, json!({"done": ["2.1"]})),
        timed("completed", json!({})),
        failed,
        flagged(),
    ]
}

#[test]
fn what_came_and_was_left_alone_goes_out_as_it_came() {
    for shape in shapes() {
        let written = written(vec![imported(&session(&shape))]);
        assert_eq!(value(&written), shape);
        assert_eq!((written.name.as_str(), written.lost.len()), ("w-1.json", 0));
    }
}

#[test]
fn what_happened_since_is_overlaid_and_nothing_else_is_lost() {
    for mut shape in shapes() {
        shape["nobody_knows"] = json!({"this": 1});
        shape["metadata"]["nor"] = "this".into();
        let before = session(&shape);
        let paused = Known::SessionPaused { reason: "lunch".into(), context: None };
        let written =
            written(vec![imported(&before), Known::SessionResumed { commit: None }, paused]);
        let now = value(&written);
        assert_eq!(now["nobody_knows"], shape["nobody_knows"]);
        for (key, value) in shape["metadata"].as_object().unwrap() {
            assert_eq!(&now["metadata"][key], value);
        }
        for key in ["session_id", "created_at", "target_file", "workflow_type"] {
            assert_eq!(now[key], shape[key]);
        }
        let after = session(&now);
        assert_eq!(after.past.phases, before.past.phases, "{}", written.text);
        assert_eq!(after.past.options, before.past.options);
        assert_eq!(
            (&after.past.phase, after.past.complete),
            (&before.past.phase, before.past.complete)
        );
        assert_eq!(after.definition, before.definition);
        assert_eq!(after.manifest["topic"], before.manifest["topic"]);
        if !before.past.complete {
            assert_eq!(after.past.pause.as_ref().unwrap().reason, "lunch");
            assert_eq!(status(&after), "paused");
        }
    }
}

#[test]
fn a_phase_that_was_completed_here_is_told_in_the_shape_that_it_came_in() {
    let came =
        plain("spec_execution_v1", 2, json!({"phases_extracted": 2}), json!({"done": ["1.1"]}));
    let events = vec![
        imported(&session(&came)),
        Known::SessionResumed { commit: None },
        passed("Phase 2", json!({"tests": 7})),
        completed(),
        ended(SessionOutcome::Completed),
    ];
    let now = value(&written(events));
    assert_eq!(now["current_phase"], 3);
    assert_eq!(now["completed_phases"], json!([0, 1, 2]));
    assert_eq!(now["phase_artifacts"]["2"]["evidence"], json!({"tests": 7}));
    assert_eq!(now["phase_artifacts"]["0"], came["phase_artifacts"]["0"]);
    let after = session(&now);
    assert_eq!((status(&after), phase(&after), after.past.complete), ("complete", "Phase 2", true));
    assert_eq!(after.past.ended_at, Timestamp::from_millis(1_800_000_240_000).ok());

    let events = vec![
        imported(&session(&timed("completed", json!({})))),
        Known::SessionResumed { commit: None },
        passed("Phase 1", json!({"tests": 7})),
        completed(),
        ended(SessionOutcome::Completed),
    ];
    let now = value(&written(events));
    assert_eq!((&now["status"], &now["current_phase"]), (&json!("completed"), &json!(2)));
    assert_eq!(now["evidence_submitted"]["1"], json!({"tests": 7}));
    // The clock of that program, which has no time zone, is an hour ahead.
    assert_eq!(now["phase_timings"]["1"]["completed_at"], "2027-01-15T09:04:00.000");
    assert_eq!(now["updated_at"], "2027-01-15T09:05:00.000");
    assert_eq!(now.get("phase_timing"), None);
    assert_eq!(status(&session(&now)), "complete");
}

fn own_workflow() -> Vec<Known> {
    let phase = |name: &str| Phase { name: name.into(), ..Phase::default() };
    let mut definition =
        Definition::new("bird-watch", vec![phase("look"), phase("count"), phase("tell")]);
    definition.first = 1;
    definition.version = Some("v2".into());
    let started = TrackStarted {
        target: Some("specs/bird-feeder".into()),
        options: json!({"loud": false}).as_object().unwrap().clone(),
        ..TrackStarted::new(None, definition)
    };
    vec![
        Known::SessionStarted(SessionStarted {
            objective: Some("Watch birds".into()),
            workflow: "bird-watch".into(),
            branch: Some("feature/birds".into()),
            commit: None,
            worktree: None,
        }),
        Known::TrackStarted(Box::new(started)),
        passed("look", json!({"birds": 3})),
        entered("look", "count"),
    ]
}

#[test]
fn a_fresh_file_comes_in_as_the_same() {
    let paused = Known::SessionPaused { reason: "rain".into(), context: Some("sparrows".into()) };
    let skipped = Known::PhaseSkipped { phase: "count".into(), reason: "no time".into() };
    let ends: Vec<(&str, &str, Vec<Known>)> = vec![
        ("active", "count", vec![]),
        ("paused", "count", vec![paused]),
        ("failed", "count", vec![ended(SessionOutcome::Failed)]),
        (
            "complete",
            "tell",
            vec![
                skipped,
                entered("count", "tell"),
                passed("tell", json!({"told": true})),
                completed(),
                ended(SessionOutcome::Completed),
            ],
        ),
    ];
    for (life, current, end) in ends {
        let written = written(own_workflow().into_iter().chain(end).collect());
        assert_eq!(written.name, "w-1.json");
        assert_eq!(written.lost.len(), 2, "{:?}", written.lost);
        assert!(written.lost[0] == "the branch" && written.lost[1].starts_with("the time zone"));
        let found = session(&value(&written));
        assert_eq!((status(&found), phase(&found)), (life, current), "{}", written.text);
        assert_eq!(found.manifest["topic"], "Watch birds");
        assert_eq!(found.past.target.as_deref(), Some("specs/bird-feeder"));
        assert_eq!(Value::Object(found.past.options.clone()), json!({"loud": false}));
        assert_eq!(found.past.phases[0].evidence["birds"], 3);
        assert_eq!(found.past.phases[0].started_at, Timestamp::from_millis(1_800_000_120_000).ok());
        assert_eq!(
            found.past.phases[0].completed_at,
            Timestamp::from_millis(1_800_000_240_000).ok()
        );
        let told: Vec<&String> = found.remarks.iter().filter(|it| *it != LOCAL_TIMES).collect();
        let failed = usize::from(life == "failed");
        assert_eq!((told.len(), found.remarks.len()), (failed, failed + 1), "{told:?}");
        if life == "complete" {
            assert_eq!(found.past.phases[1].skipped.as_deref(), Some("no time"));
            assert_eq!(found.past.phases[1].result, PhaseResult::Skipped);
            assert_eq!(found.past.ended_at, Timestamp::from_millis(1_800_000_480_000).ok());
        }
        // Once more, as if it came from elsewhere: the same again.
        let again = super::session(&value(&super::writing::written(vec![imported(&found)])));
        assert_eq!((again.past, again.manifest), (found.past, found.manifest));
    }
}

#[test]
fn a_session_without_a_workflow_is_one_phase() {
    let mut events = own_workflow();
    events.truncate(1);
    let active = session(&value(&written(events.clone())));
    assert_eq!((status(&active), active.past.phases.len()), ("active", 1));
    events.push(ended(SessionOutcome::Completed));
    let written = written(events);
    assert!(written.lost.iter().any(|lost| lost.contains("no workflow")), "{:?}", written.lost);
    assert_eq!(status(&session(&value(&written))), "complete");
}

#[test]
fn a_fresh_file_is_one_that_the_program_without_flags_reads() {
    let now = value(&written(own_workflow()));
    for key in ["created_at", "updated_at"] {
        let time = now[key].as_str().unwrap();
        assert!(time.parse::<jiff::civil::DateTime>().is_ok() && !time.ends_with('Z'), "{time}");
    }
    let artifact = &now["phase_artifacts"]["1"];
    assert!(artifact["outputs"].is_object() && artifact["timestamp"].is_string(), "{artifact}");
    assert_eq!(artifact["commands_executed"], json!([]));
    assert_eq!((&now["metadata"]["total_phases"], &now["current_phase"]), (&json!(3), &json!(2)));
    let mut events = own_workflow();
    events.truncate(1);
    let about_nothing = value(&written(events));
    assert_eq!(about_nothing["target_file"], "unknown");
    assert_eq!(session(&about_nothing).past.target, None);
}

#[test]
fn times_are_written_as_the_file_has_them() {
    let updated = |created: &str| {
        let mut came = plain("spec_execution_v1", 1, json!({}), json!({}));
        came["created_at"] = created.into();
        let now = value(&written(vec![
            imported(&session(&came)),
            Known::SessionResumed { commit: None },
        ]));
        assert_eq!(now["created_at"], created);
        now["updated_at"].as_str().unwrap().to_owned()
    };
    assert_eq!(updated("2024-05-06T08:00:00.123456"), "2027-01-15T09:02:00.000");
    assert_eq!(updated("2024-05-06T08:00:00+02:00"), "2027-01-15T08:02:00.000+00:00");
    assert_eq!(updated("2024-05-06T08:00:00Z"), "2027-01-15T08:02:00.000Z");
}

#[test]
fn times_that_came_from_another_time_zone_stay_as_they_are() {
    let mut flagged = flagged();
    flagged["lifecycle"]["resumed_at"] = "2024-05-06T09:15:00.123456".into();
    flagged["lifecycle"]["last_error_at"] = "2024-05-06T09:20:00".into();
    flagged["lifecycle"]["last_error"] = "it rained".into();
    flagged["phase_timing"]["1"]["started_at"] = "2024-05-06T09:30:00.5".into();
    let far = |_: Timestamp| -5 * 3600;
    let bytes = flagged.to_string();
    let file = ForeignFile::of("w-1.json", "old/w-1.json", bytes.as_bytes()).unwrap();
    let Some(Reading::Sessions(found)) = read(&file, &Times::new(&far)) else { panic!() };
    let paused = Known::SessionPaused { reason: "lunch".into(), context: None };
    let now = value(&written(vec![imported(&found[0]), paused]));
    for path in
        ["/created_at", "/lifecycle/resumed_at", "/lifecycle/last_error_at", "/phase_timing/1"]
    {
        assert_eq!(now.pointer(path), flagged.pointer(path), "{path}");
    }
    assert_ne!(now["updated_at"], flagged["updated_at"]);
}
