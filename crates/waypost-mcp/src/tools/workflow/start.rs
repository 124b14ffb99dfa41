//! `workflow_start`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_app::error::AppError;
use waypost_app::sessions::start_workflow::{self as start, Beginning};
use waypost_app::tracks::workflow::look;

use super::phase::ShownPhase;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct WorkflowStart;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The workflow, as workflow_list names it.
    workflow: String,
    /// What it is about: a file or folder of the project.
    target: Option<String>,
    /// What you choose; some phases are left out by it.
    options: Option<Map<String, Value>>,
    /// Begin another one although the same goes on for the same target.
    anew: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether a session was made for it.
    new_session: bool,
    /// What somebody should be told.
    warnings: Vec<String>,
    /// The phase that it begins in.
    #[serde(flatten)]
    phase: ShownPhase,
}

impl Tool for WorkflowStart {
    const NAME: &'static str = "workflow_start";
    const TITLE: &'static str = "Begin a workflow";
    const DESCRIPTION: &'static str = "Begins a workflow, in this session if it follows none, else in \
        a new one, and gives its first phase with the tasks in it. The workflow is kept as it is now, \
        whatever becomes of its file. If the same goes on for the same target, that is told instead: \
        go on with it, or set anew.";
    const TOOLSET: Toolset = Toolset::Workflow;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let beginning = Beginning {
            workflow: &input.workflow,
            target: input.target.as_deref(),
            options: input.options.as_ref(),
            anew: input.anew.unwrap_or(false),
        };
        let begun = start::start(&call.view, call.session(), &beginning)?;
        let phase = look::phase(&call.view, Some(begun.session.as_str()), None)?;
        let phase = ShownPhase::from(phase);
        let text =
            format!("Session {} follows {}.\n{}", begun.session, input.workflow, phase.text());
        let (new_session, warnings) = (begun.new_session, begun.warnings);
        Ok(Answer::new(Output { new_session, warnings, phase }, text))
    }
}
