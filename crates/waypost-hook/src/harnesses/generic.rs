//! The generic adapter: Waypost's own form of events and answers, for any program that runs agents and has no adapter.
//! `docs/generic.md` describes it field by field, and its examples are run as tests.

mod wire;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use waypost_app::error::AppError;
use waypost_app::harness::{
    Added, Answer, Content, Event, Facts, File, Form, Ground, Harness, Input, Left, Output,
    Registering, Said, Server, Tool, ToolEnd,
};
use waypost_core::text::printable;

use super::facts::GENERIC as FACTS;

/// Whatever speaks Waypost's own form.
#[derive(Debug)]
pub(super) struct Generic;

impl Harness for Generic {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn read<'i>(&self, bytes: &'i [u8]) -> (Input<'i>, Option<String>) {
        wire::read(bytes)
    }

    fn tool(&self, input: &Input<'_>) -> Result<Tool, AppError> {
        wire::tool(input)
    }

    fn ended(&self, input: &Input<'_>) -> ToolEnd {
        wire::ended(input)
    }

    fn printed<'i>(&self, input: &Input<'i>) -> Vec<Cow<'i, str>> {
        wire::printed(input)
    }

    fn is_harmless(&self, tool: &str) -> bool {
        tool.starts_with("mcp__waypost__")
    }

    fn render(&self, _: Event, _: &Input<'_>, answer: &Answer) -> Output {
        let mut said = Map::new();
        let mut say = |name: &str, text: &str| said.insert(name.to_owned(), text.into());
        match answer {
            Answer::Deny(reason) => {
                say("decision", "deny");
                say("reason", &printable(reason));
            }
            Answer::Silence | Answer::Rewrite { .. } => drop(say("decision", "pass")),
            Answer::Context(agent) => {
                say("decision", "pass");
                say("context", &printable(agent));
            }
            Answer::Message(user) => {
                say("decision", "pass");
                say("message", &printable(user));
            }
            Answer::Both { agent, user } => {
                say("decision", "pass");
                say("context", &printable(agent));
                say("message", &printable(user));
            }
        }
        Output { stdout: format!("{}\n", Value::Object(said)), ..Output::default() }
    }

    fn probe(&self, root: &Path, file: &Path) -> String {
        let event = json!({
            "event": "before-tool",
            "conversation": "waypost-doctor",
            "cwd": root,
            "call": "waypost-doctor",
            "tool": {"name": "write", "kind": "edit", "files": [file]},
        });
        event.to_string()
    }

    fn is_denial(&self, stdout: &str) -> bool {
        stdout.contains("\"decision\":\"deny\"")
    }

    fn registering(&self) -> &'static dyn Registering {
        &Nothing
    }
}

/// Nobody knows where a program that has no adapter keeps its settings: whoever uses it says there what it calls.
struct Nothing;

impl Registering for Nothing {
    fn files(&self) -> &'static [File] {
        &[]
    }

    fn add(&self, content: Content<'_>, _: Form<'_>) -> Result<Added, AppError> {
        Ok(Added { bytes: content.bytes.to_vec(), was_there: false, notes: Vec::new() })
    }

    fn take_out(&self, content: Content<'_>, _: Option<&[u8]>, _: bool) -> Result<Left, AppError> {
        Ok(Left { bytes: content.bytes.to_vec(), is_bare: false })
    }

    fn said(&self, _: Content<'_>) -> Result<Said, AppError> {
        Ok(Said::default())
    }

    fn server(&self, _: Content<'_>) -> Result<Option<Server>, AppError> {
        Ok(None)
    }

    fn user_servers(&self, ground: Ground<'_>) -> PathBuf {
        ground.folder.join("servers")
    }

    fn servers(&self, _: &[u8], _: &Path) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
