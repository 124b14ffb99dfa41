//! `requirement_status`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::enforce::gates;
use waypost_app::error::AppError;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;
use crate::wire::{Gate, is_met};

pub(crate) struct RequirementStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The gate's name. Without it: all gates.
    name: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session_id: String,
    /// Whether all of them hold.
    satisfied: bool,
    /// What each gate finds.
    gates: Vec<Gate>,
}

impl Tool for RequirementStatus {
    const NAME: &'static str = "requirement_status";
    const TITLE: &'static str = "What the gates find";
    const DESCRIPTION: &'static str = "Whether the gates hold now, or the one that is named: why not, \
        and the exact step that would satisfy each. Call it before you commit, push or say that you \
        are done, and after a gate held you. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Requirements;
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        // Gates that want fresh evidence compare the whole work tree, which takes as long as it is big.
        call.progress.tell(0, 1, "comparing the work tree");
        let (id, found) = gates::check(&call.view, call.session(), input.name.as_deref())?;
        call.progress.tell(1, 1, "done");
        let satisfied = found.iter().all(is_met);
        let gates: Vec<Gate> = found.into_iter().map(Gate::from).collect();
        let mut lines = vec![match (gates.is_empty(), satisfied) {
            (true, _) => format!("No gate stands in session {id}."),
            (false, true) => format!("All gates of session {id} hold:"),
            (false, false) => format!("Not all gates of session {id} hold:"),
        }];
        lines.extend(gates.iter().map(Gate::line));
        let output = Output { session_id: id.to_string(), satisfied, gates };
        Ok(Answer::new(output, lines.join("\n")))
    }
}
