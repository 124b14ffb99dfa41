//! What Claude Code understands of answers.

use waypost_app::harness::Event;

use super::input::DIALECT;
use crate::harnesses::shape::render::{Deny, Speech};

/// Every event of it can be held or can tell the user something. On Stop, context would make the agent go on.
pub(super) static SPEECH: Speech = Speech {
    dialect: &DIALECT,
    deny: Deny::Nested,
    hold: "block",
    holds: ALL,
    context: &[
        Event::Start,
        Event::Prompt,
        Event::BeforeTool,
        Event::AfterTool,
        Event::AfterFailure,
        Event::SubagentStart,
    ],
    messages: ALL,
    unheard: &[Event::ConfigChanged],
};

const ALL: &[Event] = &[
    Event::Start,
    Event::Prompt,
    Event::Expansion,
    Event::BeforeTool,
    Event::AfterTool,
    Event::AfterFailure,
    Event::Stop,
    Event::SubagentStart,
    Event::SubagentStop,
    Event::TaskDone,
    Event::TeammateIdle,
    Event::ConfigChanged,
    Event::Compaction,
    Event::End,
];
