//! `agent_invoke`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_app::error::AppError;
use waypost_app::orchestration::agents;
use waypost_core::event::AgentInvoked;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;
use crate::wire::quoted;

pub(crate) struct AgentInvoke;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent: orchestrator, analyst, architect, planner, implementer, critic, qa, security, devops,
    /// retrospective, memory, skillbook, independent-thinker, high-level-advisor, explainer, task-generator,
    /// pr-comment-responder, or any other name.
    agent: String,
    /// What it is asked to do.
    prompt: String,
    /// What it is told beside that.
    #[serde(default)]
    context: Option<Map<String, Value>>,
    /// The files that it is given.
    #[serde(default)]
    artifacts: Option<Vec<String>>,
    /// The agent that hands the work over.
    #[serde(default)]
    handoff_from: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The invocation's number.
    invocation: u64,
}

impl Tool for AgentInvoke {
    const NAME: &'static str = "agent_invoke";
    const TITLE: &'static str = "Record that an agent is given work";
    const DESCRIPTION: &'static str = "Records that an agent is given work, so that whoever goes on \
        knows who did what. Subagents that the client's hooks see are recorded by themselves: call it for agents that \
        you play yourself or run in another way, and agent_complete when they are done.";
    const TOOLSET: Toolset = Toolset::Orchestration;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let Input { agent, prompt, context, artifacts, handoff_from } = input;
        let text = format!("{} is at work", quoted(&agent));
        let invoked = AgentInvoked {
            agent,
            prompt,
            context: context.unwrap_or_default(),
            artifacts: artifacts.unwrap_or_default(),
            handoff_from,
        };
        let recorded = agents::invoke(&call.view, call.session(), invoked)?;
        let changed = Changed::of(call, &recorded.session, recorded.warnings)?;
        let text = changed.told(format!("{text} (invocation {}).", recorded.seq));
        Ok(Answer::new(Output { changed, invocation: recorded.seq }, text))
    }
}
