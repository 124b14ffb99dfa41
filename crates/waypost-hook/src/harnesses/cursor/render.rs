//! Answers as Cursor wants them. It takes an empty answer of a hook that has to answer for a fault, and one that is not
//! JSON too: so there is always an object, even where there is nothing to say.

use serde_json::{Map, Value, json};
use waypost_app::harness::{Answer, Event, Output};
use waypost_core::text::printable;

/// What an agent is told at once may be so long, in UTF-16 units: it drops the whole of anything longer, and before a tool
/// takes that for a fault.
const MAX_CONTEXT: usize = 10_000;
/// What follows text that was cut off.
const CUT: &str = "\n… (cut: it was longer than Cursor takes)";

/// What Cursor is told.
pub(super) fn answer(event: Event, answer: &Answer) -> Output {
    let mut fields = Map::new();
    let mut say = |name: &str, text: &str| {
        fields.insert(name.to_owned(), Value::from(printable(text)));
    };
    match answer {
        Answer::Deny(reason) => match event {
            Event::BeforeTool => {
                say("permission", "deny");
                // One of both reaches the agent, and which one depends on the version.
                say("user_message", reason);
                say("agent_message", reason);
            }
            Event::Stop | Event::SubagentStop => say("followup_message", reason),
            _ => {}
        },
        Answer::Context(agent) | Answer::Both { agent, .. } | Answer::Rewrite { agent, .. }
            if takes_context(event) =>
        {
            say("additional_context", &cut(agent));
        }
        Answer::Message(user) | Answer::Context(user) | Answer::Both { user, .. } => {
            // Nothing else that it shows to people leaves the tool or the prompt as it is.
            if event == Event::Compaction {
                say("user_message", user);
            } else if takes_context(event) {
                say("additional_context", &cut(&for_user(user)));
            }
        }
        Answer::Silence | Answer::Rewrite { .. } => {}
    }
    Output { stdout: format!("{}\n", json!(fields)), ..Output::default() }
}

/// Whether the event's answer can tell the agent something.
fn takes_context(event: Event) -> bool {
    matches!(
        event,
        Event::Start | Event::Prompt | Event::BeforeTool | Event::AfterTool | Event::AfterFailure
    )
}

/// There is no way to tell the user something but by the agent.
fn for_user(text: &str) -> String {
    format!("Tell the user: {text}")
}

fn cut(text: &str) -> String {
    let mut units = 0;
    let fits = MAX_CONTEXT - CUT.encode_utf16().count();
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > fits
    });
    match end {
        Some((at, _)) if text.encode_utf16().count() > MAX_CONTEXT => {
            format!("{}{CUT}", &text[..at])
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_is_never_longer_than_it_takes() {
        for text in ["a".repeat(10_000), "a".repeat(10_001), "😀".repeat(6_000)] {
            let told = cut(&text);
            assert!(told.encode_utf16().count() <= MAX_CONTEXT);
            assert_eq!(told == text, text.encode_utf16().count() <= MAX_CONTEXT);
        }
    }
}
