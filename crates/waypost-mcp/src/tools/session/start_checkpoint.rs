//! `session_start_checkpoint`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::tracks::build;

use super::built::Built;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionStartCheckpoint;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The checkpoint: 1 up to the total.
    checkpoint_id: u64,
}

impl Tool for SessionStartCheckpoint {
    const NAME: &'static str = "session_start_checkpoint";
    const TITLE: &'static str = "Start a checkpoint";
    const DESCRIPTION: &'static str = "Says that work on a checkpoint begins. Call it before you begin one; any order will do. \
        Gives how far the build has come.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Built;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Built>, AppError> {
        let checkpoint = input.checkpoint_id;
        let built = build::start_checkpoint(&call.view, call.session(), checkpoint)?;
        Ok(Built::answer(built, &format!("Checkpoint {checkpoint} is under way.")))
    }
}
