//! `session_add_note`

use schemars::JsonSchema;
use serde::Deserialize;
use waypost_app::error::AppError;
use waypost_app::sessions::note;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionAddNote;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What sort of note: `note`, `decision`, `question`, `finding` or any other word.
    kind: String,
    /// The text. It is kept as it is.
    text: String,
}

impl Tool for SessionAddNote {
    const NAME: &'static str = "session_add_note";
    const TITLE: &'static str = "Write a note down";
    const DESCRIPTION: &'static str = "Writes something down in the session, for good and verbatim: \
        what was decided and why, what was found, what is still open. Call it for what whoever \
        goes on could not find in the code.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Changed;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Changed>, AppError> {
        let (id, warnings) = note::add(&call.view, call.session(), &input.kind, &input.text)?;
        Changed::answer(call, &id, warnings, format!("Noted in session {id}."))
    }
}
