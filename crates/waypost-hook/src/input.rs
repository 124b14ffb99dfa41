//! Taking a hook's input apart, as far as it goes.
//!
//! A harness sends one JSON object. If it is cut off, too deep or broken somewhere, the fields
//! before that point still tell which event and which tool it is about, and so which way to fail.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use waypost_core::surrogates;

/// The fields of an event that Waypost looks at.
#[derive(Debug, Default)]
pub(crate) struct Input<'a> {
    pub(crate) session_id: Option<Cow<'a, str>>,
    pub(crate) cwd: Option<Cow<'a, str>>,
    pub(crate) hook_event_name: Option<Cow<'a, str>>,
    pub(crate) agent_id: Option<Cow<'a, str>>,
    pub(crate) agent_type: Option<Cow<'a, str>>,
    pub(crate) command_name: Option<Cow<'a, str>>,
    pub(crate) trigger: Option<Cow<'a, str>>,
    pub(crate) tool_name: Option<Cow<'a, str>>,
    pub(crate) tool_use_id: Option<Cow<'a, str>>,
    pub(crate) arguments: Option<&'a RawValue>,
    pub(crate) response: Option<&'a RawValue>,
    pub(crate) error: Option<Cow<'a, str>>,
    pub(crate) is_interrupt: bool,
    pub(crate) source: Option<Cow<'a, str>>,
    pub(crate) reason: Option<Cow<'a, str>>,
    pub(crate) prompt: Option<Cow<'a, str>>,
    pub(crate) stop_hook_active: bool,
    pub(crate) has_background_tasks: bool,
}

/// The text of an event as far as it is text, and what is wrong with the rest. A character of which
/// the harness cut off half is none: it would spoil whatever it stands in, also what is read later.
pub(crate) fn text(bytes: &[u8]) -> (Cow<'_, str>, Option<String>) {
    let (valid, problem) = match std::str::from_utf8(bytes) {
        Ok(valid) => (valid, None),
        Err(error) => {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            (valid, Some("it is not UTF-8".to_owned()))
        }
    };
    (surrogates::mended(valid), problem)
}

/// Reads what can be read, and says what is wrong with the rest.
pub(crate) fn parse(text: &str) -> (Input<'_>, Option<String>) {
    let mut input = Input::default();
    if text.trim().is_empty() {
        return (input, Some("it is empty".to_owned()));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let read = json.deserialize_map(Fields(&mut input)).and_then(|()| json.end());
    let problem = read.err().map(|error| format!("it is not the JSON that was expected: {error}"));
    (input, problem)
}

struct Fields<'i, 'a>(&'i mut Input<'a>);

impl<'de> Visitor<'de> for Fields<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let input = self.0;
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                "session_id" => input.session_id = field(&mut map)?,
                "cwd" => input.cwd = field(&mut map)?,
                "hook_event_name" => input.hook_event_name = field(&mut map)?,
                "agent_id" => input.agent_id = field(&mut map)?,
                "agent_type" => input.agent_type = field(&mut map)?,
                "command_name" => input.command_name = field(&mut map)?,
                "trigger" => input.trigger = field(&mut map)?,
                "tool_name" => input.tool_name = field(&mut map)?,
                "tool_use_id" => input.tool_use_id = field(&mut map)?,
                "tool_input" => input.arguments = Some(map.next_value()?),
                "tool_response" => input.response = Some(map.next_value()?),
                "error" => input.error = field(&mut map)?,
                "is_interrupt" => input.is_interrupt = map.next_value()?,
                "source" => input.source = field(&mut map)?,
                "reason" => input.reason = field(&mut map)?,
                "prompt" => input.prompt = field(&mut map)?,
                "stop_hook_active" => input.stop_hook_active = map.next_value()?,
                "background_tasks" => {
                    input.has_background_tasks = !map.next_value::<Vec<IgnoredAny>>()?.is_empty();
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

fn field<'de, M: MapAccess<'de>>(map: &mut M) -> Result<Option<Cow<'de, str>>, M::Error> {
    Ok(map.next_value::<Option<Text<'de>>>()?.map(|Text(text)| text))
}

/// Text that is borrowed from the input where it holds no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_before_the_break_is_understood() {
        for rest in [
            "\"tool_input\": {\"content\": \"cut of",
            "\"tool_input\": nonsense}",
            &format!("\"tool_input\": {}", "[".repeat(100_000)),
            "\"tool_input\": {}} trailing",
        ] {
            let text = format!(
                "{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Wr\\u0069te\",{rest}"
            );
            let (input, problem) = parse(&text);
            assert!(problem.is_some(), "{rest:.60}");
            assert_eq!(input.tool_name.as_deref(), Some("Write"), "{rest:.60}");
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_told_and_read_up_to_there() {
        let (text, problem) = text(b"{\"hook_event_name\":\"Stop\",\"x\":\"\xff\"}");
        assert_eq!(parse(&text).0.hook_event_name.as_deref(), Some("Stop"));
        assert_eq!(problem.as_deref(), Some("it is not UTF-8"));
    }

    #[test]
    fn strange_things_are_told_and_never_panic() {
        for text in ["", " ", "[]", "3", "{", "null", "{\"session_id\":3}", "\0"] {
            assert!(parse(text).1.is_some(), "{text:?}");
        }
        assert!(parse("{}").1.is_none());
    }
}
