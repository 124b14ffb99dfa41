//! Random walks through workflows, compared step by step with a model that is too simple to be
//! wrong.

mod model;

use proptest::prelude::*;
use serde_json::Map;

use self::model::{Model, Shape, WalkStep};
use super::*;
use crate::actor::Actor;
use crate::command::decide;
use crate::command::tests::started;
use crate::course::{Course, Passage};
use crate::event::Event;
use crate::evidence::Provenance;
use crate::id::SessionId;
use crate::manifest::workflow_file::SessionFile;
use crate::record::Record;
use crate::time::Timestamp;
use crate::track::{Definition, TrackStarted};

/// When every walk begins.
const BEGIN: i64 = 1_800_000_000_000;

/// A session that somebody walks through its workflow.
struct Walk {
    shape: Shape,
    records: Vec<Record>,
    now: i64,
    model: Model,
}

impl Walk {
    fn begin(shape: Shape) -> Self {
        let known = shape.definition();
        let next = known.next_after(None, None, &Map::new());
        let unfolds = next.to.is_none();
        let definition = if unfolds { shape.unfolded() } else { known };
        let next = definition.next_after(None, None, &Map::new());
        let at = next.to.filter(|_| !next.skipped.is_empty());
        let track = TrackStarted { at, ..TrackStarted::new(None, definition) };
        let model = Model::begin(&shape, BEGIN);
        let mut walk = Self { shape, records: Vec::new(), now: BEGIN, model };
        walk.append(vec![started(Some("Walk"))]);
        let events = decide(&walk.state(), Command::StartTrack(track, next.skipped)).unwrap();
        walk.append(events);
        walk
    }

    fn append(&mut self, events: Vec<Known>) {
        self.model.pass_to(self.now);
        for event in events {
            self.records.push(Record {
                seq: self.records.len() as u64 + 1,
                time: Timestamp::from_millis(self.now).unwrap(),
                actor: Actor::Human,
                event: Event::from(event),
            });
        }
    }

    fn state(&self) -> SessionState {
        SessionState::fold(&self.records)
    }

    fn course(&self) -> Course {
        Course::of(&self.records)
    }

    /// Does a step as the use cases do it, in the walk and in the model.
    fn step(&mut self, step: WalkStep) {
        if let WalkStep::Clock(by) = step {
            self.now += by;
            return;
        }
        let command = self.command(step);
        let decided = decide(&self.state(), command);
        assert_eq!(decided.is_ok(), self.model.allows(step), "{step:?}: {decided:?}");
        if let Ok(events) = decided {
            self.append(events);
            self.model.take(step, &self.shape);
        }
    }

    fn command(&self, step: WalkStep) -> Command {
        let phase = self.state().track.unwrap().phase.clone();
        match step {
            WalkStep::Complete(passes) => {
                let (extended, skipped) = self.ahead(&phase);
                Command::CompletePhase(Box::new(CompletePhase {
                    phase,
                    evidence: Map::new(),
                    provenance: Provenance::Claimed,
                    errors: if passes { Vec::new() } else { vec!["too little".into()] },
                    warnings: Vec::new(),
                    next_steps: Vec::new(),
                    extended,
                    skipped,
                }))
            }
            WalkStep::Skip => {
                let (extended, skipped) = self.ahead(&phase);
                let (reason, extended) = ("not needed".into(), extended.map(Box::new));
                Command::SkipPhase { phase, reason, extended, skipped }
            }
            WalkStep::Retry => Command::RetryPhase { phase, reset: None },
            WalkStep::RollBack(to) => Command::RollBack {
                to: Shape::name(to),
                reason: "it was wrong".into(),
                reset: Vec::new(),
            },
            WalkStep::Pause => Command::Pause { reason: "lunch".into(), context: None },
            WalkStep::Resume | WalkStep::Clock(_) => {
                let now = Timestamp::from_millis(self.now).unwrap();
                Command::Resume { now, attended: true, commit: None }
            }
        }
    }

    /// What becomes known after a phase, and what is left out there.
    fn ahead(&self, phase: &str) -> (Option<Definition>, Vec<(String, String)>) {
        let course = self.course();
        let definition = course.definition().unwrap();
        let next = definition.next_after(Some(phase), None, &Map::new());
        if next.to.is_some() || definition.phases_from.is_none() {
            return (None, next.skipped);
        }
        let unfolded = self.shape.unfolded();
        let next = unfolded.next_after(Some(phase), None, &Map::new());
        (Some(unfolded), next.skipped)
    }

