//! Logs in JSON that carry other files of the same session, since a session goes out as one file: its twin in Markdown,
//! a state, memories. They are read as they were when they lay beside each other.

use serde_json::{Map, Value};

use super::merging::same_session;
use super::{json, markdown, memory, state};
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, Content, ForeignFile, Reading};

/// The key of a log under which they stand.
pub(super) const CARRIED: &str = "waypost";
/// Below it: the files by their names.
pub(super) const FILES: &str = "files";
/// Below it: whether something happened since, so that what the log says itself is newer.
pub(super) const CHANGED: &str = "changed";
/// No more files than this are read.
const MAX_FILES: usize = 64;

/// Reads a log with all that it carries; `None` if it is none.
pub(super) fn read(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Brought> {
    let Some(carried) = fields.get(CARRIED).and_then(Value::as_object) else {
        return json::read(file, fields, times);
    };
    let mut own = fields.clone();
    own.remove(CARRIED);
    let content = Content::Json(Value::Object(own.clone()));
    let log = json::read(&ForeignFile { content, ..file.clone() }, &own, times)?;
    let is_newer = carried.get(CHANGED).and_then(Value::as_bool).unwrap_or_default();
    let files = carried.get(FILES).and_then(Value::as_object).into_iter().flatten();
    let mut all: Vec<Brought> = files
        .take(MAX_FILES)
        .flat_map(|(name, content)| sessions(name, content, times))
        .filter(|other| same_session(&log, other))
        .collect();
    let newer = is_newer.then(|| log.clone());
    all.push(log);
    // The order in which they are put together where they lie beside each other.
    all.sort_by_key(|one| {
        let is_markdown = one.original.values().any(Value::is_string);
        (std::cmp::Reverse(one.name.len()), !is_markdown)
    });
    let mut together = all.into_iter().reduce(Brought::merged_with)?;
    if let Some(newer) = newer {
        since(&mut together, newer);
    }
    Some(together)
}

/// What can only have happened since: how it ended, and what was said then.
fn since(together: &mut Brought, newer: Brought) {
    for key in ["status", "current_phase", "updated_at"] {
        together.manifest[key] = newer.manifest[key].clone();
    }
    let (past, newer) = (&mut together.past, newer.past);
    (past.ended_at, past.pause) = (newer.ended_at, newer.pause);
    past.summary = newer.summary.or(past.summary.take());
    past.next_notes = newer.next_notes.or(past.next_notes.take());
}

fn sessions(name: &str, content: &Value, times: &Times<'_>) -> Vec<Brought> {
    let content = match content {
        Value::String(text) => Content::Text(text),
        other => Content::Json(other.clone()),
    };
    let file = ForeignFile { name, path: name, content };
    let reading = match (file.json(), file.text()) {
        (Some(fields), _) => state::read(&file, fields, times)
            .or_else(|| json::read(&file, fields, times).map(|log| Reading::Sessions(vec![log]))),
        (None, Some(text)) => {
            memory::read(&file, text, times).or_else(|| markdown::read(&file, text, times))
        }
        (None, None) => None,
    };
    match reading {
        Some(Reading::Sessions(sessions)) => sessions,
        _ => Vec::new(),
    }
}
