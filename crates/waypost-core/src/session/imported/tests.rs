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
#[expect(clippy::too_many_lines, reason = "one list of all that can be imported")]
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
                list: None,
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

/// A session that was left in its second phase, at 3,000 seconds.
fn left() -> SessionImported {
    let phase = |number: u64, name: &str, started: i64, completed: Option<i64>| PastPhase {
        number,
        name: name.to_owned(),
        result: completed.map_or(PhaseResult::Pending, |_| PhaseResult::Passed),
        started_at: Some(at(started)),
        completed_at: completed.map(at),
        ..PastPhase::default()
    };
    let step = |level: &str, step: &str, done: Option<bool>| PastStep {
        list: None,
        level: level.to_owned(),
        step: step.to_owned(),
        done,
        evidence: String::new(),
    };
    let phases = ["one", "two"].map(|name| Phase { name: name.to_owned(), ..Phase::default() });
    let past = Past {
        phase: Some("two".to_owned()),
        phases: vec![phase(0, "one", 1000, Some(2000)), phase(1, "two", 2000, None)],
        checklist: vec![
            step("MUST", "Run the tests", Some(false)),
            step("MUST", "Read the log", Some(true)),
            step("SHOULD", "Tidy up", Some(false)),
        ],
        summary: Some("half of it".to_owned()),
        next_notes: Some("the other half".to_owned()),
        ..Past::default()
    };
    let manifest = json!({"topic": "x", "status": "paused", "updated_at": "1970-01-01T00:00:03Z"});
    SessionImported {
        past: Box::new(past),
        definition: Some(Box::new(Definition::new("w", phases.to_vec()))),
        ..SessionImported::of_manifest("f", manifest)
    }
}

#[test]
fn the_time_in_the_phase_that_it_was_left_in_counts_and_the_time_since_is_a_pause() {
    let mut records = vec![record(left())];
    let told = |records: &[Record]| Story::of(records).course;
    let course = told(&records);
    assert_eq!((course.active_ms, course.paused_ms), (2000, 0));
    assert_eq!(course.current().unwrap().active_ms, 1000);
    records.push(Record {
        seq: 2,
        time: at(5_000_000),
        actor: Actor::Waypost,
        event: Known::SessionResumed { commit: Some("abc".to_owned()) }.into(),
    });
    let course = told(&records).at(at(5_000_500));
    assert_eq!((course.active_ms, course.paused_ms), (2500, 4_997_000));
    let current = course.current().unwrap();
    assert_eq!((current.active_ms, current.paused_ms), (1500, 4_997_000));
    assert_eq!(SessionState::fold(&records).commit.as_deref(), Some("abc"));
    // Whoever knows where it began keeps that.
    let mut known = left();
    known.past.starting_commit = Some("def".to_owned());
    records[0] = record(known);
    assert_eq!(SessionState::fold(&records).commit.as_deref(), Some("def"));
    // A clock that is ahead there makes no time of the future.
    let mut ahead = left();
    ahead.manifest["updated_at"] = json!("2026-01-01T00:00:00Z");
    let course = told(&[record(ahead)]);
    assert_eq!(course.current().unwrap().active_ms, 998_000);
}

#[test]
fn open_musts_of_what_is_not_over_are_goals_and_what_came_of_it_so_far_are_notes() {
    let records = [record(left())];
    let story = Story::of(&records);
    let goals: Vec<&str> = story.goals.iter().map(|goal| goal.text.as_str()).collect();
    assert_eq!(goals, ["still to do: Run the tests"]);
    let chronicle = crate::chronicle::Chronicle::of(&records);
    assert_eq!(chronicle.ended, None);
    let notes: Vec<_> = chronicle.notes.iter().map(|note| (&*note.kind, &*note.text)).collect();
    assert_eq!(notes, [("summary", "half of it"), ("next", "the other half")]);
    let mut over = left();
    over.manifest["status"] = json!("complete");
    let records = [record(over)];
    assert!(Story::of(&records).goals.is_empty());
    let chronicle = crate::chronicle::Chronicle::of(&records);
    assert_eq!(chronicle.ended.unwrap().summary.as_deref(), Some("half of it"));
    assert_eq!(chronicle.notes, []);
}

#[test]
fn a_conversation_whose_name_is_a_credential_is_the_only_one_that_is_dropped() {
    let secret = format!("{}{}{}", "gh", "p_", "a1".repeat(18));
    let mut imported = left();
    for name in ["one", &secret, "two"] {
        let conversation: crate::id::ConversationId = name.parse().unwrap();
        imported.past.satisfied.push(PastMark {
            gate: "g".to_owned(),
            conversation: Some(conversation.clone()),
            time: None,
            until: None,
            note: None,
        });
        let harness = String::new();
        imported.past.conversations.push(PastConversation { conversation, harness });
    }
    crate::command::redact_import(&mut imported);
    let known = imported.past.conversations.iter().map(|known| known.conversation.as_str());
    assert_eq!(known.collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(imported.past.satisfied.len(), 2);
    assert_eq!(imported.past.phases.len(), 2);
}
