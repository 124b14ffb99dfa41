//! `workflow_complete_phase`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_app::error::AppError;
use waypost_app::tracks::workflow::complete;

use super::PhaseName;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;

pub(crate) struct WorkflowCompletePhase;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The phase, by name or number: the current one.
    phase: PhaseName,
    /// What its gates ask for, by field: workflow_get_phase names them. Empty where they ask for none.
    evidence: Map<String, Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The phase that was to be completed.
    phase: String,
    /// Whether everything that must hold does. If not, the phase stays.
    checkpoint_passed: bool,
    /// What was found.
    validation: Validation,
    /// The phase that the workflow is in now.
    current_phase: String,
    /// The phase that was entered, if one was.
    next_phase: Option<String>,
    /// Whether the workflow is complete.
    workflow_complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Validation {
    /// What must hold and does not.
    errors: Vec<String>,
    /// What should hold and does not.
    warnings: Vec<String>,
    /// What to do next.
    next_steps: Vec<String>,
}

impl Tool for WorkflowCompletePhase {
    const NAME: &'static str = "workflow_complete_phase";
    const TITLE: &'static str = "Complete a phase";
    const DESCRIPTION: &'static str = "Completes the current phase of the session's workflow with the \
        evidence that it asks for, and enters the next one. Call it when the phase's tasks are done. \
        With checkpoint_passed = false the phase stays: do what next_steps say and call it again.";
    const TOOLSET: Toolset = Toolset::Workflow;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let named = input.phase.text();
        let done = complete::complete(&call.view, call.session(), Some(&named), input.evidence)?;
        let changed = Changed::of(call, &done.session, done.told)?;
        let (errors, warnings, next_steps) = (done.errors, done.warnings, done.next_steps);
        let output = Output {
            changed,
            phase: done.phase,
            checkpoint_passed: done.passed,
            validation: Validation { errors, warnings, next_steps },
            current_phase: done.current_phase,
            next_phase: done.next_phase,
            workflow_complete: done.workflow_complete,
        };
        let text = output.text();
        Ok(Answer::new(output, text))
    }
}

impl Output {
    fn text(&self) -> String {
        let Validation { errors, warnings, next_steps } = &self.validation;
        let result = if self.checkpoint_passed { "is complete" } else { "is not complete" };
        let mut lines = vec![self.changed.told(format!("Phase {} {result}.", self.phase))];
        lines.extend(errors.iter().map(|error| format!("Error: {error}")));
        lines.extend(warnings.iter().map(|warning| format!("Warning: {warning}")));
        lines.extend(next_steps.iter().map(|step| format!("Next: {step}")));
        lines.join("\n")
    }
}
