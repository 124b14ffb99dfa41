//! `session_get_state`

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::standing;
use waypost_app::standing::brief;
use waypost_app::standing::status::SessionStatus;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Nothing, Tool};
use crate::toolset::Toolset;
use crate::wire::State;

pub(crate) struct SessionGetState;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    state: State,
    /// The same as a brief: where it stands, and the exact next step.
    brief: String,
}

impl Tool for SessionGetState {
    const NAME: &'static str = "session_get_state";
    const TITLE: &'static str = "Where the session stands";
    const DESCRIPTION: &'static str = "Where a session stands now: its objective, lifecycle, version, \
        workflow with its phases, conversations, what each of its gates finds with the exact step \
        that would satisfy it, and the brief. Call it before you decide what to do next, and for the version to pin with \
        expected_version. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Reads;
    type Input = Nothing;
    type Output = Output;

    fn call(call: &Call<'_>, Nothing {}: Nothing) -> Result<Answer<Output>, AppError> {
        let stand = standing::of(&call.view, call.session())?;
        let brief = brief::tell(&call.view, &stand, &call.view.asker())?;
        let brief = brief.text(brief::BUDGET);
        let state = State::from(SessionStatus::of(&call.view, stand));
        Ok(Answer::new(Output { state, brief: brief.clone() }, brief))
    }
}
