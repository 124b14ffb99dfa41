//! `session_delete`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::share::archive;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionDelete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Why it is put away.
    reason: String,
}

impl Tool for SessionDelete {
    const NAME: &'static str = "session_delete";
    const TITLE: &'static str = "Put a session away";
    const DESCRIPTION: &'static str = "Archives a session: it is hidden from lists and nobody works in it, and nothing of it is \
        lost. Only a human can do that, so for you it is refused and says what the user can run. \
        Call it only to learn that.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Takes;
    type Input = Input;
    type Output = Changed;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Changed>, AppError> {
        let (id, warnings) = archive::archive(&call.view, call.session(), &input.reason)?;
        Changed::answer(call, &id, warnings, format!("Session {id} is archived."))
    }
}
