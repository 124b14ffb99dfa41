//! Given a build so far, when somebody starts or completes something of it, then this follows.

use proptest::prelude::*;

use super::super::tests::{given, started};
use super::super::{Command, decide};
use super::{BuildCommand, BuildRefusal};
use crate::command::Refusal;
use crate::event::{Event, Known, SessionEnded, SessionImported, SessionOutcome};
use crate::session::{Basics, Build, Lifecycle, MAX_CHECKPOINTS, SessionState};

fn begin(total: u64) -> Command {
    Command::Build(BuildCommand::Begin { total })
}

fn extend(total: u64) -> Command {
    Command::Build(BuildCommand::Extend { total })
}

fn start(checkpoint: u64) -> Command {
    Command::Build(BuildCommand::StartCheckpoint { checkpoint })
}

fn complete(checkpoint: u64) -> Command {
    Command::Build(BuildCommand::CompleteCheckpoint { checkpoint })
}

fn task(task: &str) -> Command {
    Command::Build(BuildCommand::CompleteTask { task: task.into() })
}

/// A session after these commands, all of which have to be accepted.
fn after(commands: impl IntoIterator<Item = Command>) -> SessionState {
    let mut events = vec![started(Some("Add login"))];
    for command in commands {
        events.extend(decide(&given(&events), command).unwrap());
    }
    given(&events)
}

