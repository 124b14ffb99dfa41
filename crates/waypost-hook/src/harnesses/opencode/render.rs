//! Answers as the plugin wants them: what is denied, what the agent is told, and what the user is told.

use serde_json::{Map, Value, json};
use waypost_app::harness::{Answer, Output};
use waypost_core::text::printable;

/// What the plugin is told.
pub(super) fn answer(answer: &Answer) -> Output {
    let mut fields = Map::new();
    let mut say = |name: &str, text: &str| {
        fields.insert(name.to_owned(), Value::from(printable(text)));
    };
    match answer {
        Answer::Silence => return Output::default(),
        Answer::Deny(reason) => say("deny", reason),
        Answer::Context(agent) => say("agent", agent),
        Answer::Message(user) => say("user", user),
        Answer::Both { agent, user } | Answer::Rewrite { agent, user, .. } => {
            say("agent", agent);
            say("user", user);
        }
    }
    Output { stdout: format!("{}\n", json!(fields)), ..Output::default() }
}
