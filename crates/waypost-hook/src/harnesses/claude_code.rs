//! Claude Code: its events, its tools, its answers, its files.

mod answers;
mod conversation;
mod input;
mod permissions;
mod plugin;
mod registering;
mod settings;
mod sources;
mod status_line;
mod tools;
mod transcripts;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::harness::Answer;
use waypost_app::harness::Tool;
use waypost_app::harness::ToolEnd;
use waypost_app::harness::{
    Event, Facts, Harness, Input, Output, Plugins, Registering, Rewriting, Settings, StatusLine,
    Transcript,
};

use super::facts::CLAUDE_CODE as FACTS;
use super::shape::render;

pub(super) use conversation::Conversations;

/// Anthropic's Claude Code.
#[derive(Debug)]
pub(super) struct ClaudeCode;

impl Harness for ClaudeCode {
    fn transcripts(&self, folder: &Path, root: &Path) -> Option<(PathBuf, String)> {
        Some(transcripts::place(folder, root))
    }

    fn transcript(&self, name: &str, head: &[u8]) -> Option<Transcript> {
        transcripts::read(name, head)
    }

    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
        input::parse(bytes)
    }

    fn tool(&self, input: &Input<'_>) -> Result<Tool, AppError> {
        tools::tool(input)
    }

    fn ended(&self, input: &Input<'_>) -> ToolEnd {
        tools::ended(input)
    }

    fn printed<'i>(&self, input: &Input<'i>) -> Vec<Cow<'i, str>> {
        tools::printed(input)
    }

    fn is_harmless(&self, tool: &str) -> bool {
        tools::is_harmless(tool)
    }

    fn rewriting(&self) -> Option<&'static dyn Rewriting> {
        Some(&permissions::Permissions)
    }

    fn render(&self, event: Event, input: &Input<'_>, answer: &Answer) -> Output {
        render::answer(&answers::SPEECH, self.rewriting(), event, input, answer)
    }

    fn probe(&self, root: &Path, file: &Path) -> String {
        let event = json!({
            "session_id": "waypost-doctor",
            "cwd": root,
            "hook_event_name": input::DIALECT.name(Event::BeforeTool),
            "tool_name": "Write",
            "tool_input": {"file_path": file, "content": ""},
            "tool_use_id": "waypost-doctor",
        });
        event.to_string()
    }

    fn is_denial(&self, stdout: &str) -> bool {
        stdout.contains("\"permissionDecision\":\"deny\"")
    }

    fn status_line(&self, bytes: &[u8]) -> Option<StatusLine> {
        status_line::parse(bytes)
    }

    fn plugins(&self) -> Option<&'static dyn Plugins> {
        Some(&plugin::Files)
    }

    fn reads(&self, arguments: &[String], settings: Settings) -> bool {
        sources::reads(arguments, settings)
    }

    fn registering(&self) -> &'static dyn Registering {
        self::registering::FILES
    }
}

#[cfg(test)]
mod tests;
