//! Answers in one JSON object: exact names, nothing extra, never that something is allowed. What a harness has no word
//! for is not said to it: an unknown field may make it take the whole answer for none.

use serde_json::{Map, Value, json};
use waypost_app::harness::{Answer, Event, Input, Output, Rewriting};
use waypost_core::text::printable;

use super::input::Dialect;

/// What a harness understands of what its hook says.
#[derive(Debug)]
pub(in crate::harnesses) struct Speech {
    /// How it names events.
    pub(in crate::harnesses) dialect: &'static Dialect,
    /// How a tool is denied.
    pub(in crate::harnesses) deny: Deny,
    /// How the other events that it can hold are held: what `decision` says.
    pub(in crate::harnesses) hold: &'static str,
    /// The events, but a tool's beginning, that it can hold.
    pub(in crate::harnesses) holds: &'static [Event],
    /// The events whose answer can tell the agent something.
    pub(in crate::harnesses) context: &'static [Event],
    /// The events whose answer can tell the user something.
    pub(in crate::harnesses) messages: &'static [Event],
    /// The events where the reason for holding reaches nobody, so that the user is told it as well.
    pub(in crate::harnesses) unheard: &'static [Event],
}

/// How a tool is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::harnesses) enum Deny {
    /// `hookSpecificOutput` says it, as `permissionDecision`.
    Nested,
    /// `decision` says it, with this word.
    Flat(&'static str),
}

/// What a harness is told.
pub(in crate::harnesses) fn answer(
    speech: &Speech,
    rewriting: Option<&dyn Rewriting>,
    event: Event,
    input: &Input<'_>,
    answer: &Answer,
) -> Output {
    let takes_context = speech.context.contains(&event);
    let said = match answer {
        Answer::Silence => Said::default(),
        Answer::Context(agent) if takes_context => Said { agent: Some(agent), ..Said::default() },
        Answer::Message(user) | Answer::Context(user) => {
            Said { user: Some(user.clone()), ..Said::default() }
        }
        Answer::Both { agent, user } if takes_context => {
            Said { agent: Some(agent), user: Some(user.clone()), ..Said::default() }
        }
        Answer::Both { agent, user } => {
            Said { user: Some(format!("{user}\n{agent}")), ..Said::default() }
        }
        Answer::Rewrite { command, agent, user } => {
            // Without anything in its place, the line runs as it is.
            let Some(updated) = rewriting.and_then(|how| how.arguments(input, command)) else {
                return Output::default();
            };
            Said { agent: Some(agent), user: Some(user.clone()), instead: Some(updated), no: None }
        }
        Answer::Deny(reason) => {
            let user = speech.unheard.contains(&event).then(|| reason.clone());
            Said { no: Some(reason), user, ..Said::default() }
        }
    };
    said.output(speech, event)
}

/// What is to be said.
#[derive(Default)]
struct Said<'a> {
    no: Option<&'a str>,
    agent: Option<&'a str>,
    user: Option<String>,
    instead: Option<Value>,
}

impl Said<'_> {
    fn output(self, speech: &Speech, event: Event) -> Output {
        let (mut top, mut specific) = (Map::new(), Map::new());
        let user = match self.no {
            Some(reason) if event == Event::BeforeTool && speech.deny == Deny::Nested => {
                specific.insert("permissionDecision".to_owned(), "deny".into());
                let reason = printable(reason).into();
                specific.insert("permissionDecisionReason".to_owned(), reason);
                self.user
            }
            Some(reason) => match word(speech, event) {
                Some(word) => {
                    top.insert("decision".to_owned(), word.into());
                    top.insert("reason".to_owned(), printable(reason).into());
                    self.user
                }
                // It cannot be held, so that somebody should at least know.
                None => self.user.or_else(|| Some(reason.to_owned())),
            },
            None => self.user,
        };
        if let Some(agent) = self.agent {
            specific.insert("additionalContext".to_owned(), printable(agent).into());
        }
        if let Some(instead) = self.instead {
            specific.insert("updatedInput".to_owned(), instead);
        }
        if let Some(user) = user.filter(|_| speech.messages.contains(&event)) {
            top.insert("systemMessage".to_owned(), printable(&user).into());
        }
        if !specific.is_empty() {
            let name = speech.dialect.name(event).into();
            specific.insert("hookEventName".to_owned(), name);
            top.insert("hookSpecificOutput".to_owned(), specific.into());
        }
        if top.is_empty() {
            return Output::default();
        }
        Output { stdout: format!("{}\n", json!(top)), ..Output::default() }
    }
}

/// What `decision` says to hold an event, if it can be held.
fn word(speech: &Speech, event: Event) -> Option<&'static str> {
    match (event, speech.deny) {
        (Event::BeforeTool, Deny::Flat(word)) => Some(word),
        _ => speech.holds.contains(&event).then_some(speech.hold),
    }
}
