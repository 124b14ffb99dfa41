//! What is read often stays small, whatever was imported.

use serde_json::{Map, Value, json};

use super::*;
use crate::actor::Actor;
use crate::event::{
    ImportSource, Known, PastConversation, PastError, PastNote, PastPause, PastPhase, PastStep,
    PastViolation,
};
use crate::manifest::Manifest;
use crate::projection::Projection;
use crate::story::Story;
use crate::track::Definition;

const KB: usize = 1024;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn record(imported: SessionImported) -> Record {
    Record {
        seq: 1,
        time: at(1_000_000),
        actor: Actor::Waypost,
        event: Known::SessionImported(imported).into(),
    }
}

/// Every text is long, and there are many of everything.
fn hostile() -> SessionImported {
    let long = |what: &str| format!("{what} {}", "x".repeat(300 * KB));
    let some = |what: &str| Some(long(what));
    let many = |count: usize| (0..count).map(|number| number.to_string());
    let fields: Map<String, Value> = many(6).map(|key| (key, json!("y".repeat(9000)))).collect();
    let phase = |number: String| PastPhase {
        name: format!("{number} {}", "p".repeat(5000)),
        result: PhaseResult::Skipped,
        skipped: Some("z".repeat(KB)),
        started_at: Some(at(5)),
        completed_at: Some(at(6)),
        evidence: fields.clone(),
        outputs: vec!["o".repeat(5000)],
        commands: vec!["w".repeat(5000); 3],
        ..PastPhase::default()
    };
    let phases: Vec<PastPhase> = many(300).map(phase).collect();
    let of = |name: &String| Phase { name: name.clone(), ..Phase::default() };
    let definition = Definition {
        description: long("description"),
        version: some("version"),
        ..Definition::new(long("workflow"), phases.iter().map(|one| of(&one.name)).collect())
    };
    let note = |kind: &str| PastNote {
        kind: kind.to_owned(),
        text: "t".repeat(9000),
        by: Some("b".repeat(9000)),
        time: None,
    };
    let kinds = ["blocker", "decision", "goal", "question", "handoff", "other"];
    let satisfied = |number: String| PastMark {
        gate: format!("{number} {}", "g".repeat(2000)),
        conversation: Some(format!("{number}-{}", "c".repeat(100)).parse().unwrap()),
        time: Some(at(7)),
        until: Some(at(8)),
        note: Some("n".repeat(2000)),
    };
    let past = Past {
        workflow: some("workflow"),
        target: some("target"),
        options: fields.clone(),
        phase: phases.get(150).map(|phase| phase.name.clone()),
        phases,
        pause: Some(PastPause { reason: long("pause"), context: some("context"), since: None }),
        last_error: Some(PastError { text: long("error"), time: None }),
        starting_commit: some("commit"),
        mode: some("mode"),
        focus: Focus { feature: some("feature"), task: some("task"), workflow_phase: None },
        notes: kinds.iter().flat_map(|kind| vec![note(kind); 20]).collect(),
        checklist: vec![
            PastStep {
                level: "MUST".to_owned(),
                step: long("step"),
                done: Some(false),
                evidence: long("evidence"),
            };
            20
        ],
        violations: vec![
            PastViolation {
                requirement: "r".repeat(2000),
                severity: "s".repeat(2000),
                phase: None,
                time: None,
                recovery: None,
            };
            2000
        ],
        satisfied: many(3000).map(satisfied).collect(),
        conversations: many(3000)
            .map(|number| PastConversation {
                conversation: format!("{number}-{}", "c".repeat(100)).parse().unwrap(),
                harness: "h".repeat(2000),
            })
            .collect(),
        summary: some("summary"),
        next_notes: some("next"),
        ..Past::default()
    };
    let manifest = json!({
        "session_id": long("id"), "topic": long("topic"), "status": "paused", "current_phase": "build",
        "git": {"branch": long("branch"), "base_branch": long("base")},
        "commits": vec![json!({"sha": "a".repeat(3000), "message": "m".repeat(5000)}); 3000],
        "build_progress": {"checkpoints_completed": (1..3000).collect::<Vec<u64>>()},
    });
    SessionImported {
        from: Some(ImportSource { path: long("path"), sha256: "0".repeat(64) }),
        past: Box::new(past),
        definition: Some(Box::new(definition)),
        ..SessionImported::of_manifest(long("format"), manifest)
    }
}

#[test]
fn what_is_read_often_stays_small_whatever_was_imported() {
    let imported = hostile();
    let record = record(imported.clone());
    let state = SessionState::fold([&record]);
    let size = serde_json::to_string(&state).unwrap().len();
    assert!(size < 64 * KB, "the state has {size} bytes");
    let mut story = Story::default();
    story.apply(&record);
    let size = serde_json::to_string(&story).unwrap().len();
    assert!(size < 256 * KB, "the story has {size} bytes");
    // What was recorded has the names that the state has.
    let mut recorded = imported;
    recorded.bound();
    let definition = recorded.definition.as_deref().unwrap();
    let track = state.track.as_deref().unwrap();
    assert_eq!(track.definition, definition.hash().unwrap());
    assert_eq!(track.phases, definition.names());
    assert_eq!(Some(&track.phase), recorded.past.phase.as_ref());
    assert!(track.phase.ends_with(" 151"), "{}", track.phase);
    assert!(matches!(recorded.bounded(), std::borrow::Cow::Borrowed(_)), "once is enough");
}

#[test]
fn a_manifest_that_indenting_would_blow_up_is_written_on_one_line() {
    let deep = (0..100).fold(json!([1, 2]), |inner, _| json!([inner]));
    let manifest = json!({"topic": "Deep", "own": vec![deep; 2000]});
    let record = record(SessionImported::of_manifest("manifest", manifest));
    let id = "2026-11-15_deep_abcdef".parse().unwrap();
    let ring = crate::key::Keyring::new(crate::key::Key::from_bytes(vec![7; 32]));
    let shown = Manifest::of(&id, &[record], "head", Lifecycle::Active);
    let sealed = crate::manifest::seal(&shown, ring.current()).unwrap();
    assert!(sealed.len() < 1024 * KB, "{}", sealed.len());
    crate::manifest::open(&ring, &id, sealed.as_bytes()).unwrap();
    assert!(serde_json::from_str::<Value>(&sealed).is_ok());
}
