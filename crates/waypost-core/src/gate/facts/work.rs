//! What was found of the work that a session's workflow is about: spec, plan, build and documentation.

use serde::{Deserialize, Serialize};

/// A part of that work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// What is to be built is written down, and no question about it is in the way.
    Spec,
    /// How it is to be built is divided into checkpoints.
    Plan,
    /// It is built: every checkpoint is complete.
    Build,
    /// Its documentation was changed.
    Docs,
}

/// What was found of each part that a gate asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkFacts {
    /// The spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<SpecFact>,
    /// The plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFact>,
    /// The build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<BuildFact>,
    /// The documentation that changed since the workflow began, or why that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<Result<Vec<String>, String>>,
}

impl WorkFacts {
    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What was found of the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecFact {
    /// The file, as the project calls it.
    pub file: String,
    /// How much of it somebody wrote.
    pub written: Written,
    /// Its open questions that are marked as blocking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocking: Vec<String>,
}

/// How much of a file somebody wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// It is not there.
    Absent,
    /// It cannot be read, and this is why.
    Unreadable(String),
    /// Nothing beyond what Waypost or another template put there.
    Template,
    /// Something of its own.
    Content,
}

/// What was found of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFact {
    /// The file, as the project calls it.
    pub file: String,
    /// Whether it is there and can be read.
    pub written: Written,
    /// How many checkpoints it has.
    #[serde(default)]
    pub checkpoints: u64,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// What was found of the build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildFact {
    /// How many checkpoints it was begun with; none before it began.
    pub total: u64,
    /// How many checkpoints the plan has.
    #[serde(default)]
    pub planned: u64,
    /// The checkpoints that are not complete, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenCheckpoint>,
}

/// A checkpoint that is not complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCheckpoint {
    /// Its number.
    pub number: u64,
    /// What the plan calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its tasks that nobody has reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
}
