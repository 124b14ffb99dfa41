//! The exact next step of a session.

use super::spoken::{name, quoted};
use super::{Brief, OpenGate};
use crate::gate::{Before, Level};
use crate::session::Lifecycle;

/// The tools that do the same as the commands.
const TASK: &str = "or the tool session_complete_task";
const CHECKPOINT: &str = "or the tool session_complete_checkpoint";
const PHASE: &str = "or the tool workflow_complete_phase";

impl Brief {
    /// Says what the next step is, by everything else that it tells.
    #[must_use]
    pub fn with_next_step(mut self) -> Self {
        self.status = self.in_a_word().to_owned();
        self.next = self.next_step();
        self
    }

    fn in_a_word(&self) -> &'static str {
        match self.lifecycle {
            Lifecycle::Completed => "completed",
            Lifecycle::Failed => "failed",
            Lifecycle::Archived => "archived",
            Lifecycle::Paused => "paused",
            _ if self.progress.as_ref().is_some_and(|progress| progress.complete) => "completed",
            _ if self.failed.is_some() => "checkpoint_failed",
            Lifecycle::Abandoned => "abandoned",
            _ if self.progress.as_ref().is_some_and(|progress| progress.stalled) => {
                "possibly_stalled"
            }
            _ => "active",
        }
    }

    fn next_step(&self) -> String {
        if self.lifecycle == Lifecycle::Paused || self.lifecycle.is_over() {
            return format!("`waypost resume {}` takes it up again.", self.session_id);
        }
        if let Some(protocol) = &self.protocol {
            if protocol.phase.is_none() {
                return "call session_start with the objective.".to_owned();
            }
            if !protocol.blocked_by.is_empty() {
                return "call get_blocked_reason, and do what it asks for.".to_owned();
            }
        }
        if let Some(failed) = &self.failed {
            let phase = name(&failed.phase);
            let steps: Vec<&str> =
                failed.next_steps.iter().map(|step| step.trim_end_matches('.')).collect();
            return format!("{}, then retry Phase {} ({phase}).", steps.join("; "), failed.number);
        }
        let first = self.musts().find(|open| !open.before.iter().all(is_late));
        if let Some(OpenGate { finding, .. }) = first {
            return format!("{} (for {}).", finding.next, finding.gate);
        }
        if self.objective.is_none() {
            return "`waypost start --objective \"…\"` names what this is for.".to_owned();
        }
        self.work()
    }

    fn musts(&self) -> impl Iterator<Item = &OpenGate> {
        self.open.iter().filter(|open| open.finding.level == Level::Must)
    }

    /// What to work on, and how it is completed.
    fn work(&self) -> String {
        let building = self.build.as_ref().filter(|build| build.current.is_some());
        let todo = match (&self.task, building, &self.progress) {
            (Some(task), _, _) => {
                let (id, title) = (name(&task.id), quoted(&task.title, 120));
                format!("do task {id} {title}, then `waypost task complete {id}` ({TASK})")
            }
            (None, Some(build), _) => {
                let current = build.current.unwrap_or_default();
                format!(
                    "work on checkpoint {current}, then `waypost checkpoint complete {current}` \
                     ({CHECKPOINT})"
                )
            }
            (None, None, Some(progress)) if progress.complete => {
                "the workflow is complete: end the session (`waypost end`)".to_owned()
            }
            (None, None, Some(progress)) => {
                // A name that is no word is clumsy on a command line; its number does as well.
                let phase = match name(&progress.phase) {
                    named if named == progress.phase => named,
                    _ => progress.number.to_string(),
                };
                format!("work on phase {phase}, then `waypost phase complete {phase}` ({PHASE})")
            }
            (None, None, None) => "go on with the objective".to_owned(),
        };
        let last: Vec<&str> = self.musts().map(|open| open.finding.gate.as_str()).collect();
        match last.as_slice() {
            [] if self.progress.is_none() => format!("{todo}; no gate is open."),
            [] => format!("{todo}."),
            gates => format!("{todo}; before you are done: {}.", gates.join(", ")),
        }
    }
}

/// Whether a gate before this asks only when work is done.
fn is_late(before: &Before) -> bool {
    matches!(before, Before::Stop | Before::End | Before::Commit | Before::Push | Before::Phase(_))
}
