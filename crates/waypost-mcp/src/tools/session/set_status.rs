//! `session_set_status`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::sessions::set_status;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionSetStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// active, paused, complete or failed.
    status: String,
}

impl Tool for SessionSetStatus {
    const NAME: &'static str = "session_set_status";
    const TITLE: &'static str = "Set the session's status";
    const DESCRIPTION: &'static str = "Sets the session's status: active resumes it, paused pauses it, complete and \
        failed end it. complete asks the gates before the end and is refused while one does not \
        hold. Prefer session_pause, session_resume and session_end, which say why.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Changed;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Changed>, AppError> {
        let set = set_status::set(&call.view, call.session(), &input.status)?;
        let done = format!("Session {} is {}.", set.session, set.lifecycle);
        Changed::answer(call, &set.session, set.warnings, done)
    }
}
