//! The protocol's checklists: what is asked for at the start and at the end, and what is done of it.

use serde::Serialize;
use waypost_core::next_step::Voice;
use waypost_core::track::Part;

use super::{Looked, LookedStep, Protocol, StepStatus};
use crate::error::AppError;
use crate::view::View;

/// One line of a checklist.
#[derive(Debug, Clone, Serialize)]
pub struct ChecklistItem {
    /// The gate that it belongs to.
    pub gate: String,
    /// Its name among the steps of that gate.
    pub step: String,
    /// MUST, SHOULD or MAY, under the name that checklists have it by.
    pub req: String,
    /// MUST, SHOULD or MAY.
    pub requirement_level: String,
    /// What it asks for.
    pub requirement: String,
    /// Whether it is done.
    pub status: StepStatus,
    /// What shows it, or why it is open or does not apply.
    pub evidence: String,
    /// What would do it.
    pub next: String,
}

/// Both checklists.
#[derive(Debug, Clone, Serialize)]
pub struct Checklist {
    /// Before the work.
    pub start: Vec<ChecklistItem>,
    /// After the work.
    pub end: Vec<ChecklistItem>,
}

impl Checklist {
    /// Of gates that were looked at.
    pub fn of(looked: &[Looked], voice: Voice) -> Self {
        let part = |part: Part| {
            let gates = looked.iter().filter(|gate| gate.part == part);
            gates.flat_map(|gate| gate.steps.iter().map(|step| item(gate, step, voice))).collect()
        };
        Self { start: part(Part::Start), end: part(Part::End) }
    }
}

/// The checklists of whoever calls; empty where the project follows no protocol.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<Checklist, AppError> {
    match Protocol::of(view, session)? {
        Some(protocol) => Ok(Checklist::of(&protocol.look(view, |_| true)?, view.voice())),
        None => Ok(Checklist { start: Vec::new(), end: Vec::new() }),
    }
}

fn item(gate: &Looked, step: &LookedStep, voice: Voice) -> ChecklistItem {
    ChecklistItem {
        gate: gate.gate.clone(),
        step: step.step.clone(),
        req: step.level.to_string().to_uppercase(),
        requirement_level: step.level.to_string().to_uppercase(),
        requirement: step.requirement.clone(),
        status: step.status,
        evidence: step.evidence.clone(),
        next: step.next.words(voice),
    }
}
