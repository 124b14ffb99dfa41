//! Cursor: its events, its tools, its answers, its files. It runs hooks of other clients' settings too, and leaves their
//! arguments out.

mod input;
mod registering;
mod render;
mod tools;

use std::borrow::Cow;
use std::path::Path;

use serde_json::json;
use serde_json::value::RawValue;
use waypost_app::error::AppError;
use waypost_app::harness::{
    Answer, Event, Facts, Harness, Input, Output, Registering, Tool, ToolEnd,
};

use super::facts::CURSOR as FACTS;
use super::shape::{follow_up, tools as rows};

/// Anysphere's Cursor.
#[derive(Debug)]
pub(super) struct Cursor;

impl Harness for Cursor {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
        let (input, problem) = input::parse(bytes);
        (follow_up::told_apart(input), problem)
    }

    fn sent(&self, input: &Input<'_>) -> bool {
        input.unknown.iter().any(|name| name == "cursor_version")
    }

    fn tool(&self, input: &Input<'_>) -> Result<Tool, AppError> {
        let Some(text) = input.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok())
        else {
            return rows::tool(tools::ROWS, input);
        };
        // What a server's tool is given is JSON within a text.
        let text: String = text;
        let given = RawValue::from_string(text).ok();
        let (tool, call) = (input.tool.clone(), input.call.clone());
        let cwd = input.cwd.clone();
        let inner = Input { tool, call, cwd, arguments: given.as_deref(), ..Input::default() };
        rows::tool(tools::ROWS, &inner)
    }

    fn ended(&self, input: &Input<'_>) -> ToolEnd {
        tools::ended(input)
    }

    fn printed<'i>(&self, input: &Input<'i>) -> Vec<Cow<'i, str>> {
        tools::printed(input)
    }

    fn is_harmless(&self, tool: &str) -> bool {
        rows::is_harmless(tools::ROWS, tool)
    }

    fn render(&self, event: Event, _: &Input<'_>, answer: &Answer) -> Output {
        render::answer(event, &follow_up::signed(event, answer))
    }

    fn probe(&self, root: &Path, file: &Path) -> String {
        let event = json!({
            "conversation_id": "waypost-doctor",
            "generation_id": "waypost-doctor",
            "tool_name": "Write",
            "tool_input": {"file_path": file, "content": ""},
            "tool_use_id": "waypost-doctor",
            "hook_event_name": input::DIALECT.name(Event::BeforeTool),
            "workspace_roots": [root],
        });
        event.to_string()
    }

    fn is_denial(&self, stdout: &str) -> bool {
        stdout.contains("\"permission\":\"deny\"")
    }

    fn registering(&self) -> &'static dyn Registering {
        &registering::FILES
    }
}
