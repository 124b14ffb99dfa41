//! Prompts that a user picks: taking work up, and handing it over.

mod handoff;
mod resume;

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptMessage, Role};
use serde_json::Value;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::view::View;
use waypost_core::text::printable;

use crate::outcome::voice;

/// All prompts.
pub(crate) fn list() -> Vec<Prompt> {
    vec![resume::describe(), handoff::describe()]
}

/// Writes a prompt out. Blocks.
pub(crate) fn get(
    host: &Host,
    name: &str,
    given: Option<JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let (described, write): (_, fn(&View<'_>, &Given) -> _) = match name {
        resume::NAME => (resume::describe(), resume::write),
        handoff::NAME => (handoff::describe(), handoff::write),
        _ => {
            let message = format!("there is no prompt {}", printable(name));
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    let given = Given::read(&described, given.unwrap_or_default())?;
    let text: Result<String, AppError> = View::open(host).and_then(|view| write(&view, &given));
    let text =
        text.map_err(|error| ErrorData::invalid_params(error.full_text(voice(host)), None))?;
    let message = PromptMessage::new_text(Role::User, printable(&text));
    let mut result = GetPromptResult::new(vec![message]);
    result.description = described.description;
    Ok(result)
}

/// What the user filled in.
struct Given(JsonObject);

impl Given {
    fn read(prompt: &Prompt, given: JsonObject) -> Result<Self, ErrorData> {
        let known = prompt.arguments.iter().flatten();
        for (name, value) in &given {
            let is_known = known.clone().any(|argument| argument.name == *name);
            if !is_known || !value.is_string() {
                let name = printable(name);
                let wrong = if is_known { "has to be a text" } else { "is unknown" };
                let message = format!("argument `{name}` of prompt {} {wrong}", prompt.name);
                return Err(ErrorData::invalid_params(message, None));
            }
        }
        Ok(Self(given))
    }

    /// What was given, unless it is empty.
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }
}
