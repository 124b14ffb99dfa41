//! `session_set_focus`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::sessions::focus;

use waypost_core::command::FocusChange;
use waypost_core::event::Focus;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;
use crate::wire::quoted;

pub(crate) struct SessionSetFocus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The feature.
    feature: Option<String>,
    /// The task.
    task: Option<String>,
    /// planning, implementation, validation or complete.
    workflow_phase: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The feature.
    feature: Option<String>,
    /// The task.
    task: Option<String>,
    /// planning, implementation, validation or complete.
    workflow_phase: Option<String>,
}

impl Tool for SessionSetFocus {
    const NAME: &'static str = "session_set_focus";
    const TITLE: &'static str = "Say what the session works on now";
    const DESCRIPTION: &'static str = "Says which feature and task the session works on, and in which workflow phase. Call it \
        when that changes; another feature clears the task, an empty text clears a field. \
        Whoever resumes the session is told.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let Input { feature, task, workflow_phase } = input;
        let change = FocusChange { feature, task, workflow_phase };
        let (id, focus, warnings) = focus::set(&call.view, call.session(), change)?;
        let changed = Changed::of(call, &id, warnings)?;
        let Focus { feature, task, workflow_phase, .. } = focus;
        let workflow_phase = workflow_phase.map(|phase| phase.to_string());
        let shown = |text: &Option<String>| text.as_deref().map_or("none".to_owned(), quoted);
        let text = changed.told(format!(
            "Feature: {}. Task: {}. Phase: {}.",
            shown(&feature),
            shown(&task),
            shown(&workflow_phase)
        ));
        Ok(Answer::new(Output { changed, feature, task, workflow_phase }, text))
    }
}
