//! `workflow_rollback`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::tracks::workflow::back;

use super::PhaseName;
use super::moved::Output;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct WorkflowRollback;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The phase to go back to, by name or number.
    to_phase: PhaseName,
    /// Why.
    reason: String,
}

impl Tool for WorkflowRollback {
    const NAME: &'static str = "workflow_rollback";
    const TITLE: &'static str = "Go back to an earlier phase";
    const DESCRIPTION: &'static str = "Goes back to an earlier phase of the session's workflow. What \
        was completed since is to be done again; how it went is kept. Call it when an earlier phase \
        turns out wrong.";
    const TOOLSET: Toolset = Toolset::Workflow;
    const EFFECT: Effect = Effect::Takes;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let to = input.to_phase.text();
        let moved = back::roll_back(&call.view, call.session(), &to, &input.reason)?;
        let again = match moved.taken_back.as_slice() {
            [] => String::new(),
            taken_back => format!(" To be done again: {}.", taken_back.join(", ")),
        };
        let done = format!("{} -> {}.{again}", moved.from, moved.to);
        Output::answer(call, moved, done)
    }
}
