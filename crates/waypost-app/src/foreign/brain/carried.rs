//! What a state of Brain's has no place for and still carries: entries of Waypost's own among the evidence of its
//! protocol, which may hold any text by any name. So a session that was written as a state can be read again.

use serde_json::{Map, Value, json};
use waypost_core::event::PastNote;
use waypost_core::text::one_line;

/// What the names of such entries begin with.
const MARK: &str = "waypost:";
const START: &str = "protocolStartEvidence";
const END: &str = "protocolEndEvidence";
const NOTE: &str = "note:";

/// Whether an entry of the evidence is one of Waypost's own.
pub(super) fn is_own(key: &str) -> bool {
    key.starts_with(MARK)
}

/// What is carried by that name.
pub(super) fn get<'s>(state: &'s Map<String, Value>, key: &str) -> Option<&'s str> {
    let key = format!("{MARK}{key}");
    let found = [START, END].iter().find_map(|side| state.get(*side)?.get(&key)?.as_str());
    found.filter(|text| !text.is_empty())
}

/// The notes that are carried, in order.
pub(super) fn notes(state: &Map<String, Value>) -> Vec<PastNote> {
    let side = state.get(END).and_then(Value::as_object).into_iter().flatten();
    let own = side.filter_map(|(key, told)| {
        key.strip_prefix(MARK)?.strip_prefix(NOTE)?;
        let (kind, text) = told.as_str()?.split_once(": ")?;
        Some(PastNote { kind: kind.to_owned(), text: text.to_owned(), by: None, time: None })
    });
    own.collect()
}

/// The commits that are carried: hash and message.
pub(super) fn commits(state: &Map<String, Value>) -> Vec<(String, String)> {
    let lines = get(state, "commits").unwrap_or_default().lines();
    let split = |line: &str| {
        let (sha, message) = line.split_once(' ').unwrap_or((line, ""));
        (sha.to_owned(), message.to_owned())
    };
    lines.map(split).collect()
}

/// Puts what a session is and what came of it into a state; what is not known is taken out.
pub(super) fn put(state: &mut Map<String, Value>, entries: &[(&str, Option<String>)]) {
    for (key, told) in entries {
        let is_start = ["id", "objective", "branch", "commit", "phase"].contains(key);
        let key = format!("{MARK}{key}");
        on_side(state, if is_start { START } else { END }, |side| match told {
            Some(told) => drop(side.insert(key, told.as_str().into())),
            None => drop(side.remove(&key)),
        });
    }
}

/// Puts a note into a state.
pub(super) fn put_note(state: &mut Map<String, Value>, seq: u64, kind: &str, text: &str) {
    on_side(state, END, |side| {
        // In the order in which they were written, whatever the order of keys.
        let key = format!("{MARK}{NOTE}{seq:08}:{:04}", side.len());
        side.insert(key, format!("{}: {text}", one_line(kind).replace(": ", " ")).into());
    });
}

/// One side's evidence. What stands there and is none is left alone.
fn on_side(
    state: &mut Map<String, Value>,
    name: &str,
    change: impl FnOnce(&mut Map<String, Value>),
) {
    if let Value::Object(side) = state.entry(name).or_insert_with(|| json!({})) {
        change(side);
    }
}
