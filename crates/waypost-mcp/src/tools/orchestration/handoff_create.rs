//! `handoff_create`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use waypost_app::error::AppError;
use waypost_app::orchestration::handoffs;
use waypost_core::event::HandoffCreated;
use waypost_core::session::handoff_id;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::tools::session::changed::Changed;
use crate::toolset::Toolset;

pub(crate) struct HandoffCreate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent that hands over.
    from_agent: String,
    /// The agent that goes on.
    to_agent: String,
    /// Why.
    reason: String,
    /// What whoever goes on has to know.
    context: String,
    /// The files that it is about.
    #[serde(default)]
    artifacts: Option<Vec<String>>,
    /// What else is kept for whoever goes on.
    #[serde(default)]
    preserved_context: Option<Map<String, Value>>,
    /// What whoever goes on has to verify first: `run: COMMAND`, `read: FILE`, or words to be answered. Without any:
    /// to read the artifacts.
    #[serde(default)]
    checklist: Option<Vec<String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The handoff's id.
    handoff_id: String,
    /// It as a document, in Markdown.
    document: String,
}

impl Tool for HandoffCreate {
    const NAME: &'static str = "handoff_create";
    const TITLE: &'static str = "Hand work over";
    const DESCRIPTION: &'static str = "Hands work over to another agent or a later conversation, with \
        what it has to know and to verify first. It stands in every brief until somebody accepts it with handoff_accept.";
    const TOOLSET: Toolset = Toolset::Orchestration;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let handoff = HandoffCreated {
            from_agent: input.from_agent,
            to_agent: input.to_agent,
            reason: input.reason,
            context: input.context,
            artifacts: input.artifacts.unwrap_or_default(),
            preserved_context: input.preserved_context,
            checklist: input.checklist.unwrap_or_default(),
        };
        let (recorded, document) = handoffs::create(&call.view, call.session(), handoff)?;
        let handoff_id = handoff_id(recorded.seq);
        let changed = Changed::of(call, &recorded.session, recorded.warnings)?;
        let text = changed.told(format!("{handoff_id} waits to be accepted."));
        Ok(Answer::new(Output { changed, handoff_id, document }, text))
    }
}
