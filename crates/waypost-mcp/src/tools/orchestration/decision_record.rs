//! `decision_record`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::orchestration::decisions::{self, Decided};

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;

pub(crate) struct DecisionRecord;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// architectural, technical, process or scope.
    #[serde(rename = "type")]
    decision_type: String,
    /// What was decided.
    description: String,
    /// Why, and what was decided against.
    rationale: String,
    /// The agent that decided it.
    decided_by: String,
    /// The agents that agree.
    #[serde(default)]
    approved_by: Option<Vec<String>>,
    /// The agents that do not.
    #[serde(default)]
    rejected_by: Option<Vec<String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The decision's id.
    decision_id: String,
}

impl Tool for DecisionRecord {
    const NAME: &'static str = "decision_record";
    const TITLE: &'static str = "Record a decision";
    const DESCRIPTION: &'static str = "Records what was decided and why, for good. Call it for \
        decisions that whoever goes on has to know; they stand in the brief and in the history of sessions.";
    const TOOLSET: Toolset = Toolset::Orchestration;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let decided = Decided {
            decision_type: input.decision_type,
            description: input.description,
            rationale: input.rationale,
            decided_by: input.decided_by,
            approved_by: input.approved_by.unwrap_or_default(),
            rejected_by: input.rejected_by.unwrap_or_default(),
        };
        let (recorded, decision_id) = decisions::decide(&call.view, call.session(), decided)?;
        let changed = Changed::of(call, &recorded.session, recorded.warnings)?;
        let text = changed.told(format!("Decision {decision_id} is recorded."));
        Ok(Answer::new(Output { changed, decision_id }, text))
    }
}
