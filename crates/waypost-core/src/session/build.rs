//! How far building has come: checkpoints and tasks, as far as commands ask for them.
//!
//! Checkpoints are numbered from one. They may be started and completed in any order: none is
//! lost because another came first.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The most checkpoints that a build can have: the state holds the completed ones.
pub const MAX_CHECKPOINTS: u64 = 1000;
/// How many completed tasks are remembered, so that none is completed twice.
const MAX_TASKS: usize = 512;

/// How far building has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Build {
    /// How many checkpoints there are; none before a build began.
    #[serde(default)]
    pub total: u64,
    /// Those that are completed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub completed: BTreeSet<u64>,
    /// Those that were started and are not completed, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under_way: Vec<u64>,
    /// The tasks that were completed last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    /// How many tasks were completed.
    #[serde(default)]
    pub tasks_completed: u64,
}

impl Build {
    /// Whether nothing of it was ever used.
    pub fn is_unused(&self) -> bool {
        *self == Self::default()
    }

    /// Whether no checkpoint of it was started or completed.
    pub fn is_untouched(&self) -> bool {
        self.completed.is_empty() && self.under_way.is_empty()
    }

    /// How many checkpoints are completed.
    pub fn done(&self) -> u64 {
        u64::try_from(self.completed.len()).unwrap_or(u64::MAX)
    }

    /// Whether every checkpoint is completed. So it is where there are none.
    pub fn is_complete(&self) -> bool {
        self.done() >= self.total
    }

    /// The checkpoint that work is at: the one that was started last and is not completed, else the
    /// lowest that is not.
    pub fn current(&self) -> Option<u64> {
        let started = self.under_way.last().copied();
        started.or_else(|| (1..=self.total).find(|checkpoint| !self.completed.contains(checkpoint)))
    }

    /// A build begins.
    pub(super) fn begin(&mut self, total: u64) {
        let before = std::mem::take(self);
        self.total = total;
        // Tasks of a build before have nothing to do with this one: a new plan counts anew.
        if before.is_untouched() {
            self.tasks = before.tasks;
            self.tasks_completed = before.tasks_completed;
        }
    }

    pub(super) fn extend(&mut self, total: u64) {
        self.total = self.total.max(total);
    }

    /// Work on a checkpoint began, or goes on there.
    pub(super) fn start(&mut self, checkpoint: u64) {
        self.under_way.retain(|known| *known != checkpoint);
        self.under_way.push(checkpoint);
    }

    pub(super) fn complete(&mut self, checkpoint: u64) {
        self.under_way.retain(|known| *known != checkpoint);
        self.completed.insert(checkpoint);
    }

    pub(super) fn complete_task(&mut self, task: &str) {
        self.tasks.push(task.to_owned());
        self.tasks_completed += 1;
        let surplus = self.tasks.len().saturating_sub(MAX_TASKS);
        self.tasks.drain(..surplus);
    }
}
