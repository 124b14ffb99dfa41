//! What Copilot CLI sends to hooks that are registered by the names of events that are known everywhere, and what it
//! understands of answers.

use waypost_app::harness::{Event, Input};

use crate::harnesses::shape::input::Dialect;
use crate::harnesses::shape::render::{Deny, Speech};
use crate::harnesses::shape::tools::SERVED;

/// How it names things.
pub(super) static DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", Event::Start),
        ("UserPromptSubmit", Event::Prompt),
        ("PreToolUse", Event::BeforeTool),
        ("PostToolUse", Event::AfterTool),
        ("PostToolUseFailure", Event::AfterFailure),
        ("Stop", Event::Stop),
        ("SubagentStop", Event::SubagentStop),
        ("PreCompact", Event::Compaction),
        ("SessionEnd", Event::End),
    ],
    fields: &[("tool_result", "tool_response"), ("parent_agent_id", "parent_session_id")],
};

/// It reads context at the top of an answer, but for that of a tool that is about to run.
pub(super) static SPEECH: Speech = Speech {
    dialect: &DIALECT,
    deny: Deny::Nested,
    hold: "block",
    holds: &[Event::Stop, Event::SubagentStop],
    context: &[Event::Start, Event::Prompt, Event::BeforeTool, Event::AfterTool],
    flat: &[Event::Start, Event::Prompt, Event::AfterTool],
    messages: &[],
    unheard: &[],
};

/// Reads what can be read.
pub(super) fn parse(bytes: &[u8]) -> (Input<'_>, Option<String>) {
    let (mut input, problem) = DIALECT.parse(bytes);
    if input.subagent.is_some() {
        // What a subagent is given comes as a prompt of its own, and its end is told twice.
        input.event = match input.event {
            Some(Event::Prompt) => Some(Event::SubagentStart),
            Some(Event::Stop) => Some(Event::Other),
            event => event,
        };
    }
    // Servers' tools are called `SERVER-TOOL`. Names of servers have hyphens more often than those of tools.
    let served = input.tool.as_deref().and_then(|tool| tool.rsplit_once('-'));
    if let Some((server, tool)) = served {
        input.tool = Some(format!("{SERVED}{server}__{tool}").into());
    }
    (input, problem)
}

/// Whether what another client's hook was told is this one's: it stamps everything with a time, and names no transcript
/// but where a turn or an agent ends.
pub(super) fn is_its_own(input: &Input<'_>) -> bool {
    let has = |field: &str| input.unknown.iter().any(|name| name == field);
    let ends = has("stop_reason") || has("custom_instructions") && !has("model");
    let is_named = input
        .named
        .as_deref()
        .is_some_and(|name| DIALECT.events.iter().any(|(known, _)| *known == name));
    is_named && has("timestamp") && (input.transcript.is_none() || ends)
}
