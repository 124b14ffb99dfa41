//! What Brain's own code keeps as JSON, in a file or as the body of a note: states, what one agent did, the history that
//! was moved out of a state, and the pointer to the current session.

use serde_json::{Map, Value};
use waypost_core::text::{one_line, shortened};

use super::matter::Matter;
use super::{part, state};
use crate::foreign::json;
use crate::foreign::session::times::Times;
use crate::foreign::session::{ForeignFile, Reading};

/// Reads a note whose body is not prose; `None` if it is none of Brain's.
pub(super) fn read_note(
    file: &ForeignFile<'_>,
    matter: &Matter<'_>,
    times: &Times<'_>,
) -> Option<Reading> {
    let title = matter.get(&["title"]).unwrap_or_default();
    let names = [file.stem(), title, matter.get(&["permalink"]).unwrap_or_default()];
    let body = body(matter.body);
    let is_pointer = names.iter().any(|name| name.to_lowercase().ends_with("current-session"));
    if is_pointer
        && !body.is_empty()
        && body.split_whitespace().count() == 1
        && !body.starts_with('{')
    {
        let which = shortened(&one_line(body), 80);
        return Some(Reading::NoSession(format!(
            "it says that the current session is {which}; import the note of that session"
        )));
    }
    if !body.starts_with('{') {
        return None;
    }
    match json::parse(file.path, &waypost_core::surrogates::mended(body)) {
        Ok(node) => read(file, title, node.to_json().as_object()?, times),
        Err(problem) if names.iter().any(|name| name.to_lowercase().contains("session")) => {
            let why = one_line(&problem.message);
            Some(Reading::Refused(format!(
                "the state in this note cannot be read: {why}; put it right and import it again"
            )))
        }
        Err(_) => None,
    }
}

/// The body without a heading or a fence around it.
fn body(text: &str) -> &str {
    let mut text = text.trim();
    if text.starts_with("# ") {
        text = text.split_once('\n').map_or("", |(_, rest)| rest.trim_start());
    }
    let fenced = text.strip_prefix("```").and_then(|rest| rest.split_once('\n'));
    match fenced.and_then(|(_, rest)| rest.trim_end().strip_suffix("```")) {
        Some(within) => within.trim(),
        None => text,
    }
}

/// Reads what was kept as JSON in a file, or in a note with that title.
pub(super) fn read(
    file: &ForeignFile<'_>,
    title: &str,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Reading> {
    if is_vectors(fields) {
        let told = "it holds states to test signatures with, and no session";
        return Some(Reading::NoSession(told.to_owned()));
    }
    if fields.get("deleted") == Some(&Value::Bool(true)) && fields.contains_key("deletedAt") {
        let told = "its session was deleted there; nothing of it is left to import";
        return Some(Reading::NoSession(told.to_owned()));
    }
    if let Some(fields) = state::within(fields) {
        return Some(Reading::Sessions(vec![state::brought(file, title, fields, times)]));
    }
    part::read(file, title, fields, times)
}

fn is_vectors(fields: &Map<String, Value>) -> bool {
    let vectors = fields.get("vectors").and_then(Value::as_array);
    vectors.is_some_and(|all| all.iter().all(|one| one.get("state").is_some()))
}

/// The state that an original holds: a file's, or that in a note.
pub(super) fn state_of(original: &Value) -> Option<Map<String, Value>> {
    let value = match original {
        Value::String(text) => {
            let matter = Matter::of(text);
            let body = body(matter.body);
            json::parse("", &waypost_core::surrogates::mended(body)).ok()?.to_json()
        }
        other => other.clone(),
    };
    state::within(value.as_object()?).cloned()
}

/// A note with another state in it: all that stands around the old one stays.
pub(super) fn with_state(note: &str, state: &str) -> Option<String> {
    let matter = Matter::of(note);
    let within = body(matter.body);
    // The body is a part of the note.
    let at = note.rfind(within).filter(|_| !within.is_empty())?;
    Some(format!("{}{}{}", &note[..at], state.trim_end(), &note[at + within.len()..]))
}
