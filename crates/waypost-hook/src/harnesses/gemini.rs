//! Gemini CLI: its events, its tools, its answers, its files.

mod conversation;
mod input;
mod registering;
mod tools;

use std::borrow::Cow;
use std::path::Path;

use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::harness::{
    Answer, Event, Facts, Harness, Input, Output, Registering, Tool, ToolEnd,
};

use super::facts::GEMINI as FACTS;
use super::shape::{follow_up, render, tools as rows};

pub(super) use conversation::Chats;

/// Google's Gemini CLI.
#[derive(Debug)]
pub(super) struct Gemini;

impl Harness for Gemini {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
        let (input, problem) = input::DIALECT.parse(bytes);
        (follow_up::told_apart(input), problem)
    }

    fn tool(&self, input: &Input<'_>) -> Result<Tool, AppError> {
        rows::tool(tools::ROWS, input)
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

    fn render(&self, event: Event, input: &Input<'_>, answer: &Answer) -> Output {
        let answer = follow_up::signed(event, answer);
        render::answer(&input::SPEECH, None, event, input, &answer)
    }

    fn probe(&self, root: &Path, file: &Path) -> String {
        let event = json!({
            "session_id": "waypost-doctor",
            "cwd": root,
            "hook_event_name": input::DIALECT.name(Event::BeforeTool),
            "tool_name": "write_file",
            "tool_input": {"file_path": file, "content": ""},
        });
        event.to_string()
    }

    fn is_denial(&self, stdout: &str) -> bool {
        stdout.contains("\"decision\":\"deny\"")
    }

    fn registering(&self) -> &'static dyn Registering {
        &registering::FILES
    }
}
