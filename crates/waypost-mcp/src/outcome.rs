//! What a call came to, as the protocol says it: structured content, and a text to read.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};
use waypost_app::error::{AppError, Kind};
use waypost_app::machine::host::Host;
use waypost_core::next_step::Voice;
use waypost_core::text::printable;

/// What a tool answers: the value that its output schema describes, and the same in few words.
#[derive(Debug)]
pub(crate) struct Answer<T> {
    value: T,
    text: String,
}

impl<T: Serialize> Answer<T> {
    /// An answer.
    pub(crate) fn new(value: T, text: impl Into<String>) -> Self {
        Self { value, text: text.into() }
    }

    pub(crate) fn into_result(self) -> Result<CallToolResult, AppError> {
        let mut value = serde_json::to_value(self.value).map_err(|error| {
            AppError::integrity(format!("cannot be written as JSON: {error}")).because(error)
        })?;
        clean(&mut value);
        Ok(result(value, &self.text, false))
    }
}

/// In whose words a client's model is told what to do next: it has the tools that are offered, and a shell perhaps.
pub(crate) fn voice(host: &Host) -> Voice {
    Voice::Agent { tools: host.tools.unwrap_or_default(), hooked: false }
}

/// A refusal: the caller reads why, and what to do next.
pub(crate) fn refusal(host: &Host, error: &AppError) -> CallToolResult {
    let voice = voice(host);
    let mut value = json!({"error": {
        "kind": kind(error.kind),
        "message": error.message,
        "next": error.next(voice),
    }});
    if let Kind::Conflict { expected, actual } = error.kind {
        value["error"]["expected"] = json!(expected);
        value["error"]["actual"] = json!(actual);
    }
    clean(&mut value);
    result(value, &error.full_text(voice), true)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Refused => "refused",
        Kind::Configuration => "configuration",
        Kind::Integrity => "integrity",
        Kind::Conflict { .. } => "conflict",
    }
}

fn result(value: Value, text: &str, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(printable(text))];
    let mut result =
        if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(value);
    result
}

/// Takes what a model or a terminal should not be given out of every text.
pub(crate) fn clean(value: &mut Value) {
    match value {
        Value::String(text) => {
            if text.chars().any(char::is_control) || !text.is_ascii() {
                *text = printable(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
