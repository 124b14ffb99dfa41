//! `session_complete_task`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::tracks::build;

use super::built::Built;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionCompleteTask;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task's id in the plan, such as 1.2.3.
    task_id: String,
}

impl Tool for SessionCompleteTask {
    const NAME: &'static str = "session_complete_task";
    const TITLE: &'static str = "Complete a task";
    const DESCRIPTION: &'static str = "Says that a task of the plan is complete. Call it as soon as it is; completing one twice \
        is refused, and so is one that plan.json does not have. The statuses in plan.json follow by themselves.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Built;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Built>, AppError> {
        let built = build::complete_task(&call.view, call.session(), &input.task_id)?;
        Ok(Built::answer(built, "The task is complete."))
    }
}
