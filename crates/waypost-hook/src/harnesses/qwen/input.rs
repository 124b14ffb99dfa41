//! What Qwen Code sends, and what it understands of answers.

use waypost_app::harness::{Event, Input};

use crate::harnesses::shape::input::Dialect;
use crate::harnesses::shape::render::{Deny, Speech};

/// How it spells what a tool answered, where it passes that on to its model.
const RESULT: &str = "[Function Response";

/// How it names things.
pub(super) static DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", Event::Start),
        ("UserPromptSubmit", Event::Prompt),
        ("PreToolUse", Event::BeforeTool),
        ("PostToolUse", Event::AfterTool),
        ("PostToolUseFailure", Event::AfterFailure),
        ("Stop", Event::Stop),
        ("SubagentStart", Event::SubagentStart),
        ("SubagentStop", Event::SubagentStop),
        ("PreCompact", Event::Compaction),
        ("SessionEnd", Event::End),
    ],
    fields: &[],
};

/// What it has no way to show: messages to the user, but where a turn ends.
pub(super) static SPEECH: Speech = Speech {
    dialect: &DIALECT,
    deny: Deny::Nested,
    hold: "block",
    holds: &[Event::Stop, Event::SubagentStop],
    context: &[
        Event::Start,
        Event::Prompt,
        Event::AfterTool,
        Event::AfterFailure,
        Event::SubagentStart,
    ],
    flat: &[],
    messages: &[Event::Stop],
    unheard: &[],
};

/// Reads what can be read. What it gives to its model after a tool passes through the hook of prompts too, without a
/// text of anybody.
pub(super) fn parse(bytes: &[u8]) -> (Input<'_>, Option<String>) {
    let (mut input, problem) = DIALECT.parse(bytes);
    let is_nobodys = |prompt: &str| prompt.trim().is_empty() || prompt.starts_with(RESULT);
    if input.event == Some(Event::Prompt) && input.prompt.as_deref().is_some_and(is_nobodys) {
        input.event = Some(Event::Other);
    }
    (input, problem)
}
