//! Answers as Claude Code wants them: exact names, nothing extra, never `allow`.

use serde_json::{Value, json};
use waypost_app::harness::Answer;
use waypost_app::harness::{Event, Input, Output, Rewriting};
use waypost_core::text::printable;

use super::input;
use super::permissions::Permissions;

/// What Claude Code is told.
pub(super) fn answer(event: Event, input: &Input<'_>, answer: &Answer) -> Output {
    match answer {
        Answer::Silence => Output::default(),
        Answer::Context(text) if takes_context(event) => {
            specific(event, json!({"additionalContext": printable(text)}))
        }
        Answer::Message(text) | Answer::Context(text) => {
            json_output(&json!({"systemMessage": printable(text)}))
        }
        Answer::Rewrite { command, agent, user } => {
            // Without anything in its place, the line runs as it is.
            let Some(updated) = Permissions.arguments(input, command) else {
                return Output::default();
            };
            let fields = json!({"updatedInput": updated, "additionalContext": printable(agent)});
            let output = hook_specific(event, fields);
            json_output(&json!({"systemMessage": printable(user), "hookSpecificOutput": output}))
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
            Event::BeforeTool => specific(
                event,
                json!({"permissionDecision": "deny", "permissionDecisionReason": printable(text)}),
            ),
            // The client tells the reason to nobody there.
            Event::ConfigChanged => json_output(&json!({
                "decision": "block", "reason": printable(text), "systemMessage": printable(text)
            })),
            _ => json_output(&json!({"decision": "block", "reason": printable(text)})),
        },
    }
}

/// Whether the event's answer can tell the agent something. On Stop that would make it go on.
fn takes_context(event: Event) -> bool {
    matches!(
        event,
        Event::Start
            | Event::Prompt
            | Event::BeforeTool
            | Event::AfterTool
            | Event::AfterFailure
            | Event::SubagentStart
    )
}

fn specific(event: Event, fields: Value) -> Output {
    json_output(&json!({"hookSpecificOutput": hook_specific(event, fields)}))
}

fn hook_specific(event: Event, mut fields: Value) -> Value {
    fields["hookEventName"] = input::name(event).into();
    fields
}

fn json_output(value: &Value) -> Output {
    Output { stdout: format!("{value}\n"), ..Output::default() }
}
