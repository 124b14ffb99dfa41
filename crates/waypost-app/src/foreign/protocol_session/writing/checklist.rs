//! Checklists as the schema of logs asks for them: objects under names of letters, each ticked or not.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use waypost_core::event::PastStep;

use crate::foreign::session::Leaving;
use crate::foreign::session_log::is_of_start;

/// The two lists of a log.
const START: &str = "sessionStart";
const END: &str = "sessionEnd";
/// How many words of a step make its name.
const MAX_WORDS: usize = 6;

/// The checklists, as far as any are known.
pub(super) fn compliance(session: &Leaving<'_>) -> Value {
    let (mut start, mut end) = (Map::new(), Map::new());
    let mut taken = BTreeSet::new();
    for step in steps(session) {
        let mut item = Map::from_iter([
            ("step".to_owned(), step.step.clone().into()),
            ("level".to_owned(), level(step).into()),
            ("complete".to_owned(), is_complete(step).into()),
            ("evidence".to_owned(), step.evidence.clone().into()),
        ]);
        if step.done.is_none() {
            item.insert("status".to_owned(), "N/A".into());
        }
        let list = step.list.as_deref().unwrap_or(END);
        let (items, side) = if is_of_start(list) { (&mut start, START) } else { (&mut end, END) };
        if list != side {
            item.insert("list".to_owned(), list.into());
        }
        items.insert(name(&step.step, &mut taken), item.into());
    }
    json!({(START): start, (END): end})
}

/// What must not be done is complete where it was done: logs say `false` of what was left alone.
fn is_complete(step: &PastStep) -> bool {
    step.done == Some(level(step) != "MUST NOT")
}

/// How many steps have a level that the schema does not know.
pub(super) fn optional(session: &Leaving<'_>) -> usize {
    steps(session).iter().filter(|step| level(step) != step.level).count()
}

fn steps<'s>(session: &'s Leaving<'_>) -> &'s [PastStep] {
    session.past().map(|past| past.checklist.as_slice()).unwrap_or_default()
}

fn level(step: &PastStep) -> &'static str {
    match step.level.as_str() {
        "MUST NOT" => "MUST NOT",
        "SHOULD" | "MAY" => "SHOULD",
        _ => "MUST",
    }
}

/// A name for a step that no other has: its first words, as one.
fn name(step: &str, taken: &mut BTreeSet<String>) -> String {
    let words = step.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words.take(MAX_WORDS) {
        let lower = word.to_ascii_lowercase();
        let (first, rest) = lower.split_at(1);
        let first = if name.is_empty() { first.to_owned() } else { first.to_ascii_uppercase() };
        name.push_str(&first);
        name.push_str(rest);
    }
    if name.is_empty() {
        "step".clone_into(&mut name);
    }
    while !taken.insert(name.clone()) {
        name.push_str("Too");
    }
    name
}
