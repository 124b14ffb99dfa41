//! What a session works on, and where: the facts beside its build.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a session belongs in git has changed. What is not given stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GitChanged {
    /// The branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The linked work tree's name; empty is the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The branch that it goes back to when it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
}

/// What a session works on just now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Focus {
    /// The feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// How far the work on it has come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_phase: Option<WorkflowPhase>,
}

/// How far the work on a feature has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowPhase {
    /// It is thought through.
    Planning,
    /// It is made.
    Implementation,
    /// It is looked at.
    Validation,
    /// It is done.
    Complete,
}

impl GitChanged {
    /// Changes what it says, and leaves the rest.
    pub(crate) fn apply(
        &self,
        branch: &mut Option<String>,
        worktree: &mut Option<String>,
        base_branch: &mut Option<String>,
    ) {
        if self.branch.is_some() {
            branch.clone_from(&self.branch);
        }
        if let Some(name) = &self.worktree {
            *worktree = Some(name.clone()).filter(|name| !name.is_empty());
        }
        if self.base_branch.is_some() {
            base_branch.clone_from(&self.base_branch);
        }
    }
}

impl Focus {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let feature = self.feature.as_ref().map(|feature| format!("feature {feature}"));
        let task = self.task.as_ref().map(|task| format!("task {task}"));
        let phase = self.workflow_phase.map(|phase| phase.to_string());
        let told: Vec<String> = [feature, task, phase].into_iter().flatten().collect();
        f.write_str(&if told.is_empty() { "none".to_owned() } else { told.join(", ") })
    }
}

impl WorkflowPhase {
    /// All of them, in order.
    pub const ALL: [Self; 4] =
        [Self::Planning, Self::Implementation, Self::Validation, Self::Complete];

    /// The phase of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Implementation => "implementation",
            Self::Validation => "validation",
            Self::Complete => "complete",
        }
    }
}

impl fmt::Display for WorkflowPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
