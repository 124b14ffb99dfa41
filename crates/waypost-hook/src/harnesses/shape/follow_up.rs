//! Stops that are held by a prompt of their own: the client tells the hook of it as of any that somebody wrote.

use std::borrow::Cow;

use waypost_app::harness::{Answer, Event, Input};

/// What such a prompt begins with, so that it is known again, and so that the agent knows who speaks.
const BEGINS: &str = "Waypost, not the user: ";

/// An answer, with a reason for holding a stop made known as Waypost's.
pub(in crate::harnesses) fn signed(event: Event, answer: &Answer) -> Cow<'_, Answer> {
    match answer {
        Answer::Deny(reason) if matches!(event, Event::Stop | Event::SubagentStop) => {
            Cow::Owned(Answer::Deny(format!("{BEGINS}{reason}")))
        }
        answer => Cow::Borrowed(answer),
    }
}

/// What was sent, where a prompt that no human wrote is none.
pub(in crate::harnesses) fn told_apart(mut input: Input<'_>) -> Input<'_> {
    let is_own = |prompt: &str| prompt.trim_start().starts_with(BEGINS);
    if input.event == Some(Event::Prompt) && input.prompt.as_deref().is_some_and(is_own) {
        input.event = Some(Event::Other);
    }
    input
}
