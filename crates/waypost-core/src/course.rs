//! How a session's workflow went: when each of its phases began and ended, how long it was worked
//! on, what was given as evidence, and what failed.
//!
//! A projection like any other. Its clock never goes back, whatever the records' times do: no two
//! phases overlap, and what is neither active nor rest is nothing.

mod bounded;
mod fold;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::record::Record;
use crate::time::Timestamp;
use crate::track::Definition;

pub use crate::track::PhaseResult;

/// How many phases have to be passed before the next ones are compared with them.
const ENOUGH_PHASES: i64 = 2;
/// How long a phase has to take before anything is concluded from it, in milliseconds.
const LONG_ENOUGH: i64 = 10 * 60_000;

/// How a phase went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Passage {
    /// Its number, as the workflow's author counts.
    pub number: u64,
    /// Its name.
    pub phase: String,
    /// What became of it.
    pub checkpoint: PhaseResult,
    /// When it was entered.
    pub started_at: Option<Timestamp>,
    /// When it was completed, or left by going back.
    pub completed_at: Option<Timestamp>,
    /// For how many milliseconds it was worked on.
    pub active_ms: i64,
    /// For how many milliseconds it rested: paused, ended, or left alone for a day and more.
    pub paused_ms: i64,
    /// How often somebody tried to complete it.
    pub attempts: u32,
    /// What was last given as evidence.
    pub evidence: Map<String, Value>,
    /// What must hold and did not, at the last try.
    pub errors: Vec<String>,
    /// What should hold and did not, at the last try.
    pub warnings: Vec<String>,
    /// What would put it right.
    pub next_steps: Vec<String>,
    /// Why it was left out.
    pub skipped: Option<String>,
    /// Whether it was done before the workflow was followed here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// The files beside the published copy that changed in it.
    pub artifacts: Vec<String>,
    /// The commands that ran in it.
    pub commands: Vec<String>,
}

/// Something that went wrong in a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseFailure {
    /// When.
    pub time: Timestamp,
    /// In which phase.
    pub phase: String,
    /// What.
    pub errors: Vec<String>,
    /// What would put it right.
    pub next_steps: Vec<String>,
}

/// How a session's workflow went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Course {
    /// Its phases, in order.
    pub phases: Vec<Passage>,
    /// How phases went that were taken back.
    pub earlier: Vec<Passage>,
    /// The place of the phase that it is in.
    pub current: usize,
    /// When it was completed.
    pub completed_at: Option<Timestamp>,
    /// Everything that went wrong, in order.
    pub failures: Vec<PhaseFailure>,
    /// What whoever began it chose.
    pub options: Map<String, Value>,
    /// For how many milliseconds the session was worked on.
    pub active_ms: i64,
    /// For how many milliseconds it rested.
    pub paused_ms: i64,
    /// When it was last taken up again.
    pub resumed_at: Option<Timestamp>,
    #[serde(skip)]
    definition: Option<Definition>,
    #[serde(skip)]
    clock: Option<Timestamp>,
    #[serde(skip)]
    rests: bool,
    #[serde(skip)]
    over: bool,
}

/// A course as snapshots keep it: with what nobody is shown.
pub(crate) mod kept {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Course, Definition, Timestamp};

    #[derive(Serialize, Deserialize)]
    struct Kept<C, D> {
        shown: C,
        definition: D,
        clock: Option<Timestamp>,
        rests: bool,
        over: bool,
    }

    pub(crate) fn serialize<S: Serializer>(course: &Course, to: S) -> Result<S::Ok, S::Error> {
        let Course { definition, clock, rests, over, .. } = course;
        let (clock, rests, over) = (*clock, *rests, *over);
        Kept { shown: course, definition, clock, rests, over }.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Course, D::Error> {
        let kept = Kept::<Course, Option<Definition>>::deserialize(from)?;
        let Kept { shown, definition, clock, rests, over } = kept;
        Ok(Course { definition, clock, rests, over, ..shown })
    }
}

impl Course {
    /// What `records` tell.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut course = Self::default();
        for record in records {
            course.apply(record);
        }
        course
    }

    /// The same at a later time: the phase that it is in has lasted until then.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.pass_to(now);
        self
    }

    /// The definition that it follows, with all phases that are known.
    pub fn definition(&self) -> Option<&Definition> {
        self.definition.as_ref()
    }

    /// The phase that it is in: the last one once it is complete.
    pub fn current(&self) -> Option<&Passage> {
        self.phases.get(self.current)
    }

    /// The phases that are done with, passed or left out.
    pub fn done(&self) -> impl Iterator<Item = &Passage> {
        let phases = self.phases.iter().enumerate();
        let done = phases.filter(|(place, passage)| {
            // One that another program completed, and went back to, is open.
            let is_open = *place == self.current
                && self.completed_at.is_none()
                && passage.checkpoint == PhaseResult::Pending;
            let left = passage.completed_at.is_some() && passage.checkpoint != PhaseResult::Failed;
            (left && !is_open) || passage.elsewhere
        });
        done.map(|(_, passage)| passage)
    }

    /// The mean time that was worked on a phase that was passed, in milliseconds, once there are enough of them.
    pub fn average(&self) -> Option<i64> {
        let passed = self.phases.iter().filter(|passage| {
            passage.completed_at.is_some() && passage.checkpoint == PhaseResult::Passed
        });
        let times: Vec<i64> = passed.map(|passage| passage.active_ms).collect();
        let count = i64::try_from(times.len()).ok().filter(|count| *count >= ENOUGH_PHASES)?;
        Some(times.iter().sum::<i64>() / count)
    }

    /// How long the phases that are left will take if they take as long as those before, in
    /// milliseconds. What the current one has had is taken off its share. Phases that took next to no
    /// time say nothing about those to come.
    pub fn remaining(&self) -> Option<i64> {
        let average = self.average()?;
        if !self.phases.iter().any(|passage| passage.active_ms >= LONG_ENOUGH) {
            return None;
        }
        let left = self.phases.len().checked_sub(self.done().count())?;
        let left = i64::try_from(left).ok().filter(|left| *left > 0)?;
        let spent = self.current().map_or(0, |current| current.active_ms.min(average));
        Some(average.saturating_mul(left) - spent)
    }

    /// Whether its phase has taken long, and more than twice as long as those before.
    pub fn is_stalled(&self) -> bool {
        let running = self.completed_at.is_none();
        match (self.current(), self.average()) {
            (Some(current), Some(average)) if running => {
                current.active_ms > average.saturating_mul(2) && current.active_ms >= LONG_ENOUGH
            }
            _ => false,
        }
    }
}