fn refusal(state: &SessionState, command: Command) -> BuildRefusal {
    match decide(state, command) {
        Err(Refusal::Build(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn completing_a_later_checkpoint_first_loses_none() {
    let state = after([begin(4), complete(3)]);
    assert_eq!((state.build.done(), state.build.current()), (1, Some(1)));
    let state = after([begin(4), complete(3), complete(1), complete(4)]);
    assert_eq!(state.build.current(), Some(2));
    let state = after([begin(4), complete(3), complete(1), complete(4), complete(2)]);
    assert!(state.build.is_complete());
    assert_eq!(state.build.current(), None);
    assert_eq!(state.build.completed.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn work_is_at_what_was_started_last_and_goes_back_when_that_is_done() {
    assert_eq!(after([begin(5)]).build.current(), Some(1));
    assert_eq!(after([begin(5), start(3)]).build.current(), Some(3));
    assert_eq!(after([begin(5), start(3), start(5)]).build.current(), Some(5));
    assert_eq!(after([begin(5), start(3), start(5), complete(5)]).build.current(), Some(3));
    assert_eq!(after([begin(5), start(3), start(5), start(3)]).build.current(), Some(3));
    assert_eq!(after([begin(5), start(3), complete(3)]).build.current(), Some(1));
    assert_eq!(after([begin(5), start(3), complete(1)]).build.current(), Some(3));
}

#[test]
fn numbers_outside_the_build_are_refused() {
    let state = after([begin(3)]);
    for checkpoint in [0, 4, u64::MAX] {
        let none = BuildRefusal::NoSuchCheckpoint { checkpoint, total: 3 };
        assert_eq!(refusal(&state, start(checkpoint)), none);
        assert_eq!(refusal(&state, complete(checkpoint)), none);
    }
    let nothing = after([]);
    assert_eq!(refusal(&nothing, start(1)), BuildRefusal::NotBegun);
    assert_eq!(refusal(&nothing, complete(1)), BuildRefusal::NotBegun);
    for total in [0, MAX_CHECKPOINTS + 1] {
        assert_eq!(refusal(&nothing, begin(total)), BuildRefusal::Total(total));
    }
    after([begin(MAX_CHECKPOINTS)]);
}

#[test]
fn what_is_done_is_not_done_again() {
    let state = after([begin(3), start(2), complete(2), task("1.1")]);
    let done = BuildRefusal::Completed { checkpoint: 2, current: Some(1) };
    assert_eq!(refusal(&state, complete(2)), done);
    assert_eq!(refusal(&state, start(2)), done);
    assert_eq!(refusal(&state, task(" 1.1\n")), BuildRefusal::TaskCompleted("1.1".into()));
    assert_eq!(refusal(&after([begin(3), start(2)]), start(2)), BuildRefusal::Started(2));
    let told = "checkpoint 2 is completed already; work is at checkpoint 1";
    assert_eq!(done.to_string(), told);
}

#[test]
fn a_build_begins_anew_when_it_is_done_or_before_anything_was() {
    let under_way = BuildRefusal::UnderWay { done: 1, total: 2 };
    assert_eq!(refusal(&after([begin(2), complete(2)]), begin(2)), under_way);
    let under_way = BuildRefusal::UnderWay { done: 0, total: 2 };
    assert_eq!(refusal(&after([begin(2), start(1)]), begin(3)), under_way);
    assert_eq!(after([task("0.1"), begin(2), begin(5)]).build.total, 5);
    let kept = after([task("0.1"), begin(2), begin(5)]).build;
    assert_eq!((kept.tasks.as_slice(), kept.tasks_completed), (&["0.1".to_owned()][..], 1));
    let anew = after([begin(1), task("1.1"), complete(1), begin(2), task("1.1")]).build;
    assert_eq!((anew.total, anew.done(), anew.tasks_completed), (2, 0, 1));
}

#[test]
fn a_build_grows_with_its_plan_and_never_shrinks() {
    assert_eq!(refusal(&after([]), extend(3)), BuildRefusal::NotBegun);
    let state = after([begin(2), complete(1), task("1.1")]);
    for wanted in [0, 1, 2] {
        let refused = BuildRefusal::NotMore { wanted, total: 2 };
        assert_eq!(refusal(&state, extend(wanted)), refused);
    }
    let many = MAX_CHECKPOINTS + 1;
    assert_eq!(refusal(&state, extend(many)), BuildRefusal::Total(many));
    let grown = after([begin(2), complete(1), task("1.1"), complete(2), extend(4)]).build;
    assert_eq!((grown.total, grown.done(), grown.current()), (4, 2, Some(3)));
    assert_eq!(grown.tasks, ["1.1"]);
    let told = "the build has 4 checkpoints already, so it does not grow to 3";
    assert_eq!(BuildRefusal::NotMore { wanted: 3, total: 4 }.to_string(), told);
}

#[test]
fn what_rests_begins_nothing_and_what_is_over_takes_nothing() {
    let pause = Command::Pause { reason: "x".into(), context: None };
    let paused = after([begin(2), pause]);
    assert_eq!(decide(&paused, begin(3)), Err(Refusal::Paused));
    assert_eq!(decide(&paused, start(1)), Err(Refusal::Paused));
    decide(&paused, complete(1)).unwrap();
    decide(&paused, task("1")).unwrap();
    let ended =
        SessionEnded { outcome: SessionOutcome::Completed, summary: None, next_notes: None };
    let over = after([begin(2), Command::End(ended)]);
    for command in [begin(3), extend(3), start(1), complete(1), task("1")] {
        let refused = Err(Refusal::Over(Lifecycle::Completed));
        assert_eq!(decide(&over, command), refused);
    }
}

#[test]
fn tasks_are_short_clean_and_bounded() {
    let state = after([]);
    let refused = |text: &str| decide(&state, task(text)).unwrap_err();
    assert_eq!(refused(" \n"), Refusal::Empty("task"));
    assert_eq!(refused("\u{7}"), Refusal::Empty("task"));
    assert!(matches!(refused(&"x".repeat(65)), Refusal::TooLong { what: "task", .. }));
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let [Known::TaskCompleted { task: kept }] = &decide(&state, task(&secret)).unwrap()[..] else {
        panic!("one event");
    };
    assert!(kept.starts_with("[redacted:"), "{kept}");

    let many = (0..2_000).map(|number| Known::TaskCompleted { task: number.to_string() });
    let build = given(&std::iter::once(started(None)).chain(many).collect::<Vec<_>>()).build;
    assert_eq!((build.tasks.len(), build.tasks_completed), (512, 2_000));
    assert_eq!(build.tasks.last().unwrap(), "1999");
}

fn imported(progress: &serde_json::Value) -> SessionState {
    let manifest =
        serde_json::json!({"topic": "x", "status": "active", "build_progress": progress});
    let imported = SessionImported::of_manifest("manifest", manifest);
    given(&[Known::SessionImported(imported), Known::SessionResumed { commit: None }])
}

#[test]
fn another_programs_checkpoints_are_where_the_build_goes_on() {
    let progress = serde_json::json!({
        "checkpoints_total": 5, "checkpoints_completed": [1, 2, 2], "current_checkpoint": 4
    });
    let state = imported(&progress);
    assert_eq!((state.build.total, state.build.done(), state.build.current()), (5, 2, Some(4)));
    let done = BuildRefusal::Completed { checkpoint: 1, current: Some(4) };
    assert_eq!(refusal(&state, complete(1)), done);
    decide(&state, complete(3)).unwrap();

    let empty = serde_json::json!({"checkpoints_total": 0, "checkpoints_completed": []});
    assert!(imported(&empty).build.is_unused());
    decide(&imported(&empty), begin(3)).unwrap();
    let odd = serde_json::json!({
        "checkpoints_total": null, "checkpoints_completed": [0, 3, 1, -1, "2", u64::MAX],
        "current_checkpoint": 3
    });
    // Numbers are also written as text.
    let state = imported(&odd);
    assert_eq!((state.build.total, state.build.done(), state.build.current()), (3, 3, None));
    let older = serde_json::json!({"plan_state": {"checkpoints_completed": [1, 2]}});
    assert_eq!(Basics::read(&older).build_progress.checkpoints_completed, [1, 2]);
}

#[test]
fn the_events_of_a_build_read_back_as_they_were_written() {
    for (event, written) in [
        (Known::BuildStarted { total: 5 }, r#"{"total":5,"type":"build_started","v":1}"#),
        (Known::BuildExtended { total: 6 }, r#"{"total":6,"type":"build_extended","v":1}"#),
        (
            Known::CheckpointStarted { checkpoint: 2 },
            r#"{"checkpoint":2,"type":"checkpoint_started","v":1}"#,
        ),
        (
            Known::CheckpointCompleted { checkpoint: 2 },
            r#"{"checkpoint":2,"type":"checkpoint_completed","v":1}"#,
        ),
        (
            Known::TaskCompleted { task: "1.2.3".into() },
            r#"{"task":"1.2.3","type":"task_completed","v":1}"#,
        ),
    ] {
        let event = Event::from(event);
        assert_eq!(event.to_value().unwrap().to_string(), written);
        assert_eq!(Event::from_json(written).unwrap(), event);
    }
}

fn any_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        1 => (0..8_u64).prop_map(begin),
        1 => (0..8_u64).prop_map(extend),
        4 => (0..8_u64).prop_map(start),
        6 => (0..8_u64).prop_map(complete),
        2 => (0..4_u64).prop_map(|number| task(&number.to_string())),
        1 => Just(Command::Pause { reason: "x".into(), context: None }),
        1 => Just(Command::Resume { now: crate::time::Timestamp::from_millis(1).unwrap(), attended: true, commit: None }),
    ]
}

fn check_valid(build: &Build) {
    assert!(build.completed.iter().all(|done| (1..=build.total).contains(done)));
    assert!(build.under_way.iter().all(|at| (1..=build.total).contains(at)));
    assert!(build.under_way.iter().all(|at| !build.completed.contains(at)));
    let mut distinct = build.under_way.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), build.under_way.len());
    let lowest = (1..=build.total).find(|number| !build.completed.contains(number));
    assert_eq!(build.current(), build.under_way.last().copied().or(lowest));
    assert_eq!(build.is_complete(), build.current().is_none());
    let written = serde_json::to_string(build).unwrap();
    assert_eq!(&serde_json::from_str::<Build>(&written).unwrap(), build);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn whatever_is_asked_for_the_build_stays_valid(
        commands in proptest::collection::vec(any_command(), 0..40)
    ) {
        let mut events = vec![started(None)];
        for command in commands {
            let before = given(&events);
            let Ok(followed) = decide(&before, command) else {
                continue;
            };
            for event in followed {
                if let Known::CheckpointCompleted { checkpoint } = &event {
                    prop_assert!(!before.build.completed.contains(checkpoint));
                }
                events.push(event);
                check_valid(&given(&events).build);
            }
        }
    }
}
