//! What stands before a phase: a gate of several steps, each with a gate of its own.

use serde::{Deserialize, Serialize};

use crate::gate::proof::fields::FieldsProof;
use crate::gate::{Gate, Level, Proof};

/// What has to hold before a phase is entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseEntry {
    /// Its name, under which agents and people speak of it.
    pub gate: String,
    /// What else it is called; not every such name is its alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
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
    /// Whether it applies is for nobody to see, and this is why: it asks for nothing until somebody
    /// records that it was done.
    Unseen(String),
    /// All of these are there.
    All(Vec<StepSubject>),
}

impl ChecklistStep {
    /// A step that nobody can see or look up: it has to be recorded before the end, and what is said of it counts.
    pub fn only_said(name: &str, gate: Gate) -> Self {
        let proof = Proof::Fields(FieldsProof::default());
        let gate = Gate { proof, accept_claimed: true, ..gate };
        Self { name: name.to_owned(), subject: StepSubject::Always, gate }
    }

    /// Whether nothing but somebody's word shows that it is done.
    pub fn is_only_said(&self) -> bool {
        matches!(&self.gate.proof, Proof::Fields(proof) if proof.fields.is_empty())
    }
}

impl PhaseEntry {
    /// Whether somebody means it by this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.gate.eq_ignore_ascii_case(name)
            || self.also.iter().any(|also| also.eq_ignore_ascii_case(name))
    }

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
