//! How a session's workflow went: when each of its phases began and ended, how long it was worked
//! on, what was given as evidence, and what failed.
//!
//! A projection like any other. Its clock never goes back, whatever the records' times do: no two
//! phases overlap, and what is neither active nor rest is nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Definition, Phase, TrackStarted};
use crate::event::{Event, Known, PhaseChecked};
use crate::record::Record;
use crate::session::ABANDONED_AFTER;
use crate::time::Timestamp;

/// What became of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Checkpoint {
    /// Nobody has tried to complete it.
    #[default]
    Pending,
    /// It was completed.
    Passed,
    /// The last try to complete it failed.
    Failed,
    /// It was left out.
    Skipped,
}

/// How a phase went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Passage {
    /// Its number, as the workflow's author counts.
    pub number: u64,
    /// Its name.
    pub phase: String,
    /// What became of it.
    pub checkpoint: Checkpoint,
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
pub struct Failure {
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
    pub failures: Vec<Failure>,
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

/// How many commands and files are remembered for a phase.
const MAX_OF_PHASE: usize = 50;
/// How many failures are remembered.
const MAX_FAILURES: usize = 100;
/// How many phases are remembered that were taken back.
const MAX_EARLIER: usize = 200;

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
        self.phases.iter().filter(|passage| {
            let left = passage.completed_at.is_some() && passage.checkpoint != Checkpoint::Failed;
            left || passage.elsewhere
        })
    }

    /// The mean time that was worked on a phase that was passed, in milliseconds.
    pub fn average(&self) -> Option<i64> {
        let passed = self.phases.iter().filter(|passage| {
            passage.completed_at.is_some() && passage.checkpoint == Checkpoint::Passed
        });
        let times: Vec<i64> = passed.map(|passage| passage.active_ms).collect();
        let count = i64::try_from(times.len()).ok().filter(|count| *count > 0)?;
        Some(times.iter().sum::<i64>() / count)
    }

    /// How long the phases that are left will take if they take as long as those before, in
    /// milliseconds. What the current one has had is taken off its share.
    pub fn remaining(&self) -> Option<i64> {
        let average = self.average()?;
        let left = self.phases.len().checked_sub(self.done().count())?;
        let left = i64::try_from(left).ok().filter(|left| *left > 0)?;
        let spent = self.current().map_or(0, |current| current.active_ms.min(average));
        Some(average.saturating_mul(left) - spent)
    }

    /// Whether its phase takes more than twice as long as those before.
    pub fn is_stalled(&self) -> bool {
        let running = self.completed_at.is_none();
        match (self.current(), self.average()) {
            (Some(current), Some(average)) if running => {
                current.active_ms > average.saturating_mul(2)
            }
            _ => false,
        }
    }

    /// Takes one more record into account.
    pub fn apply(&mut self, record: &Record) {
        let now = self.pass_to(record.time);
        let Event::Known(event) = &record.event else { return };
        match event {
            Known::SessionPaused { .. }
            | Known::SessionEnded(_)
            | Known::SessionArchived { .. } => {
                self.rests = true;
            }
            Known::SessionResumed {} => {
                self.rests = false;
                self.resumed_at = Some(now);
            }
            Known::TrackStarted(started) if started.conversation.is_none() => {
                self.begin(started, now);
            }
            Known::TrackExtended(definition) => self.extend(definition),
            Known::PhaseChecked(checked) => self.check(checked, now),
            Known::PhaseSkipped { phase, reason } => self.skip(phase, reason, now),
            Known::PhaseRetried { reset_evidence, .. } => self.retry(*reset_evidence),
            Known::PhaseEntered { conversation: None, to, .. } => self.enter(to, now),
            Known::RolledBack { to, .. } => self.roll_back(to, now),
            Known::TrackCompleted { conversation: None, .. } => self.complete(now),
            Known::ArtifactsChanged { files } => {
                let names = files.keys().cloned();
                self.with_current(|current| remember(&mut current.artifacts, names));
            }
            Known::CommandRan(run) => {
                let command = std::iter::once(run.command.clone());
                self.with_current(|current| remember(&mut current.commands, command));
            }
            _ => {}
        }
    }

    /// Lets time pass, never backwards.
    fn pass_to(&mut self, time: Timestamp) -> Timestamp {
        let before = self.clock.unwrap_or(time);
        let now = before.max(time);
        self.clock = Some(now);
        let gone = now.as_millis() - before.as_millis();
        // Nobody came by for a day: nobody worked on it either.
        let rested = self.rests || gone >= ABANDONED_AFTER;
        let (active, paused) = if rested { (0, gone) } else { (gone, 0) };
        self.active_ms += active;
        self.paused_ms += paused;
        self.with_current(|current| {
            current.active_ms += active;
            current.paused_ms += paused;
        });
        now
    }

    fn with_current(&mut self, change: impl FnOnce(&mut Passage)) {
        if self.over {
            return;
        }
        if let Some(current) = self.phases.get_mut(self.current) {
            change(current);
        }
    }

    fn begin(&mut self, started: &TrackStarted, now: Timestamp) {
        let definition = &started.definition;
        // One that went before is history.
        self.earlier.extend(self.phases.drain(..).filter(|passage| passage.started_at.is_some()));
        self.phases = (definition.first..).zip(&definition.phases).map(Passage::new).collect();
        self.definition = Some(definition.clone());
        self.options.clone_from(&started.options);
        self.completed_at = None;
        self.over = false;
        let at = started.at.as_deref().and_then(|at| definition.place(at)).unwrap_or(0);
        self.current = at;
        // What was done elsewhere is done, though nobody here saw when.
        for passage in &mut self.phases[..at] {
            passage.checkpoint = Checkpoint::Passed;
            passage.elsewhere = true;
        }
        if let Some(current) = self.phases.get_mut(at) {
            current.started_at = Some(now);
        }
    }

    fn extend(&mut self, definition: &Definition) {
        let known = self.phases.len();
        let all = (definition.first..).zip(&definition.phases);
        self.phases.extend(all.skip(known).map(Passage::new));
        self.definition = Some(definition.clone());
    }

    fn check(&mut self, checked: &PhaseChecked, now: Timestamp) {
        if !checked.passed {
            self.failures.push(Failure {
                time: now,
                phase: checked.phase.clone(),
                errors: checked.errors.clone(),
                next_steps: checked.next_steps.clone(),
            });
            let surplus = self.failures.len().saturating_sub(MAX_FAILURES);
            self.failures.drain(..surplus);
        }
        self.with_current(|current| {
            current.attempts += 1;
            current.checkpoint =
                if checked.passed { Checkpoint::Passed } else { Checkpoint::Failed };
            current.evidence.clone_from(&checked.evidence);
            current.errors.clone_from(&checked.errors);
            current.warnings.clone_from(&checked.warnings);
            current.next_steps.clone_from(&checked.next_steps);
        });
    }

    fn skip(&mut self, phase: &str, reason: &str, now: Timestamp) {
        let Some(passage) = self.phases.iter_mut().find(|passage| passage.phase == phase) else {
            return;
        };
        passage.checkpoint = Checkpoint::Skipped;
        passage.elsewhere = false;
        passage.skipped = Some(reason.to_owned());
        passage.started_at.get_or_insert(now);
        passage.completed_at = Some(now);
    }

    fn retry(&mut self, reset_evidence: bool) {
        self.with_current(|current| {
            current.checkpoint = Checkpoint::Pending;
            if reset_evidence {
                current.evidence = Map::new();
            }
        });
    }

    fn enter(&mut self, phase: &str, now: Timestamp) {
        self.with_current(|current| {
            current.completed_at.get_or_insert(now);
        });
        if let Some(place) = self.phases.iter().position(|passage| passage.phase == phase) {
            self.current = place;
            self.phases[place].started_at = Some(now);
        }
    }

    /// What came after `phase`, and the phase itself, begins anew; what it was is kept.
    fn roll_back(&mut self, phase: &str, now: Timestamp) {
        let Some(place) = self.phases.iter().position(|passage| passage.phase == phase) else {
            return;
        };
        self.with_current(|current| current.completed_at = Some(now));
        for passage in &mut self.phases[place..] {
            let anew = Passage {
                number: passage.number,
                phase: passage.phase.clone(),
                ..Passage::default()
            };
            let before = std::mem::replace(passage, anew);
            if before.started_at.is_some() {
                self.earlier.push(before);
            }
        }
        let surplus = self.earlier.len().saturating_sub(MAX_EARLIER);
        self.earlier.drain(..surplus);
        self.current = place;
        self.phases[place].started_at = Some(now);
    }

    fn complete(&mut self, now: Timestamp) {
        self.with_current(|current| {
            current.completed_at.get_or_insert(now);
        });
        self.current = self.phases.len().saturating_sub(1);
        self.completed_at = Some(now);
        self.over = true;
    }
}

impl Passage {
    fn new((number, phase): (u64, &Phase)) -> Self {
        Self { number, phase: phase.name.clone(), ..Self::default() }
    }
}

fn remember(list: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for one in more {
        if list.len() < MAX_OF_PHASE && !list.contains(&one) {
            list.push(one);
        }
    }
}
