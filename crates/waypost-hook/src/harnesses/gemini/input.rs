//! What Gemini CLI sends, and what it understands of answers.

use waypost_app::harness::Event;

use crate::harnesses::shape::input::Dialect;
use crate::harnesses::shape::render::{Deny, Speech};

/// How it names things. Before it shortens a conversation it tells of that with every request to its model, so that
/// nothing can be learned from it.
pub(super) static DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", Event::Start),
        ("BeforeAgent", Event::Prompt),
        ("BeforeTool", Event::BeforeTool),
        ("AfterTool", Event::AfterTool),
        ("AfterAgent", Event::Stop),
        ("SessionEnd", Event::End),
    ],
    fields: &[("prompt_response", "last_assistant_message")],
};

/// It knows one word for no, and shows messages to the user everywhere.
pub(super) static SPEECH: Speech = Speech {
    dialect: &DIALECT,
    deny: Deny::Flat("deny"),
    hold: "deny",
    holds: &[Event::Stop],
    context: &[Event::Start, Event::Prompt, Event::AfterTool],
    flat: &[],
    messages: &[
        Event::Start,
        Event::Prompt,
        Event::BeforeTool,
        Event::AfterTool,
        Event::Stop,
        Event::End,
    ],
    unheard: &[],
};
