//! What is being worked on: the phase of a workflow, one whose completion failed, a task of the plan.

use serde::Serialize;

use super::GateStanding;
use crate::course::{Course, PhaseResult};
use crate::next_step::NextStep;
use crate::time::Timestamp;

/// Where a workflow is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// The workflow.
    pub workflow: String,
    /// What it is about.
    pub target: Option<String>,
    /// The number of the phase that it is in.
    pub number: u64,
    /// The phase that it is in: always a real one.
    pub phase: String,
    /// What the phase is for.
    pub purpose: String,
    /// How many phases there are.
    pub total: usize,
    /// Whether more follow that are not known yet.
    pub more: bool,
    /// How much of it is done with.
    pub percent: usize,
    /// When the phase was entered.
    pub started_at: Option<Timestamp>,
    /// Whether the whole workflow is complete.
    pub complete: bool,
    /// Whether the phase takes more than twice as long as those before.
    pub stalled: bool,
}

/// A phase whose completion failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedPhase {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub phase: String,
    /// For how many milliseconds it was worked on.
    pub active_ms: i64,
    /// How often somebody tried.
    pub attempts: u32,
    /// What was given as evidence.
    pub evidence: Vec<String>,
    /// What must hold and does not.
    pub errors: Vec<String>,
    /// What would put it right.
    pub next_steps: Vec<String>,
}

/// What is to be done now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CurrentTask {
    /// The name by which it is completed.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The file that it is about.
    pub file: Option<String>,
    /// More about it.
    pub description: Option<String>,
    /// What should be read first.
    pub read_before: Vec<String>,
}

impl Progress {
    /// Where the workflow of a session is.
    pub fn of(course: &Course, target: Option<&str>, more: bool) -> Option<Self> {
        let (current, definition) = (course.current()?, course.definition()?);
        let total = course.phases.len();
        Some(Self {
            workflow: definition.name.clone(),
            target: target.map(str::to_owned),
            number: current.number,
            phase: current.phase.clone(),
            purpose: definition.phase(&current.phase)?.purpose.clone(),
            total,
            more,
            percent: course.done().count() * 100 / total.max(1),
            started_at: current.started_at,
            complete: course.completed_at.is_some(),
            stalled: course.is_stalled(),
        })
    }
}

impl FailedPhase {
    /// What still has to be done for it; `None` where every gate that it failed for holds by now. Steps are those
    /// that were recorded, but for gates that tell step by step how far the work is.
    pub(super) fn steps(&self, gates: &[GateStanding]) -> Option<Vec<NextStep>> {
        let gate_of = |error: &String| {
            let of = |gate: &&GateStanding| {
                error.strip_prefix(&gate.gate).is_some_and(|rest| rest.starts_with(": "))
            };
            gates.iter().find(of)
        };
        let recorded = || self.next_steps.iter().cloned().map(NextStep::Said);
        if self.errors.is_empty() || self.errors.len() != self.next_steps.len() {
            return Some(recorded().collect());
        }
        let of_each = self.errors.iter().zip(recorded());
        let steps = of_each.filter_map(|(error, step)| match gate_of(error) {
            Some(gate) if !gate.is_open() => None,
            Some(gate) if gate.is_of_built_in_workflow() => Some(gate.next.clone()),
            _ => Some(step),
        });
        let steps: Vec<NextStep> = steps.collect();
        (!steps.is_empty()).then_some(steps)
    }

    /// The phase that the workflow is in, if its completion failed.
    pub fn of(course: &Course) -> Option<Self> {
        let current = course.current()?;
        if current.checkpoint != PhaseResult::Failed {
            return None;
        }
        let shown = |(name, value): (&String, &serde_json::Value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("{name}={value}")
        };
        Some(Self {
            number: current.number,
            phase: current.phase.clone(),
            active_ms: current.active_ms,
            attempts: current.attempts,
            evidence: current.evidence.iter().map(shown).collect(),
            errors: current.errors.clone(),
            next_steps: current.next_steps.clone(),
        })
    }
}
