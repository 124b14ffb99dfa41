//! `workflow_get_errors`

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::tracks::workflow::look;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Nothing, Tool};
use crate::toolset::Toolset;

pub(crate) struct WorkflowGetErrors;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session_id: String,
    /// What went wrong, the latest last.
    errors: Vec<Failure>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Failure {
    /// When.
    time: String,
    /// In which phase.
    phase: String,
    /// What must hold and did not.
    errors: Vec<String>,
    /// What would put it right.
    next_steps: Vec<String>,
}

impl Tool for WorkflowGetErrors {
    const NAME: &'static str = "workflow_get_errors";
    const TITLE: &'static str = "What went wrong in the workflow";
    const DESCRIPTION: &'static str = "Everything that failed in the session's workflow, with what \
        would have put it right, the latest last. Call it when you take up a workflow that failed \
        somewhere. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Workflow;
    const EFFECT: Effect = Effect::Reads;
    type Input = Nothing;
    type Output = Output;

    fn call(call: &Call<'_>, Nothing {}: Nothing) -> Result<Answer<Output>, AppError> {
        let (session, failures) = look::errors(&call.view, call.session())?;
        let failure = |failure: waypost_core::course::PhaseFailure| Failure {
            time: failure.time.to_string(),
            phase: failure.phase,
            errors: failure.errors,
            next_steps: failure.next_steps,
        };
        let errors: Vec<Failure> = failures.into_iter().map(failure).collect();
        let line =
            |one: &Failure| format!("- {} {}: {}", one.time, one.phase, one.errors.join("; "));
        let text = match errors.as_slice() {
            [] => "Nothing went wrong.".to_owned(),
            errors => errors.iter().map(line).collect::<Vec<_>>().join("\n"),
        };
        Ok(Answer::new(Output { session_id: session.to_string(), errors }, text))
    }
}
