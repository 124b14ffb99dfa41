//! Answers as Claude Code wants them: exact names, nothing extra, never `allow`.

use serde_json::{Value, json};
use waypost_app::error::AppError;
use waypost_app::hook::Answer;
use waypost_core::text::printable;

use super::tools;
use crate::input::Input;
use crate::{Otherwise, Output};

/// The events that Waypost answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    Stop,
    SessionEnd,
    UserPromptExpansion,
    SubagentStart,
    SubagentStop,
    PreCompact,
    /// Any other: quietly ignored.
    Other,
}

impl Event {
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "SessionStart" => Self::SessionStart,
            "UserPromptSubmit" => Self::UserPromptSubmit,
            "PreToolUse" => Self::PreToolUse,
            "PostToolUse" => Self::PostToolUse,
            "PostToolUseFailure" => Self::PostToolUseFailure,
            "Stop" => Self::Stop,
            "SessionEnd" => Self::SessionEnd,
            "UserPromptExpansion" => Self::UserPromptExpansion,
            "SubagentStart" => Self::SubagentStart,
            "SubagentStop" => Self::SubagentStop,
            "PreCompact" => Self::PreCompact,
            _ => Self::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::Stop => "Stop",
            Self::SessionEnd => "SessionEnd",
            Self::UserPromptExpansion => "UserPromptExpansion",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::PreCompact => "PreCompact",
            Self::Other => "",
        }
    }
}

/// What Claude Code is told.
pub(super) fn answer(event: Event, answer: &Answer) -> Output {
    match answer {
        Answer::Silence => Output::default(),
        Answer::Context(text) if takes_context(event) => {
            specific(event, json!({"additionalContext": printable(text)}))
        }
        Answer::Message(text) | Answer::Context(text) => {
            json_output(&json!({"systemMessage": printable(text)}))
        }
        Answer::Both { agent, user } if takes_context(event) => {
            let context = json!({"additionalContext": printable(agent)});
            let output = hook_specific(event, context);
            json_output(&json!({"systemMessage": printable(user), "hookSpecificOutput": output}))
        }
        Answer::Both { agent, user } => {
            json_output(&json!({"systemMessage": printable(&format!("{user}\n{agent}"))}))
        }
        Answer::Deny(text) => match event {
            Event::PreToolUse => specific(
                event,
                json!({"permissionDecision": "deny", "permissionDecisionReason": printable(text)}),
            ),
            _ => json_output(&json!({"decision": "block", "reason": printable(text)})),
        },
    }
}

/// What Claude Code is told when something went wrong: harm is denied, reading goes on, and the
/// user's own prompts are never held up.
pub(super) fn failed(event: Event, input: &Input<'_>, error: &AppError) -> Output {
    match event {
        Event::PreToolUse if tools::is_harmless_command(input) => Output::default(),
        _ => failed_unparsed(event, input, error),
    }
}

/// The same for whoever has no time to read a command line: every one is taken for harmful.
pub(super) fn failed_unparsed(event: Event, input: &Input<'_>, error: &AppError) -> Output {
    let mut text = format!("Waypost cannot decide: {}", error.full_text());
    if error.hints.is_empty() {
        text.push_str("\nNext: run `waypost doctor`, which tests the hook.");
    }
    match event {
        Event::PreToolUse if tools::is_harmless(input) => Output::default(),
        Event::PreToolUse => {
            let still = "Until then, reading tools and `waypost status`, `doctor`, `verify`, `repair` work.";
            answer(event, &Answer::Deny(format!("{text}\n{still}")))
        }
        // Held once, so that it is seen; a second time would be for ever.
        Event::Stop if !input.stop_hook_active => answer(event, &Answer::Deny(text)),
        Event::PostToolUse | Event::PostToolUseFailure => {
            answer(event, &Answer::Context(format!("{text}\nWhat just ran is not recorded.")))
        }
        Event::SessionEnd | Event::SubagentStop | Event::PreCompact => {
            Output { stderr: format!("{}\n", printable(&text)), ..Output::default() }
        }
        _ => answer(event, &Answer::Message(text)),
    }
}

/// The same for whoever failed or took too long; only what it takes is kept.
pub(super) fn too_late(event: Event, input: &Input<'_>) -> Otherwise {
    let tool_name = input.tool_name.as_deref().map(|name| name.to_owned().into());
    let kept = Input { tool_name, stop_hook_active: input.stop_hook_active, ..Input::default() };
    Box::new(move || {
        let late = AppError::refused("it failed or took too long").hint("run `waypost doctor`");
        failed_unparsed(event, &kept, &late)
    })
}

/// What is told when not even the event is known.
pub(super) fn no_event(problem: &str) -> Output {
    Output {
        stdout: String::new(),
        stderr: format!(
            "Waypost: the hook's input cannot be read: {}. Whatever it was, it is denied.\n\
             Next: `waypost hook claude-code` is called by Claude Code with one JSON event on \
             standard input; `waypost doctor` tests it.\n",
            printable(problem)
        ),
        status: 2,
    }
}

/// Whether the event's answer can tell the agent something. On Stop that would make it go on.
fn takes_context(event: Event) -> bool {
    matches!(
        event,
        Event::SessionStart
            | Event::UserPromptSubmit
            | Event::PreToolUse
            | Event::PostToolUse
            | Event::PostToolUseFailure
            | Event::SubagentStart
    )
}

fn specific(event: Event, fields: Value) -> Output {
    json_output(&json!({"hookSpecificOutput": hook_specific(event, fields)}))
}

fn hook_specific(event: Event, mut fields: Value) -> Value {
    fields["hookEventName"] = event.name().into();
    fields
}

fn json_output(value: &Value) -> Output {
    Output { stdout: format!("{value}\n"), ..Output::default() }
}
