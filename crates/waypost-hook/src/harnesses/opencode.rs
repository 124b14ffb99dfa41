//! OpenCode: its tools, its files, and the plugin that tells Waypost what happens in it. It has no hooks that call programs.

mod conversation;
mod input;
mod registering;
mod render;
mod servers;
mod tools;

use std::borrow::Cow;
use std::path::Path;

use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::harness::{
    Answer, Event, Facts, Harness, Input, Output, Registering, Tool, ToolEnd,
};

use super::facts::OPENCODE as FACTS;
use super::shape::tools as rows;

pub(super) use conversation::Sessions;

/// SST's OpenCode.
#[derive(Debug)]
pub(super) struct OpenCode;

impl Harness for OpenCode {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
        input::DIALECT.parse(bytes)
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

    fn render(&self, _: Event, _: &Input<'_>, answer: &Answer) -> Output {
        render::answer(answer)
    }

    fn probe(&self, root: &Path, file: &Path) -> String {
        let event = json!({
            "hook_event_name": input::DIALECT.name(Event::BeforeTool),
            "session_id": "waypost-doctor",
            "cwd": root,
            "tool_name": "write",
            "tool_use_id": "waypost-doctor",
            "tool_input": {"filePath": file, "content": ""},
        });
        event.to_string()
    }

    fn is_denial(&self, stdout: &str) -> bool {
        stdout.contains("\"deny\":")
    }

    fn registering(&self) -> &'static dyn Registering {
        registering::FILES
    }
}
