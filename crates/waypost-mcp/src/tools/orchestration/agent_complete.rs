//! `agent_complete`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::orchestration::agents;
use waypost_core::command::Completion;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;
use crate::wire::quoted;

pub(crate) struct AgentComplete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent, by the name that it was invoked by.
    agent: String,
    /// What it did.
    summary: String,
    /// The files that it leaves.
    #[serde(default)]
    artifacts: Option<Vec<String>>,
    /// What it recommends.
    #[serde(default)]
    recommendations: Option<Vec<String>>,
    /// What kept it from going on. With any, its work is blocked, not completed.
    #[serde(default)]
    blockers: Option<Vec<String>>,
    /// The agent that goes on.
    #[serde(default)]
    handoff_to: Option<String>,
    /// Why that one.
    #[serde(default)]
    handoff_reason: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// completed, or blocked where there are blockers.
    status: String,
}

impl Tool for AgentComplete {
    const NAME: &'static str = "agent_complete";
    const TITLE: &'static str = "Record that an agent is done";
    const DESCRIPTION: &'static str = "Records what came of an agent's work: its latest open invocation \
        is over. Call it when an agent that was given work by agent_invoke is done or cannot go on.";
    const TOOLSET: Toolset = Toolset::Orchestration;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let agent = quoted(&input.agent);
        let completion = Completion {
            agent: input.agent,
            summary: input.summary,
            artifacts: input.artifacts.unwrap_or_default(),
            recommendations: input.recommendations.unwrap_or_default(),
            blockers: input.blockers.unwrap_or_default(),
            handoff_to: input.handoff_to,
            handoff_reason: input.handoff_reason,
            failed: false,
        };
        let status = completion.status();
        let recorded = agents::complete(&call.view, call.session(), completion)?;
        let changed = Changed::of(call, &recorded.session, recorded.warnings)?;
        let text = changed.told(format!("The work of {agent} is {}.", status.words()));
        Ok(Answer::new(Output { changed, status: status.name().to_owned() }, text))
    }
}
