//! `session_brief`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::standing::brief;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionBrief;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// How many tokens the brief may have at most; 1,200 without it. What matters least is left out.
    budget: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session_id: String,
    /// Its last record: what `expected_version` is compared with.
    version: u64,
    /// The exact next step.
    next: String,
    /// The gates that are not met.
    open_gates: Vec<String>,
    /// The gates that are met.
    met_gates: Vec<String>,
    /// The brief, as an agent reads it.
    brief: String,
}

impl Tool for SessionBrief {
    const NAME: &'static str = "session_brief";
    const TITLE: &'static str = "Brief on the session";
    const DESCRIPTION: &'static str = "Where the session stands in few words, and the exact next \
        step. Call it first when you take work up, after a compaction, or whenever you have lost \
        your place. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let brief = brief::of(&call.view, call.session())?;
        let budget = input.budget.and_then(|budget| usize::try_from(budget).ok());
        let text = brief.text(budget.unwrap_or(brief::BUDGET));
        let output = Output {
            session_id: brief.session_id.to_string(),
            version: brief.version,
            open_gates: brief.open.iter().map(|open| open.gate.clone()).collect(),
            met_gates: brief.met.into_iter().map(|met| met.gate).collect(),
            next: brief.next,
            brief: text.clone(),
        };
        Ok(Answer::new(output, text))
    }
}
