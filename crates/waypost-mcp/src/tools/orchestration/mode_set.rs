//! `mode_set`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::sessions::mode;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;

pub(crate) struct ModeSet;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// analysis, planning or coding. Only a human can switch gates off.
    mode: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The mode that the session is in now.
    mode: String,
}

impl Tool for ModeSet {
    const NAME: &'static str = "mode_set";
    const TITLE: &'static str = "Change the mode";
    const DESCRIPTION: &'static str = "Changes what the session's agents may do: `analysis` denies edits \
        and command lines, `planning` denies edits, `coding` nothing.";
    const TOOLSET: Toolset = Toolset::Orchestration;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let id = mode::set(&call.view, call.session(), &input.mode)?;
        let (_, mode) = mode::of(&call.view, Some(id.as_str()))?;
        let changed = Changed::of(call, &id, Vec::new())?;
        let text = changed.told(format!("The mode is {mode}."));
        Ok(Answer::new(Output { changed, mode }, text))
    }
}
