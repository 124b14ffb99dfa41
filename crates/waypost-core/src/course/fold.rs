//! What each event tells of how a workflow went.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use serde_json::Map;

use super::{Course, Passage, PhaseFailure, PhaseResult, kept};
use crate::event::{Event, Known, PastPhase, PhaseChecked, SessionImported, SessionRestored};
use crate::record::Record;
use crate::session::ABANDONED_AFTER;
use crate::time::Timestamp;
use crate::track::{Definition, Phase, TrackStarted};

/// How many commands and files are remembered for a phase.
const MAX_OF_PHASE: usize = 50;
/// How many failures are remembered.
const MAX_FAILURES: usize = 100;
/// How many phases are remembered that were taken back.
const MAX_EARLIER: usize = 200;

impl Course {
    /// Takes one more record into account.
    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    pub fn apply(&mut self, record: &Record) {
        let now = self.pass_to(record.time);
        let Event::Known(event) = &record.event else { return };
        match event {
            Known::SessionPaused { .. }
            | Known::SessionEnded(_)
            | Known::SessionArchived { .. } => {
                self.rests = true;
            }
            Known::SessionResumed { .. } => {
                self.rests = false;
                self.resumed_at = Some(now);
            }
            Known::TrackStarted(started) if started.conversation.is_none() => {
                self.begin(started, now);
            }
            Known::SessionImported(imported) => self.import(imported, now),
            Known::SessionRestored(restored) => self.restore(restored),
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
            // A conversation's protocol is no part of the workflow, and the rest changes nothing
            // but the time.
            Known::TrackStarted(_)
            | Known::PhaseEntered { conversation: Some(_), .. }
            | Known::TrackCompleted { conversation: Some(_), .. }
            | Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::SessionStarted(_)
            | Known::SessionNamed { .. }
            | Known::CommitAdded(_)
            | Known::BuildStarted { .. }
            | Known::BuildExtended { .. }
            | Known::CheckpointStarted { .. }
            | Known::CheckpointCompleted { .. }
            | Known::TaskCompleted { .. }
            | Known::GitChanged(_)
            | Known::FocusSet(_)
            | Known::ConversationAttached(_)
            | Known::ConversationDetached { .. }
            | Known::PolicyPinned { .. }
            | Known::TurnStarted { .. }
            | Known::EditObserved { .. }
            | Known::EditsFound { .. }
            | Known::WorktreeEntered { .. }
            | Known::DebtHandedOn { .. }
            | Known::SubagentStarted { .. }
            | Known::SubagentEnded { .. }
            | Known::UsageCounted(_)
            | Known::SubagentCalled(_)
            | Known::AgentInvoked(_)
            | Known::AgentCompleted(_)
            | Known::DecisionRecorded(_)
            | Known::DecisionReviewed { .. }
            | Known::VerdictGiven(_)
            | Known::VerdictResolved { .. }
            | Known::HandoffCreated(_)
            | Known::HandoffAccepted(_)
            | Known::HistoryCompacted(_)
            | Known::EvidenceRecorded(_)
            | Known::GateMarked(_)
            | Known::GateCleared { .. }
            | Known::GatesPaused(_)
            | Known::GatesUnpaused { .. }
            | Known::CarriedOver(_)
            | Known::GatesPassed { .. }
            | Known::ModeSet { .. }
            | Known::Shared(_)
            | Known::ConfigTrusted { .. }
            | Known::RulingMade(_)
            | Known::ViolationRecorded(_)
            | Known::ViolationRecovered { .. }
            | Known::StopAllowed { .. }
            | Known::NoteAdded { .. }
            | Known::TailCut(_)
            | Known::LossAccepted { .. }
            | Known::SessionAdopted { .. }
            | Known::CopySetAside { .. }
            | Known::CurrentChosen { .. }
            | Known::ProjectRemoved { .. }
            | Known::GatesSwitched { .. }
            | Known::CopyTrusted { .. } => {}
        }
    }

