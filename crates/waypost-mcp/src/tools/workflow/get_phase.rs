//! `workflow_get_phase`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::tracks::workflow::look;

use super::PhaseName;
use super::phase::ShownPhase;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct WorkflowGetPhase;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The phase, by name or number; without it the current one.
    phase: Option<PhaseName>,
}

impl Tool for WorkflowGetPhase {
    const NAME: &'static str = "workflow_get_phase";
    const TITLE: &'static str = "Look at a phase";
    const DESCRIPTION: &'static str = "A phase of the session's workflow: its purpose, tasks, how far \
        it is, and of the current one what has to hold before it is complete. Call it when you enter a \
        phase or lost your place. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Workflow;
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;
    type Output = ShownPhase;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<ShownPhase>, AppError> {
        let named = input.phase.as_ref().map(PhaseName::text);
        let phase = look::phase(&call.view, call.session(), named.as_deref())?;
        let phase = ShownPhase::from(phase);
        let text = phase.text();
        Ok(Answer::new(phase, text))
    }
}
