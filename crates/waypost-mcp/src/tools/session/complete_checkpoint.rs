//! `session_complete_checkpoint`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::tracks::build;

use super::built::Built;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionCompleteCheckpoint;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The checkpoint: 1 up to the total.
    checkpoint_id: u64,
}

impl Tool for SessionCompleteCheckpoint {
    const NAME: &'static str = "session_complete_checkpoint";
    const TITLE: &'static str = "Complete a checkpoint";
    const DESCRIPTION: &'static str = "Says that a checkpoint is complete. Call it when its work is done and tested; completing \
        one twice is refused. Gives the checkpoint to work on next.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Built;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Built>, AppError> {
        let checkpoint = input.checkpoint_id;
        let built = build::complete_checkpoint(&call.view, call.session(), checkpoint)?;
        Ok(Built::answer(built, &format!("Checkpoint {checkpoint} is complete.")))
    }
}