    /// Lets time pass, never backwards.
    pub(super) fn pass_to(&mut self, time: Timestamp) -> Timestamp {
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
            passage.checkpoint = PhaseResult::Passed;
            passage.elsewhere = true;
        }
        if let Some(current) = self.phases.get_mut(at) {
            current.started_at = Some(now);
        }
    }

    /// How it went is what a mirror held of that.
    fn restore(&mut self, restored: &SessionRestored) {
        let course = restored.story.get("course").cloned().unwrap_or_default();
        *self = kept::deserialize(course).unwrap_or_default();
    }

    /// How it went in another program is how it went.
    fn import(&mut self, imported: &SessionImported, now: Timestamp) {
        let imported = &*imported.bounded();
        let past = &imported.past;
        let until = imported.known_until().map_or(now, |until| until.min(now));
        // What is imported once more takes the place of what it was. Nobody knows of any work since that program last
        // told of some.
        *self = Self { clock: Some(until), rests: true, ..Self::default() };
        self.resumed_at = past.resumed_at;
        let Some(definition) = imported.definition.as_deref() else { return };
        self.phases = (definition.first..).zip(&definition.phases).map(Passage::new).collect();
        self.options.clone_from(&past.options);
        let place = past.phase.as_deref().and_then(|name| definition.place(name)).unwrap_or(0);
        for (at, passage) in self.phases.iter_mut().enumerate() {
            let known = past.phases.iter().find(|known| known.name == passage.phase);
            passage.take(known, past.complete || at < place);
        }
        self.definition = Some(definition.clone());
        self.current = place;
        self.over = past.complete;
        self.with_current(|current| current.last_until(until));
        self.active_ms = self.phases.iter().map(|passage| passage.active_ms).sum();
        if let Some(error) = &past.last_error {
            self.failures.push(PhaseFailure {
                time: error.time.unwrap_or(now),
                phase: past.phase.clone().unwrap_or_default(),
                errors: vec![error.text.clone()],
                next_steps: Vec::new(),
            });
        }
        // It stays in the phase that was its last: others may never have been begun.
        self.completed_at = past.complete.then(|| past.ended_at.unwrap_or(now));
    }

    fn extend(&mut self, definition: &Definition) {
        let known = self.phases.len();
        let all = (definition.first..).zip(&definition.phases);
        self.phases.extend(all.skip(known).map(Passage::new));
        self.definition = Some(definition.clone());
    }

    fn check(&mut self, checked: &PhaseChecked, now: Timestamp) {
        if !checked.passed {
            self.failures.push(PhaseFailure {
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
            // Another program may have completed it before.
            current.completed_at = None;
            current.checkpoint =
                if checked.passed { PhaseResult::Passed } else { PhaseResult::Failed };
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
        passage.checkpoint = PhaseResult::Skipped;
        passage.elsewhere = false;
        passage.skipped = Some(reason.to_owned());
        passage.started_at.get_or_insert(now);
        passage.completed_at = Some(now);
    }

    fn retry(&mut self, reset_evidence: bool) {
        self.with_current(|current| {
            current.checkpoint = PhaseResult::Pending;
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
    /// Takes what another program knew of it. `done` is whether it lies behind.
    fn take(&mut self, known: Option<&PastPhase>, done: bool) {
        let unknown = PastPhase { result: PhaseResult::Pending, ..PastPhase::default() };
        let known = known.unwrap_or(&unknown);
        let counts_as_passed = done && known.result == PhaseResult::Pending;
        self.checkpoint = if counts_as_passed { PhaseResult::Passed } else { known.result };
        self.elsewhere = self.checkpoint == PhaseResult::Passed;
        self.started_at = known.started_at;
        self.completed_at = known.completed_at;
        self.attempts = known.attempts;
        self.evidence.clone_from(&known.evidence);
        self.skipped.clone_from(&known.skipped);
        remember(&mut self.artifacts, known.outputs.iter().cloned());
        remember(&mut self.commands, known.commands.iter().cloned());
        if let (Some(started), Some(completed)) = (known.started_at, known.completed_at) {
            self.active_ms = (completed.as_millis() - started.as_millis()).max(0);
        }
    }

    /// The phase that a session was left in was worked on until then.
    fn last_until(&mut self, until: Timestamp) {
        if let (Some(started), None) = (self.started_at, self.completed_at) {
            self.active_ms = (until.as_millis() - started.as_millis()).max(0);
        }
    }

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
