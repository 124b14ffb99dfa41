//! What was mended on the way, for the user to see.

use std::sync::{Mutex, PoisonError};

use waypost_app::harness::Answer;

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Remembers that something was mended until the event is answered.
pub fn note_mended(what: &str) {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).push(what.to_owned());
}

/// The answer, and what was mended meanwhile.
pub(crate) fn with_mended(answer: Answer) -> Answer {
    let mut told = std::mem::take(&mut *TOLD.lock().unwrap_or_else(PoisonError::into_inner));
    told.dedup();
    if told.is_empty() {
        return answer;
    }
    let mended = format!("Waypost: {}", told.join("\n"));
    match answer {
        Answer::Silence => Answer::Message(mended),
        Answer::Message(text) => Answer::Message(format!("{text}\n{mended}")),
        Answer::Context(agent) => Answer::Both { agent, user: mended },
        Answer::Both { agent, user } => Answer::Both { agent, user: format!("{user}\n{mended}") },
        Answer::Rewrite { command, agent, user } => {
            Answer::Rewrite { command, agent, user: format!("{user}\n{mended}") }
        }
        Answer::Deny(text) => Answer::Deny(format!("{text}\n{mended}")),
    }
}
