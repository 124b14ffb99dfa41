//! Taking a hook's input apart, as far as it goes.
//!
//! Claude Code sends one JSON object. If it is cut off, too deep or broken somewhere, the fields
//! before that point still tell which event and which tool it is about, and so which way to fail.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use waypost_app::harness::{Event, Input, Task, TaskKind};

/// Claude Code reports the end of background tasks as prompts; no human wrote those.
const NOTIFICATION: &str = "<task-notification>";

/// The events that Waypost answers, as they are called.
const EVENTS: [(&str, Event); 14] = [
    ("SessionStart", Event::Start),
    ("UserPromptSubmit", Event::Prompt),
    ("PreToolUse", Event::BeforeTool),
    ("PostToolUse", Event::AfterTool),
    ("PostToolUseFailure", Event::AfterFailure),
    ("Stop", Event::Stop),
    ("SessionEnd", Event::End),
    ("UserPromptExpansion", Event::Expansion),
    ("SubagentStart", Event::SubagentStart),
    ("SubagentStop", Event::SubagentStop),
    ("TaskCompleted", Event::TaskDone),
    ("TeammateIdle", Event::TeammateIdle),
    ("ConfigChange", Event::ConfigChanged),
    ("PreCompact", Event::Compaction),
];

/// How an event is called.
pub(super) fn name(event: Event) -> &'static str {
    EVENTS.iter().find(|(_, known)| *known == event).map_or("", |(name, _)| name)
}

fn event(name: &str) -> Event {
    EVENTS.iter().find(|(known, _)| *known == name).map_or(Event::Other, |(_, event)| *event)
}

/// Reads what can be read, and says what is wrong with the rest.
pub(super) fn parse(bytes: &[u8]) -> (Input<'_>, Option<String>) {
    let mut input = Input::default();
    let (text, broken) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            (valid, Some("it is not UTF-8".to_owned()))
        }
    };
    if text.trim().is_empty() && broken.is_none() {
        return (input, Some("it is empty".to_owned()));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let read = json.deserialize_map(Fields(&mut input)).and_then(|()| json.end());
    let problem = read.err().map(|error| format!("it is not the JSON that was expected: {error}"));
    let notifies = |prompt: &str| prompt.starts_with(NOTIFICATION);
    if input.event == Some(Event::Prompt) && input.prompt.as_deref().is_some_and(notifies) {
        input.event = Some(Event::Other);
    }
    // A subagent that wants to stop is still listed as running.
    if let Some(own) =
        input.subagent.as_deref().filter(|_| input.event == Some(Event::SubagentStop))
    {
        input.tasks.retain(|task| task.id != own);
    }
    (input, broken.or(problem))
}

/// What runs in the background, as the client lists it.
#[derive(Deserialize)]
struct Listed<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
}

impl Listed<'_> {
    /// None for what the client does for itself, which concerns nobody's files.
    fn task(self) -> Option<Task> {
        let id = self.id.unwrap_or_default().into_owned();
        let kind = match self.kind.as_deref().unwrap_or_default() {
            "shell" => TaskKind::Shell,
            "subagent" | "workflow" => TaskKind::Agent,
            "teammate" => TaskKind::Teammate,
            "monitor" => TaskKind::Monitor,
            "dream" | "auto-mode scan" | "memory import" | "memory save" => return None,
            _ => TaskKind::Other,
        };
        let agent = (self.kind.as_deref() == Some("subagent")).then(|| id.clone());
        Some(Task { id, kind, agent })
    }
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
                "session_id" => input.conversation = text(&mut map)?,
                "cwd" => input.cwd = text(&mut map)?,
                "hook_event_name" => input.event = text(&mut map)?.as_deref().map(event),
                "permission_mode" => input.permissions = text(&mut map)?,
                "agent_id" => input.subagent = text(&mut map)?,
                "agent_type" => input.agent_type = text(&mut map)?,
                "command_name" => input.skill = text(&mut map)?,
                "trigger" => input.trigger = text(&mut map)?,
                "tool_name" => input.tool = text(&mut map)?,
                "tool_use_id" => input.call = text(&mut map)?,
                "tool_input" => input.arguments = Some(map.next_value()?),
                "tool_response" => input.response = Some(map.next_value()?),
                "error" => input.error = text(&mut map)?,
                "is_interrupt" => input.interrupted = map.next_value()?,
                "source" => input.source = text(&mut map)?,
                "file_path" => input.file = text(&mut map)?,
                "reason" => input.reason = text(&mut map)?,
                "prompt" => input.prompt = text(&mut map)?,
                "last_assistant_message" => input.said = text(&mut map)?,
                "transcript_path" => input.transcript = text(&mut map)?,
                "teammate_name" => input.teammate = text(&mut map)?,
                "task_subject" => input.task = text(&mut map)?,
                "stop_hook_active" => input.held_before = map.next_value()?,
                "background_tasks" => {
                    let listed = map.next_value::<Vec<Listed<'_>>>()?;
                    input.tasks = listed.into_iter().filter_map(Listed::task).collect();
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

fn text<'de, M: MapAccess<'de>>(map: &mut M) -> Result<Option<Cow<'de, str>>, M::Error> {
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
            let (input, problem) = parse(text.as_bytes());
            assert!(problem.is_some(), "{rest:.60}");
            assert_eq!(input.tool.as_deref(), Some("Write"), "{rest:.60}");
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_told_and_read_up_to_there() {
        let (input, problem) = parse(b"{\"hook_event_name\":\"Stop\",\"x\":\"\xff\"}");
        assert_eq!(input.event, Some(Event::Stop));
        assert_eq!(problem.as_deref(), Some("it is not UTF-8"));
    }

    #[test]
    fn strange_things_are_told_and_never_panic() {
        for bytes in [&b""[..], b" ", b"[]", b"3", b"{", b"null", b"{\"session_id\":3}", b"\0"] {
            assert!(parse(bytes).1.is_some(), "{bytes:?}");
        }
        assert!(parse(b"{}").1.is_none());
    }

    #[test]
    fn a_prompt_that_no_human_wrote_is_none() {
        for (prompt, read) in [("<task-notification>done", Event::Other), ("hi", Event::Prompt)] {
            let text =
                format!("{{\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"{prompt}\"}}");
            assert_eq!(parse(text.as_bytes()).0.event, Some(read));
        }
    }
}
