//! The checklists as callers get them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use waypost_app::tracks::protocol::{StepStatus, checklist};

use crate::words;

/// Both checklists.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Checklist {
    /// What is asked for before the work.
    start: Vec<Item>,
    /// What is asked for after the work.
    end: Vec<Item>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    /// The gate that it belongs to.
    gate: String,
    /// Its name, for record_evidence.
    step: String,
    /// MUST, SHOULD or MAY.
    req: String,
    /// The same.
    requirement_level: String,
    /// What it asks for.
    requirement: String,
    /// Whether it is done.
    #[schemars(schema_with = "step_status")]
    status: StepStatus,
    /// What shows it, or why it is open or does not apply.
    evidence: String,
    /// What would do it.
    next: String,
}

fn step_status(_: &mut SchemaGenerator) -> Schema {
    words::one_of(&[StepStatus::Done, StepStatus::Open, StepStatus::Skipped])
}

impl From<checklist::Checklist> for Checklist {
    fn from(found: checklist::Checklist) -> Self {
        let items =
            |items: Vec<checklist::ChecklistItem>| items.into_iter().map(Item::from).collect();
        Self { start: items(found.start), end: items(found.end) }
    }
}

impl From<checklist::ChecklistItem> for Item {
    fn from(item: checklist::ChecklistItem) -> Self {
        Self {
            gate: item.gate,
            step: item.step,
            req: item.req,
            requirement_level: item.requirement_level,
            requirement: item.requirement,
            status: item.status,
            evidence: item.evidence,
            next: item.next,
        }
    }
}

impl Checklist {
    /// A line for each step that is open, and how many are not.
    pub(super) fn lines(&self) -> Vec<String> {
        let all = || self.start.iter().chain(&self.end);
        let count = |status| all().filter(|item| item.status == status).count();
        let open = all().filter(|item| item.status == StepStatus::Open).map(|item| {
            let Item { gate, step, requirement_level, requirement, evidence, .. } = item;
            format!("[ ] {requirement_level} {requirement} ({gate}, step {step}): {evidence}")
        });
        let (done, skipped) = (count(StepStatus::Done), count(StepStatus::Skipped));
        let rest = format!("Checklist: {done} done, {skipped} do not apply, open:");
        if all().next().is_none() {
            Vec::new()
        } else {
            std::iter::once(rest).chain(open).collect()
        }
    }
}
