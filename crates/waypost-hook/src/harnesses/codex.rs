//! Codex: its events, its tools, its answers, its files.
//!
//! Its hooks are called as Claude's are, with two differences that everything here is about: it takes an answer with
//! anything unknown in it for none, and it does not tell a hook how a command ended. That stands in its transcript.

mod conversation;
mod input;
mod registering;
mod rollout;
mod servers;
mod started;
mod tools;
mod trust;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::harness::{
    Answer, Event, Facts, Harness, Input, Output, Registering, Tool, ToolEnd, Transcript,
};

use super::facts::CODEX as FACTS;
use super::shape::render;

pub(super) use conversation::Rollouts;

/// OpenAI's Codex.
#[derive(Debug)]
pub(super) struct Codex;

impl Harness for Codex {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
        input::DIALECT.parse(bytes)
    }

    fn tool(&self, input: &Input<'_>) -> Result<Tool, AppError> {
        tools::tool(input)
    }

    fn ended(&self, input: &Input<'_>) -> ToolEnd {
        tools::ended(input)
    }

    fn ended_by(&self, input: &Input<'_>, tail: &dyn Fn(u64) -> Vec<u8>) -> Option<ToolEnd> {
        tools::is_shell(input).then(|| rollout::ended(input.call.as_deref()?, tail))?
    }

    fn printed<'i>(&self, input: &Input<'i>) -> Vec<Cow<'i, str>> {
        tools::printed(input)
    }

    fn is_harmless(&self, tool: &str) -> bool {
        tools::is_harmless(tool)
    }

    /// It takes another command line only from a hook that allows it, which would pass over the user's permissions.
    fn render(&self, event: Event, input: &Input<'_>, answer: &Answer) -> Output {
        render::answer(&input::SPEECH, None, event, input, &input::ended_by_a_line(event, answer))
    }

    fn probe(&self, root: &Path, file: &Path) -> String {
        let patch =
            format!("*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\n", file.display());
        let event = json!({
            "session_id": "waypost-doctor",
            "turn_id": "waypost-doctor",
            "cwd": root,
            "hook_event_name": input::DIALECT.name(Event::BeforeTool),
            "tool_name": tools::PATCH,
            "tool_input": {"command": patch},
            "tool_use_id": "waypost-doctor",
        });
        event.to_string()
    }

    fn is_denial(&self, stdout: &str) -> bool {
        stdout.contains("\"permissionDecision\":\"deny\"")
    }

    fn transcripts(&self, folder: &Path, _: &Path) -> Option<(PathBuf, String)> {
        Some((folder.join("sessions"), String::new()))
    }

    /// A folder for the year, one for the month, one for the day.
    fn transcript_depth(&self) -> usize {
        3
    }

    fn transcript(&self, name: &str, head: &[u8]) -> Option<Transcript> {
        started::read(name, head)
    }

    fn registering(&self) -> &'static dyn Registering {
        self::registering::FILES
    }
}

#[cfg(test)]
mod tests;
