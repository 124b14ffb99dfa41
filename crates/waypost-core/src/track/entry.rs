//! What stands before a phase: a gate of several steps, each with a gate of its own.

use serde::{Deserialize, Serialize};

use crate::gate::{Gate, Level};

/// What has to hold before a phase is entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseEntry {
    /// Its name, under which agents and people speak of it.
    pub gate: String,
    /// Whether the phase cannot be entered while it does not hold.
    pub blocking: bool,
    /// Whether it belongs to the beginning or the end of the work.
    pub part: Part,
    /// Its steps, each with a gate of its own.
    pub steps: Vec<ChecklistStep>,
}

/// The beginning or the end of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Before the work.
    Start,
    /// After the work.
    End,
}

/// One step of a checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChecklistStep {
    /// Its name among the steps of its gate.
    pub name: String,
    /// What has to be there for it to make sense.
    pub subject: StepSubject,
    /// What it asks for.
    pub gate: Gate,
}

/// What a step is about. Where that is not there, the step is skipped, and says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepSubject {
    /// It is always there.
    Always,
    /// It was not there when the track began, and this is why.
    Absent(String),
    /// An MCP server of this name is configured.
    Server(String),
    /// A file that fits is there.
    File(String),
    /// The project is a git repository.
    Git,
    /// Files that fit changed since the track began.
    Changed(String),
    /// Something other than documentation changed since the track began.
    Code,
    /// All of these are there.
    All(Vec<StepSubject>),
}

impl PhaseEntry {
    /// How much it insists: as much as its strictest step.
    pub fn level(&self) -> Level {
        let has = |level| self.steps.iter().any(|step| step.gate.level == level);
        if has(Level::Must) {
            Level::Must
        } else if has(Level::Should) {
            Level::Should
        } else {
            Level::May
        }
    }
}
