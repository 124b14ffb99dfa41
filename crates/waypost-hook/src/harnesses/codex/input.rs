//! What Codex sends and understands.

use std::borrow::Cow;

use waypost_app::harness::{Answer, Event};

use crate::harnesses::shape::input::Dialect;
use crate::harnesses::shape::render::{Deny, Speech};

/// How it names things. Of the end of a turn that the user interrupted nothing can be made.
pub(super) static DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", Event::Start),
        ("UserPromptSubmit", Event::Prompt),
        ("PreToolUse", Event::BeforeTool),
        ("PostToolUse", Event::AfterTool),
        ("Stop", Event::Stop),
        ("SubagentStart", Event::SubagentStart),
        ("SubagentStop", Event::SubagentStop),
        ("PreCompact", Event::Compaction),
        ("SessionEnd", Event::End),
    ],
    fields: &[],
};

/// What it understands. Anything else in an answer, and it takes the whole answer for none.
pub(super) static SPEECH: Speech = Speech {
    dialect: &DIALECT,
    deny: Deny::Nested,
    hold: "block",
    holds: &[Event::Prompt, Event::AfterTool, Event::Stop, Event::SubagentStop],
    context: &[
        Event::Start,
        Event::Prompt,
        Event::BeforeTool,
        Event::AfterTool,
        Event::SubagentStart,
    ],
    flat: &[],
    messages: &[
        Event::Start,
        Event::Prompt,
        Event::BeforeTool,
        Event::AfterTool,
        Event::Stop,
        Event::SubagentStart,
        Event::SubagentStop,
        Event::Compaction,
    ],
    unheard: &[],
};

/// What a reason ends with, since Codex writes the call behind its last line: which may name the next step.
const NOT_RUN: &str = "\nThis did not run";

/// An answer whose reason has a last line of its own, where Codex puts more behind it.
pub(super) fn ended_by_a_line(event: Event, answer: &Answer) -> Cow<'_, Answer> {
    match answer {
        Answer::Deny(reason) if event == Event::BeforeTool => {
            Cow::Owned(Answer::Deny(format!("{}{NOT_RUN}", reason.trim_end())))
        }
        answer => Cow::Borrowed(answer),
    }
}
