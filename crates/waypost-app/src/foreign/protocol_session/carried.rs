//! Logs in JSON that carry what is Waypost's own: the session's id, and other files of the same session, since a session
//! goes out as one file: its twin in Markdown, a state, memories. They are read as they were when they lay beside each
//! other, and so are files that were kept of a session.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::merging::{is_memory, known_by, same_session, together};
use super::ours::{CARRIED, CHANGED, FILES, ID, id, of_ours};
use super::{json, markdown, memory, state};
use crate::foreign::named_session::NamedSession;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, Content, ForeignFile, Reading};

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
    let mut ours = carried.clone();
    ours.remove(FILES);
    if ours.get(CHANGED) == Some(&false.into()) {
        ours.remove(CHANGED);
    }
    own.remove(CARRIED);
    if !ours.is_empty() {
        own.insert(CARRIED.to_owned(), ours.into());
    }
    let content = Content::Json(Value::Object(own.clone()));
    let log = json::read(&ForeignFile { content, ..file.clone() }, &own, times)?;
    let files = carried.get(FILES).and_then(Value::as_object).into_iter().flatten();
    let has_id = id(&own).is_some();
    let mut all: Vec<Brought> = Vec::new();
    for (name, content) in files.take(MAX_FILES) {
        let mut found = sessions(name, content, times);
        // What tells of one session was put there because it is this one.
        let is_one = has_id && found.len() == 1;
        found.retain(|other| is_one || same_session(&log, other));
        all.append(&mut found);
    }
    all.push(log);
    together(all)
}

/// A session whose files were read before, once more from what was kept of them. What can no longer be read is kept.
pub fn again(files: &Map<String, Value>, name: &str, times: &Times<'_>) -> Option<Brought> {
    let mut unread = Map::new();
    let (mut all, mut alone): (Vec<Brought>, BTreeSet<String>) = (Vec::new(), BTreeSet::new());
    for (file, content) in files {
        let found = sessions(file, content, times);
        match found.len() {
            0 => drop(unread.insert(file.clone(), content.clone())),
            1 => drop(alone.insert(file.clone())),
            _ => {}
        }
        all.extend(found);
    }
    let of_name = NamedSession::at_start_of(name).map(|named| (named.day, named.number));
    let is_numbered =
        |one: &Brought| of_name.is_some() && known_by(one).map(|(number, _)| number) == of_name;
    let logs = all.iter().filter(|one| is_numbered(one) && !is_memory(one));
    let logs: BTreeSet<String> = logs.map(|log| log.name.clone()).collect();
    let id_of = |one: &Brought| Some(of_ours(one)?.get(ID)?.as_str()?.to_owned());
    let has_id = all.iter().filter_map(id_of).any(|id| id == name);
    all.retain(|one| {
        let is_free = id_of(one).is_none_or(|id| id == name);
        let came_along = has_id && is_free && one.original.keys().all(|file| alone.contains(file));
        let by_number = match logs.len() {
            // What could be several is none of them.
            2.. => false,
            _ => is_numbered(one) && (is_memory(one) || !logs.contains(name)),
        };
        one.name == name || by_number || came_along
    });
    let mut again = together(all)?;
    again.original.extend(unread);
    Some(again)
}

/// The sessions that a kept file tells of.
fn sessions(kept: &str, content: &Value, times: &Times<'_>) -> Vec<Brought> {
    times.took_naive();
    let content = match content {
        Value::String(text) => Content::Text(text),
        other => Content::Json(other.clone()),
    };
    let name = kept.trim_end_matches('\'');
    // It was found to be a log before, maybe because it lay among others.
    let path = format!("sessions/{name}");
    let file = ForeignFile { name, path: &path, content };
    let reading = match (file.json(), file.text()) {
        (Some(fields), _) => state::read(&file, fields, times)
            .or_else(|| json::read(&file, fields, times).map(|log| Reading::Sessions(vec![log]))),
        (None, Some(text)) => {
            memory::read(&file, text, times).or_else(|| markdown::read(&file, text, times))
        }
        (None, None) => None,
    };
    let Some(Reading::Sessions(mut sessions)) = reading else { return Vec::new() };
    for one in &mut sessions {
        let own = std::mem::take(&mut one.original);
        one.original = own.into_iter().map(|(_, value)| (kept.to_owned(), value)).collect();
    }
    sessions
}
