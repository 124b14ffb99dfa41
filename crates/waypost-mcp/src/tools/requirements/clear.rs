//! `requirement_clear`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::enforce::gates::{self, Say};
use waypost_app::error::AppError;

use super::spoken::Output;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct RequirementClear;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The gate's name.
    name: String,
}

impl Tool for RequirementClear {
    const NAME: &'static str = "requirement_clear";
    const TITLE: &'static str = "Clear a gate";
    const DESCRIPTION: &'static str = "Lets what satisfied a gate count no more: exactly this gate, \
        in its scope. Call it when what was said of it is not true any more. The records stay.";
    const TOOLSET: Toolset = Toolset::Requirements;
    const EFFECT: Effect = Effect::Takes;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let say = Say { session: call.session(), ..Say::default() };
        let output = Output::of(call, gates::clear(&call.view, &input.name, &say)?)?;
        Ok(Answer::new(output, format!("What satisfied gate {} counts no more.", input.name)))
    }
}
