//! `handoff_accept`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::orchestration::handoffs;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;

pub(crate) struct HandoffAccept;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The handoff's id, as the brief names it.
    handoff_id: String,
    /// What was found of each point of its checklist that is neither a command nor a file, in their order.
    #[serde(default)]
    checked: Option<Vec<String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The handoff's id.
    handoff_id: String,
}

impl Tool for HandoffAccept {
    const NAME: &'static str = "handoff_accept";
    const TITLE: &'static str = "Take work over";
    const DESCRIPTION: &'static str = "Takes a handoff over, once its checklist was gone through: \
        commands were run and files were read by this conversation since it was made. It is refused with what is \
        missing.";
    const TOOLSET: Toolset = Toolset::Orchestration;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let checked = input.checked.unwrap_or_default();
        let (recorded, taken) =
            handoffs::accept(&call.view, call.session(), &input.handoff_id, checked)?;
        let changed = Changed::of(call, &recorded.session, recorded.warnings)?;
        let text = changed.told(format!("{} is accepted.", taken.id()));
        Ok(Answer::new(Output { changed, handoff_id: taken.id() }, text))
    }
}
