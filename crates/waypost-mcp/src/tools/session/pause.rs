//! `session_pause`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::sessions::pause;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionPause;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Why work rests.
    reason: String,
    /// What whoever goes on should know: where you are, what is half done, what to try next.
    context: Option<String>,
}

impl Tool for SessionPause {
    const NAME: &'static str = "session_pause";
    const TITLE: &'static str = "Pause the session";
    const DESCRIPTION: &'static str = "Lets a session rest, with a reason and what whoever goes on \
        should know. Call it when work has to wait: for a review, an answer, another day. No \
        conversation joins it until session_resume.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Changed;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Changed>, AppError> {
        let (id, warnings) =
            pause::pause(&call.view, call.session(), &input.reason, input.context.as_deref())?;
        Changed::answer(call, &id, warnings, format!("Session {id} is paused."))
    }
}
