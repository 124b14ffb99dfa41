//! What a workflow does, as simply as it can be said.

use crate::session::ABANDONED_AFTER;
use crate::track::{Definition, Phase, SkipRule};

/// Something that somebody does, or that happens.
#[derive(Debug, Clone, Copy)]
pub(super) enum WalkStep {
    /// Completing the phase, which holds or does not.
    Complete(bool),
    /// Trying again.
    Retry,
    /// Going back to the phase at this place.
    RollBack(usize),
    /// Leaving the phase out.
    Skip,
    /// Letting the session rest.
    Pause,
    /// Taking it up again.
    Resume,
    /// The clock goes on by so many milliseconds, or back.
    Clock(i64),
}

/// What a workflow is made of.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The number of the first phase.
    pub(super) first: u64,
    /// Which of the phases that are known leave themselves out.
    skips: Vec<bool>,
    /// How many become known on the way, if some do.
    unknown: Option<usize>,
}

impl Shape {
    /// The last phase of all is never left out.
    pub(super) fn new(first: u64, mut skips: Vec<bool>, unknown: Option<usize>) -> Self {
        if let (None, Some(last)) = (unknown, skips.last_mut()) {
            *last = false;
        }
        Self { first, skips, unknown }
    }

    /// The name of the phase at a place.
    pub(super) fn name(place: usize) -> String {
        format!("p{place}")
    }

    fn phase(&self, place: usize) -> Phase {
        let leaves = self.skips.get(place).copied().unwrap_or(false);
        let skip = leaves.then(|| SkipRule::When("true".into()));
        Phase { name: Self::name(place), skip, ..Phase::default() }
    }

    /// What is known when it begins.
    pub(super) fn definition(&self) -> Definition {
        let phases = (0..self.skips.len()).map(|place| self.phase(place)).collect();
        let phases_from = self.unknown.map(|_| "tasks.md".to_owned());
        Definition { first: self.first, phases_from, ..Definition::new("walk", phases) }
    }

    /// The same with everything that becomes known.
    pub(super) fn unfolded(&self) -> Definition {
        let phases = (0..self.total()).map(|place| self.phase(place)).collect();
        Definition { first: self.first, ..Definition::new("walk", phases) }
    }

    fn total(&self) -> usize {
        self.skips.len() + self.unknown.unwrap_or(0)
    }
}

/// Where a workflow is.
#[derive(Debug)]
pub(super) struct Model {
    /// The place of the phase that it is in.
    pub(super) current: usize,
    /// Which of the known phases are done with.
    pub(super) done: Vec<bool>,
    pub(super) complete: bool,
    pub(super) paused: bool,
    pub(super) failed: bool,
    /// For how long it was worked on.
    pub(super) active: i64,
    /// For how long it rested.
    pub(super) rested: i64,
    clock: i64,
}

impl Model {
    pub(super) fn begin(shape: &Shape, now: i64) -> Self {
        let mut model = Self {
            current: 0,
            done: vec![false; shape.skips.len()],
            complete: false,
            paused: false,
            failed: false,
            active: 0,
            rested: 0,
            clock: now,
        };
        model.go_to(0, shape);
        model
    }

    /// Enters the first phase from `place` on that does not leave itself out.
    fn go_to(&mut self, mut place: usize, shape: &Shape) {
        self.failed = false;
        while shape.skips.get(place) == Some(&true) {
            self.done[place] = true;
            place += 1;
        }
        if place == self.done.len() {
            self.done.resize(shape.total(), false);
        }
        self.complete = place == self.done.len();
        self.current = if self.complete { place - 1 } else { place };
    }

    pub(super) fn allows(&self, step: WalkStep) -> bool {
        let goes_on = !self.complete && !self.paused;
        match step {
            WalkStep::Complete(_) | WalkStep::Skip => goes_on,
            WalkStep::Retry => goes_on && self.failed,
            WalkStep::RollBack(to) => goes_on && to < self.current,
            WalkStep::Pause => !self.paused,
            WalkStep::Resume => self.paused,
            WalkStep::Clock(_) => true,
        }
    }

    pub(super) fn take(&mut self, step: WalkStep, shape: &Shape) {
        match step {
            WalkStep::Complete(false) => self.failed = true,
            WalkStep::Complete(true) | WalkStep::Skip => {
                self.done[self.current] = true;
                self.go_to(self.current + 1, shape);
            }
            WalkStep::Retry => self.failed = false,
            WalkStep::RollBack(to) => {
                self.done[to..].fill(false);
                self.failed = false;
                self.current = to;
            }
            WalkStep::Pause => self.paused = true,
            WalkStep::Resume => self.paused = false,
            WalkStep::Clock(_) => {}
        }
    }

    /// Something was recorded at this time by the machine's clock.
    pub(super) fn pass_to(&mut self, now: i64) {
        let passed = (now - self.clock).max(0);
        self.clock += passed;
        if self.paused || passed >= ABANDONED_AFTER {
            self.rested += passed;
        } else {
            self.active += passed;
        }
    }

    /// The numbers of the phases that are done with.
    pub(super) fn completed(&self, shape: &Shape) -> Vec<u64> {
        (shape.first..)
            .zip(&self.done)
            .filter(|(_, done)| **done)
            .map(|(number, _)| number)
            .collect()
    }
}
