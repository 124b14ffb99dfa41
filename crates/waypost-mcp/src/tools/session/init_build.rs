//! `session_init_build`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::tracks::build;

use super::built::Built;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionInitBuild;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// How many checkpoints there are: 1 to 1000, as many as plan.json has.
    checkpoints_total: u64,
}

impl Tool for SessionInitBuild {
    const NAME: &'static str = "session_init_build";
    const TITLE: &'static str = "Begin a build";
    const DESCRIPTION: &'static str = "Says into how many checkpoints the build is divided. Call it once, when the plan is made \
        and before the first checkpoint. Refused while a build is under way.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Built;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Built>, AppError> {
        let built = build::init(&call.view, call.session(), Some(input.checkpoints_total))?;
        Ok(Built::answer(built, "The build has begun."))
    }
}
