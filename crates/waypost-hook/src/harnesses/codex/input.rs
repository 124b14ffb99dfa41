//! What Codex sends and understands.

use waypost_app::harness::Event;

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
