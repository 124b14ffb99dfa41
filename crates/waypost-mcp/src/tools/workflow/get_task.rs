//! `workflow_get_task`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::tracks::workflow::look;

use super::PhaseName;
use super::task::ShownTask;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct WorkflowGetTask;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The phase, by name or number.
    phase: PhaseName,
    /// The task's number, as workflow_get_phase shows it.
    task_number: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session_id: String,
    /// The phase.
    phase: String,
    /// The task.
    #[serde(flatten)]
    task: ShownTask,
}

impl Tool for WorkflowGetTask {
    const NAME: &'static str = "workflow_get_task";
    const TITLE: &'static str = "Look at a task";
    const DESCRIPTION: &'static str = "One task of a phase: how it is done and what shows that it is. \
        Call it before you work on the task; session_complete_task with its task_id says that it is \
        done. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Workflow;
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let named = input.phase.text();
        let (session, phase, task) =
            look::task(&call.view, call.session(), Some(&named), input.task_number)?;
        let task = ShownTask::from(task);
        let mut lines = vec![format!("Task {} of {phase}: {}", task.task_number, task.name)];
        lines.extend((!task.text.is_empty()).then(|| task.text.clone()));
        lines.extend(task.acceptance_criteria.iter().map(|one| format!("Done when: {one}")));
        let output = Output { session_id: session.to_string(), phase, task };
        Ok(Answer::new(output, lines.join("\n")))
    }
}
