//! The phases of a definition: what is to be done in them, what has to hold, when one is left out.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Definition, PhaseEntry};
use crate::cel::{CelError, Expression};
use crate::gate::facts::work::Work;
use crate::gate::{Before, Gate, Proof};

/// What became of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseResult {
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

/// A part of the work.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// How it is done, at length.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What has to hold before it is entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<PhaseEntry>,
    /// What is to be done in it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<PhaseTask>,
    /// What has to hold before it is complete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// The actions before which the project's own gates stand that have to hold, too, before it is complete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub project_gates: Vec<Before>,
    /// When it may be left out; none is never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<SkipRule>,
    /// What else its author says of it, as it was written.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub also: Map<String, Value>,
}

/// Something to do in a phase.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhaseTask {
    /// Its name.
    pub name: String,
    /// What it is for, and how it is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What shows that it is done, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
    /// Its number, where its author does not count from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
}

/// When a phase may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipRule {
    /// Whenever somebody says so, with a reason.
    OnRequest,
    /// By itself, where this expression over `options` and `target` holds.
    When(String),
    /// Either way.
    OnRequestOrWhen(String),
    /// By itself, always: this is why.
    Always(String),
}

/// Where a track goes from a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    /// The phases that are left out on the way, and why.
    pub skipped: Vec<(String, String)>,
    /// The phase that is entered; none is the end.
    pub to: Option<String>,
}

impl SkipRule {
    /// Whether the phase leaves itself out: the reason, if it does.
    fn reason(
        &self,
        target: Option<&str>,
        options: &Map<String, Value>,
    ) -> Result<Option<String>, CelError> {
        let expression = match self {
            Self::OnRequest => return Ok(None),
            Self::Always(why) => return Ok(Some(why.clone())),
            Self::When(expression) | Self::OnRequestOrWhen(expression) => expression,
        };
        let facts = json!({"options": options, "target": target.unwrap_or_default()});
        let holds = Expression::compile(expression)?.holds(&facts)?;
        Ok(holds.then(|| format!("`{expression}` holds")))
    }
}

impl Definition {
    /// The names of its phases, in order.
    pub fn names(&self) -> Vec<String> {
        self.phases.iter().map(|phase| phase.name.clone()).collect()
    }

    /// Where a track goes from `phase`, or from before the first one. Phases that leave themselves
    /// out are passed over; one of which that cannot be told is entered.
    pub fn next_after(
        &self,
        phase: Option<&str>,
        target: Option<&str>,
        options: &Map<String, Value>,
    ) -> Next {
        let from = phase.and_then(|phase| self.place(phase)).map_or(0, |place| place + 1);
        let mut skipped = Vec::new();
        for phase in self.phases.iter().skip(from) {
            match phase.left_out(target, options) {
                Some(reason) => skipped.push((phase.name.clone(), reason)),
                None => return Next { skipped, to: Some(phase.name.clone()) },
            }
        }
        Next { skipped, to: None }
    }

    /// Whether a gate of it asks what changed since it began.
    pub fn asks_for_changes(&self) -> bool {
        let mut asks = false;
        let gates = self.phases.iter().flat_map(|phase| phase.entering().chain(&phase.gates));
        for gate in gates {
            gate.proof.each(&mut |proof| asks |= matches!(proof, Proof::Work(Work::Docs)));
        }
        asks
    }

    /// The gates of a phase, those before it is entered and those before it is complete.
    pub fn gates_of(&self, phase: &str) -> Vec<&Gate> {
        let Some(phase) = self.phase(phase) else { return Vec::new() };
        phase.entering().chain(&phase.gates).collect()
    }
}

impl Phase {
    /// The gates before it is entered.
    pub fn entering(&self) -> impl Iterator<Item = &Gate> {
        self.entry.iter().flat_map(|entry| entry.steps.iter().map(|step| &step.gate))
    }

    /// Of the gates before it is entered, those that a session has to have begun for. Of the first phase they are
    /// asked for when it is to be completed.
    pub fn entering_later(&self) -> impl Iterator<Item = &Gate> {
        self.entering().filter(|gate| gate.proof.rests_on_records())
    }

    /// Whether somebody may leave it out, with a reason.
    pub fn is_skippable(&self) -> bool {
        matches!(self.skip, Some(SkipRule::OnRequest | SkipRule::OnRequestOrWhen(_)))
    }

    /// Why it leaves itself out; `None` if it does not, or if that cannot be told.
    pub fn left_out(&self, target: Option<&str>, options: &Map<String, Value>) -> Option<String> {
        self.skip.as_ref()?.reason(target, options).ok()?
    }
}
