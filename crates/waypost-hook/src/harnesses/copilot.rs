//! Copilot CLI: its events, its tools, its answers, its files. It runs hooks of other clients' settings too, and leaves
//! their arguments out.

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

use super::facts::COPILOT as FACTS;
use super::shape::{follow_up, render, tools as rows};

/// GitHub's Copilot CLI.
#[derive(Debug)]
pub(super) struct Copilot;

impl Harness for Copilot {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
        let (input, problem) = input::parse(bytes);
        (follow_up::told_apart(input), problem)
    }

    fn sent(&self, input: &Input<'_>) -> bool {
        input::is_its_own(input)
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
            "hook_event_name": input::DIALECT.name(Event::BeforeTool),
            "session_id": "waypost-doctor",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "cwd": root,
            "tool_name": "Write",
            "tool_input": {"path": file, "file_text": ""},
        });
        event.to_string()
    }

    fn is_denial(&self, stdout: &str) -> bool {
        stdout.contains("\"permissionDecision\":\"deny\"")
    }

    fn registering(&self) -> &'static dyn Registering {
        &registering::FILES
    }
}
