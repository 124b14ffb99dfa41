//! A phase of a workflow, as it goes over the wire.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use waypost_app::tracks::workflow::look::LookedPhase;

use super::task::ShownTask;
use crate::wire::{Gate, word};

/// A phase, and how far it is done.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownPhase {
    /// The session.
    session_id: String,
    /// Its last record: what `expected_version` is compared with.
    version: u64,
    /// The workflow.
    workflow: String,
    /// How many phases there are, as far as they are known.
    total_phases: usize,
    /// The phase's name.
    phase: String,
    /// Its number, as the workflow counts.
    phase_number: u64,
    /// Whether the workflow is in it.
    is_current: bool,
    /// What it is for.
    purpose: String,
    /// How it is done, at length, where its author says so.
    text: String,
    /// What became of it: pending, passed, failed or skipped.
    checkpoint: String,
    /// When it was entered.
    started_at: Option<String>,
    /// When it was completed.
    completed_at: Option<String>,
    /// For how many seconds it was worked on.
    active_seconds: i64,
    /// For how many seconds it rested.
    paused_seconds: i64,
    /// How often somebody tried to complete it.
    attempts: u32,
    /// Whether it may be left out.
    skippable: bool,
    /// What is to be done in it, in order.
    tasks: Vec<ShownTask>,
    /// What has to hold before it is complete; only of the current one.
    gates: Vec<Gate>,
    /// What was last given as evidence.
    evidence: Map<String, Value>,
    /// What must hold and did not, at the last try.
    errors: Vec<String>,
    /// What would put it right.
    next_steps: Vec<String>,
}

impl From<LookedPhase> for ShownPhase {
    fn from(looked: LookedPhase) -> Self {
        let passage = looked.passage;
        Self {
            session_id: looked.session_id.to_string(),
            version: looked.version,
            workflow: looked.workflow,
            total_phases: looked.total_phases,
            phase: passage.phase,
            phase_number: passage.number,
            is_current: looked.is_current,
            purpose: looked.purpose,
            text: looked.text,
            checkpoint: word(&passage.checkpoint),
            started_at: passage.started_at.map(|time| time.to_string()),
            completed_at: passage.completed_at.map(|time| time.to_string()),
            active_seconds: passage.active_ms / 1000,
            paused_seconds: passage.paused_ms / 1000,
            attempts: passage.attempts,
            skippable: looked.skippable,
            tasks: looked.tasks.into_iter().map(ShownTask::beginning).collect(),
            gates: looked.gates.into_iter().map(Gate::from).collect(),
            evidence: passage.evidence,
            errors: passage.errors,
            next_steps: passage.next_steps,
        }
    }
}

impl ShownPhase {
    /// As a model reads it.
    pub(super) fn text(&self) -> String {
        let Self { phase, phase_number, workflow, checkpoint, .. } = self;
        let here = if self.is_current { ", the current one" } else { "" };
        let mut lines =
            vec![format!("Phase {phase_number} {phase} of {workflow}{here}: {checkpoint}.")];
        lines.extend((!self.purpose.is_empty()).then(|| format!("Purpose: {}", self.purpose)));
        lines.extend((!self.text.is_empty()).then(|| format!("\n{}\n", self.text)));
        lines.extend(self.tasks.iter().map(|task| {
            let mark = if task.completed { "x" } else { " " };
            format!("- [{mark}] task {}: {}", task.task_number, task.name)
        }));
        if !self.gates.is_empty() {
            lines.push("Before it is complete:".to_owned());
            lines.extend(self.gates.iter().map(Gate::line));
        }
        lines.extend(self.errors.iter().map(|error| format!("Error: {error}")));
        if self.is_current {
            lines.push("Next: do the tasks, then workflow_complete_phase.".to_owned());
        }
        lines.join("\n")
    }
}