    /// Compares everything that can be seen with the model.
    fn check(&self) {
        let (state, course, model) = (self.state(), self.course(), &self.model);
        let track = state.track.as_deref().unwrap();
        let current = Shape::name(model.current);
        assert_eq!(track.phase, current);
        assert_eq!(course.current().unwrap().phase, current);
        assert_eq!(track.phases.len(), model.done.len());
        assert_eq!(track.completed_at.is_some(), model.complete);
        assert_eq!(course.completed_at.is_some(), model.complete);
        assert_eq!(track.failed, model.failed);
        let completed =
            |record: &&Record| matches!(record.event, Event::Known(Known::TrackCompleted { .. }));
        assert_eq!(self.records.iter().filter(completed).count(), usize::from(model.complete));
        let id: SessionId = "2027-01-15_walk_abcd".parse().unwrap();
        let file = SessionFile::of(&id, &state, &course).unwrap();
        assert_eq!(file.current_phase, self.shape.first + model.current as u64);
        assert_eq!(file.completed_phases, model.completed(&self.shape));
        assert_eq!(file.lifecycle.completed, model.complete);
        assert_eq!(file.lifecycle.paused, model.paused);
        assert_eq!((course.active_ms, course.paused_ms), (model.active, model.rested));
        check_times(&course);
    }
}

/// No two passages overlap, and each lasted as long as it was worked on and rested.
fn check_times(course: &Course) {
    let all: Vec<&Passage> = course
        .phases
        .iter()
        .chain(&course.earlier)
        .filter(|one| one.started_at.is_some())
        .collect();
    let length = |one: &Passage| one.active_ms + one.paused_ms;
    let mut spans = Vec::new();
    for passage in all {
        let began = passage.started_at.unwrap().as_millis();
        let ended = passage.completed_at.map_or(began + length(passage), Timestamp::as_millis);
        assert_eq!(ended - began, length(passage), "{passage:?}");
        assert!(passage.active_ms >= 0 && passage.paused_ms >= 0, "{passage:?}");
        spans.push((began, ended));
    }
    spans.sort_unstable();
    assert!(spans.windows(2).all(|two| two[0].1 <= two[1].0), "{spans:?}");
}

fn steps() -> impl Strategy<Value = Vec<WalkStep>> {
    const HOUR: i64 = 3_600_000;
    let step = prop_oneof![
        4 => Just(WalkStep::Complete(true)),
        2 => Just(WalkStep::Complete(false)),
        1 => Just(WalkStep::Retry),
        1 => (0usize..6).prop_map(WalkStep::RollBack),
        1 => Just(WalkStep::Skip),
        1 => Just(WalkStep::Pause),
        2 => Just(WalkStep::Resume),
        3 => (-HOUR..3 * HOUR).prop_map(WalkStep::Clock),
        1 => (-30 * HOUR..30 * HOUR).prop_map(WalkStep::Clock),
    ];
    prop::collection::vec(step, 0..24)
}

fn shapes() -> impl Strategy<Value = Shape> {
    let known = prop::collection::vec(prop::bool::weighted(0.2), 1..4);
    (0u64..2, known, prop::option::of(1usize..4))
        .prop_map(|(first, skips, unknown)| Shape::new(first, skips, unknown))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn whatever_happens_everybody_agrees_on_where_a_workflow_is(
        shape in shapes(), steps in steps()
    ) {
        let mut walk = Walk::begin(shape);
        walk.check();
        for step in steps {
            walk.step(step);
            walk.check();
        }
        for length in 0..=walk.records.len() {
            let (state, course) =
                (SessionState::fold(&walk.records[..length]), Course::of(&walk.records[..length]));
            let known = state.track.as_deref().map(|track| track.phase.clone());
            prop_assert_eq!(known, course.current().map(|current| current.phase.clone()));
            check_times(&course);
        }
    }
}

#[test]
fn other_phases_than_those_of_the_workflow_do_not_follow() {
    let walk = Walk::begin(Shape::new(1, vec![false, true], Some(1)));
    let refused = |extended: Option<Definition>, skipped: Vec<&str>| {
        let Command::CompletePhase(mut complete) = walk.command(WalkStep::Complete(true)) else {
            panic!("another command")
        };
        complete.extended = extended;
        complete.skipped =
            skipped.into_iter().map(|name| (name.to_owned(), String::new())).collect();
        decide(&walk.state(), Command::CompletePhase(complete)).unwrap_err()
    };
    let first = Shape::name(0);
    let other = Definition::new("other", walk.shape.unfolded().phases.split_off(1));
    let wrong = Refusal::from(TrackRefusal::OtherPhases(first.clone()));
    assert_eq!(refused(Some(other), vec![]), wrong);
    assert_eq!(refused(None, vec!["nowhere"]), wrong);
    // All that is known is left out: it does not end before what is not known.
    let unknown = Refusal::from(TrackRefusal::Unfolding(first));
    assert_eq!(refused(None, vec![Shape::name(1).as_str()]), unknown);
}
