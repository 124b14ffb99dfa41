//! `requirement_satisfy`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use waypost_app::enforce::gates::{self, Say};
use waypost_app::error::AppError;

use super::spoken::Output;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;
use crate::wire::Gate;

pub(crate) struct RequirementSatisfy;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The gate's name.
    name: String,
    /// What there is to say about it; kept beside the claim.
    metadata: Option<Map<String, Value>>,
}

impl Tool for RequirementSatisfy {
    const NAME: &'static str = "requirement_satisfy";
    const TITLE: &'static str = "Claim that a gate is satisfied";
    const DESCRIPTION: &'static str = "Records your word that a gate is satisfied. It is kept as \
        claimed: a gate that wants proof which was seen, or a human's approval, stays open, and the \
        answer says so with the step that would satisfy it. Do that step rather than call this \
        again.";
    const TOOLSET: Toolset = Toolset::Requirements;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let note = input.metadata.map(|metadata| Value::Object(metadata).to_string());
        let say = Say { session: call.session(), note, ..Say::default() };
        let output = Output::of(call, gates::satisfy(&call.view, &input.name, &say)?)?;
        let text = match (&output.gate, output.satisfied) {
            (_, true) => format!("Recorded as claimed; gate {} holds.", input.name),
            (Some(gate), false) => {
                format!("Recorded as claimed, which is not enough:\n{}", Gate::line(gate))
            }
            (None, false) => "Recorded as claimed; the gate does not stand here now.".to_owned(),
        };
        Ok(Answer::new(output, text))
    }
}
