//! `session_get_state`

use waypost_app::error::AppError;
use waypost_app::status;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Nothing, Tool};
use crate::toolset::Toolset;
use crate::wire::State;

pub(crate) struct SessionGetState;

impl Tool for SessionGetState {
    const NAME: &'static str = "session_get_state";
    const TITLE: &'static str = "Where the session stands";
    const DESCRIPTION: &'static str = "Where a session stands now: its objective, lifecycle, version, \
        conversations, and what each of its gates finds with the exact step that would satisfy it. \
        Call it before you decide what to do next, and for the version to pin with \
        expected_version. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Reads;
    type Input = Nothing;
    type Output = State;

    fn call(call: &Call<'_>, Nothing {}: Nothing) -> Result<Answer<State>, AppError> {
        let state = State::from(status::of(&call.workspace, call.session())?);
        let text = state.text();
        Ok(Answer::new(state, text))
    }
}
