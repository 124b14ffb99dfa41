//! Taking a hook's input apart, as far as it goes.
//!
//! It is one JSON object. If it is cut off, too deep or broken somewhere, the fields before that point still tell
//! which event and which tool it is about, and so which way to fail.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use waypost_app::harness::{Event, Input, Task, TaskKind};

use super::tools::SERVED;

/// So many fields that nobody here knows are remembered by their names.
const MAX_UNKNOWN: usize = 32;

/// How a harness names events and fields.
#[derive(Debug)]
pub(in crate::harnesses) struct Dialect {
    /// The events that Waypost answers, as they are called.
    pub(in crate::harnesses) events: &'static [(&'static str, Event)],
    /// Fields that are called otherwise than in [`Fields`]: as this harness calls them, and as they are called there.
    pub(in crate::harnesses) fields: &'static [(&'static str, &'static str)],
}

impl Dialect {
    /// How an event is called.
    pub(in crate::harnesses) fn name(&self, event: Event) -> &'static str {
        self.events.iter().find(|(_, known)| *known == event).map_or("", |(name, _)| name)
    }

    fn event(&self, name: &str) -> Event {
        let known = self.events.iter().find(|(known, _)| *known == name);
        known.map_or(Event::Other, |(_, event)| *event)
    }

    fn field<'k>(&self, name: &'k str) -> &'k str {
        self.fields.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours)
    }

    /// Reads what can be read, and says what is wrong with the rest.
    pub(in crate::harnesses) fn parse<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
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
        let fields = Fields { dialect: self, input: &mut input };
        let read = json.deserialize_map(fields).and_then(|()| json.end());
        let problem =
            read.err().map(|error| format!("it is not the JSON that was expected: {error}"));
        (input, broken.or(problem))
    }
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

struct Fields<'d, 'i, 'a> {
    dialect: &'d Dialect,
    input: &'i mut Input<'a>,
}

impl<'de> Visitor<'de> for Fields<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { dialect, input } = self;
        while let Some(Text(key)) = map.next_key()? {
            match dialect.field(key.as_ref()) {
                "session_id" => input.conversation = text(&mut map)?,
                "cwd" => input.cwd = text(&mut map)?,
                "hook_event_name" => {
                    input.named = text(&mut map)?;
                    input.event = input.named.as_deref().map(|name| dialect.event(name));
                }
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
                "loop_count" => input.held_before = map.next_value::<Option<u64>>()? > Some(0),
                // A subagent's own is not the conversation.
                "parent_session_id" => {
                    input.conversation = text(&mut map)?.or(input.conversation.take());
                }
                "workspace_roots" => {
                    let first = map.next_value::<Vec<Text<'de>>>()?.into_iter().next();
                    let here = input.cwd.take().filter(|cwd| !cwd.is_empty());
                    input.cwd = here.or(first.map(|Text(root)| root));
                }
                "mcp_context" => {
                    if let Some(served) = map.next_value::<Option<Served<'de>>>()? {
                        input.tool = Some(served_name(&served.server_name, &served.tool_name));
                    }
                }
                "mcp_server_name" => {
                    if let (Some(server), Some(tool)) = (text(&mut map)?, &input.tool) {
                        input.tool = Some(served_name(&server, tool));
                    }
                }
                "background_tasks" => input.tasks = tasks(&mut map)?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    if input.unknown.len() < MAX_UNKNOWN {
                        input.unknown.push(key);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The tool of an MCP server, as the client tells it beside the name that it has for it.
#[derive(Deserialize)]
struct Served<'a> {
    #[serde(borrow)]
    server_name: Cow<'a, str>,
    #[serde(borrow)]
    tool_name: Cow<'a, str>,
}

fn served_name(server: &str, tool: &str) -> Cow<'static, str> {
    format!("{SERVED}{server}__{tool}").into()
}

fn tasks<'de, M: MapAccess<'de>>(map: &mut M) -> Result<Vec<Task>, M::Error> {
    let listed = map.next_value::<Vec<Listed<'de>>>()?;
    Ok(listed.into_iter().filter_map(Listed::task).collect())
}

fn text<'de, M: MapAccess<'de>>(map: &mut M) -> Result<Option<Cow<'de, str>>, M::Error> {
    Ok(map.next_value::<Option<Text<'de>>>()?.map(|Text(text)| text))
}

/// Text that is borrowed from the input where it holds no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
