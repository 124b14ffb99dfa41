//! `workflow_retry_phase`

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

pub(crate) struct WorkflowRetryPhase;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The phase, by name or number: the current one.
    phase: PhaseName,
    /// Whether what was given for it before counts no more.
    reset_evidence: Option<bool>,
}

impl Tool for WorkflowRetryPhase {
    const NAME: &'static str = "workflow_retry_phase";
    const TITLE: &'static str = "Try a phase again";
    const DESCRIPTION: &'static str = "Begins the current phase once more after completing it failed; \
        with reset_evidence what was given for it counts no more. Call it when the phase is to be done \
        over; to only mend what was missing, complete it again.";
    const TOOLSET: Toolset = Toolset::Workflow;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let (named, reset) = (input.phase.text(), input.reset_evidence.unwrap_or(false));
        let moved = back::retry(&call.view, call.session(), Some(&named), reset)?;
        let done = format!("Phase {} begins once more.", moved.to);
        Output::answer(call, moved, done)
    }
}
