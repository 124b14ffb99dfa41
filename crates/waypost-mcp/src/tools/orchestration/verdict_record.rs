//! `verdict_record`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::orchestration::verdicts::{self, Told};
use waypost_core::session::verdict_id;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;
use crate::wire::quoted;

pub(crate) struct VerdictRecord;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent that judges: the type of the subagent that calls.
    agent: String,
    /// approve, reject, conditional or needs_revision.
    decision: String,
    /// How sure it is, from 0 to 1.
    confidence: f64,
    /// Why.
    reasoning: String,
    /// What has to be done before it agrees.
    #[serde(default)]
    conditions: Option<Vec<String>>,
    /// What stands in the way.
    #[serde(default)]
    blockers: Option<Vec<String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The verdict's id.
    verdict_id: String,
    /// How well it is known whose it is: observed, approved, reported or claimed.
    provenance: String,
    /// Whether gates take it.
    counts: bool,
    /// Why they do not.
    why_not: Option<String>,
}

impl Tool for VerdictRecord {
    const NAME: &'static str = "verdict_record";
    const TITLE: &'static str = "Give a verdict on another agent's work";
    const DESCRIPTION: &'static str = "Gives a verdict on what another agent did. It counts for \
        gates where the subagent that judges calls it itself, has changed nothing of it, and is of the type that it \
        says; recorded for somebody else it is only what was said.";
    const TOOLSET: Toolset = Toolset::Orchestration;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let done = format!("{} says {}", quoted(&input.agent), quoted(&input.decision));
        let told = Told {
            agent: input.agent,
            decision: input.decision,
            confidence: input.confidence,
            reasoning: input.reasoning,
            conditions: input.conditions.unwrap_or_default(),
            blockers: input.blockers.unwrap_or_default(),
        };
        let given = verdicts::judge(&call.view, call.session(), told, call.witnessed.as_ref())?;
        let (recorded, why_not) = (given.recorded, given.why_not);
        let changed = Changed::of(call, &recorded.session, recorded.warnings)?;
        let provenance = given.provenance.to_string();
        let more = why_not.as_ref().map(|why| format!("\nIt counts for no gate: {why}."));
        let done = format!("{done} ({provenance}).{}", more.unwrap_or_default());
        let text = changed.told(done);
        let verdict_id = verdict_id(recorded.seq);
        Ok(Answer::new(
            Output { changed, verdict_id, provenance, counts: why_not.is_none(), why_not },
            text,
        ))
    }
}
