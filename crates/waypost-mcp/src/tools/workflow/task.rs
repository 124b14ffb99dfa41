//! A task of a phase, as it goes over the wire.

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::tracks::workflow::look::LookedTask;

/// A task of a phase.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownTask {
    /// Its number in its phase.
    pub(super) task_number: usize,
    /// The name by which session_complete_task completes it.
    pub(super) task_id: String,
    /// What it is called.
    pub(super) name: String,
    /// What it is for, and how it is done.
    pub(super) text: String,
    /// What shows that it is done.
    pub(super) acceptance_criteria: Vec<String>,
    /// Whether it is done.
    pub(super) completed: bool,
}

/// So much of a task's text stands in its phase, in characters.
const MAX_BEGINNING: usize = 400;

impl ShownTask {
    /// The task as its phase shows it: a long text is for `workflow_get_task`.
    pub(super) fn beginning(looked: LookedTask) -> Self {
        let mut shown = Self::from(looked);
        if shown.text.chars().count() > MAX_BEGINNING {
            let beginning: String = shown.text.chars().take(MAX_BEGINNING).collect();
            shown.text = format!("{beginning}… (all of it: workflow_get_task)");
        }
        shown
    }
}

impl From<LookedTask> for ShownTask {
    fn from(looked: LookedTask) -> Self {
        Self {
            task_number: looked.number,
            task_id: looked.id,
            name: looked.task.name,
            text: looked.task.text,
            acceptance_criteria: looked.task.accept,
            completed: looked.completed,
        }
    }
}
