//! The checklists as callers get them.

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::tracks::protocol::{StepStatus, checklist};

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
    requirement_level: String,
    /// What it asks for.
    requirement: String,
    /// Whether it is done.
    status: ItemStatus,
    /// What shows it, or why it is open or does not apply.
    evidence: String,
    /// What would do it.
    next: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ItemStatus {
    Done,
    Open,
    Skipped,
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
            requirement_level: item.requirement_level,
            requirement: item.requirement,
            status: match item.status {
                StepStatus::Done => ItemStatus::Done,
                StepStatus::Open => ItemStatus::Open,
                StepStatus::Skipped => ItemStatus::Skipped,
            },
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
        let open = all().filter(|item| item.status == ItemStatus::Open).map(|item| {
            let Item { gate, step, requirement_level, requirement, evidence, .. } = item;
            format!("[ ] {requirement_level} {requirement} ({gate}, step {step}): {evidence}")
        });
        let (done, skipped) = (count(ItemStatus::Done), count(ItemStatus::Skipped));
        let rest = format!("Checklist: {done} done, {skipped} do not apply, open:");
        if all().next().is_none() {
            Vec::new()
        } else {
            std::iter::once(rest).chain(open).collect()
        }
    }
}
