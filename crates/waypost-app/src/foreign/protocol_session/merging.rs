//! Several files that tell of one session.

use serde_json::{Map, Value};

use super::log::says_something;
use crate::foreign::named_session::NamedSession;
use crate::foreign::session::Brought;

/// Whether two tell of the same session: they have its name, or one of them is no log and knows it by day and number
/// alone. Two logs that are called otherwise are of two sessions, since people take the same number twice.
pub fn same_session(one: &Brought, other: &Brought) -> bool {
    if one.name == other.name {
        return true;
    }
    let day_and_number = |brought: &Brought| NamedSession::at_start_of(&brought.name);
    let is_bare = |brought: &Brought| {
        day_and_number(brought).is_some_and(|named| {
            let rest = brought.name.split_once("-session-").map_or("", |(_, rest)| rest);
            let is_log = |file: &String| {
                file.strip_prefix(brought.name.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            rest.chars().all(|c| c.is_ascii_digit())
                && named.number > 0
                && !brought.original.keys().any(is_log)
        })
    };
    let same = day_and_number(one).is_some() && day_and_number(one) == day_and_number(other);
    same && (is_bare(one) || is_bare(other))
}

/// Both together: what `one` says wins, where it says something.
pub fn merge(one: Brought, other: Brought) -> Brought {
    let (mut past, more) = (one.past, other.past);
    let both = (one.manifest, other.manifest);
    for note in more.notes {
        if !past.notes.contains(&note) {
            past.notes.push(note);
        }
    }
    if past.checklist.is_empty() {
        past.checklist = more.checklist;
    }
    for missed in more.violations {
        if !past.violations.contains(&missed) {
            past.violations.push(missed);
        }
    }
    if past.phases.is_empty() {
        past.phases = more.phases;
    }
    past.phase = past.phase.or(more.phase);
    past.starting_commit = past.starting_commit.or(more.starting_commit);
    past.summary = past.summary.or(more.summary);
    past.next_notes = past.next_notes.or(more.next_notes);
    past.pause = past.pause.or(more.pause);
    past.ended_at = past.ended_at.or(more.ended_at);
    let mut remarks = one.remarks;
    remarks.extend(other.remarks.into_iter().filter(|told| told.starts_with("times ")));
    remarks.dedup();
    let name = if one.name.len() >= other.name.len() { one.name } else { other.name };
    Brought {
        manifest: manifest(both.0, both.1, &name),
        name,
        format: one.format,
        past,
        definition: None,
        original: united(one.original, other.original),
        remarks,
    }
}

fn manifest(one: Value, other: Value, name: &str) -> Value {
    let (Value::Object(mut known), Value::Object(more)) = (one, other) else { return Value::Null };
    // A session that any of them calls complete is.
    let complete =
        [&known, &more].iter().any(|fields| fields.get("status") == Some(&"complete".into()));
    for (key, value) in more {
        let says = |value: &Value| match value {
            Value::String(text) => says_something(text) && text != name,
            Value::Null => false,
            _ => true,
        };
        if !known.get(&key).is_some_and(says) {
            known.insert(key, value);
        } else if let (Some(Value::Array(list)), Value::Array(others)) =
            (known.get_mut(&key), value)
        {
            let sha = |one: &Value| one.get("sha").cloned();
            for other in others {
                if !list.iter().any(|one| sha(one) == sha(&other)) {
                    list.push(other);
                }
            }
        }
    }
    if complete {
        known.insert("status".to_owned(), "complete".into());
        known.insert("current_phase".to_owned(), "complete".into());
    }
    known.insert("session_id".to_owned(), name.into());
    Value::Object(known)
}

fn united(one: Map<String, Value>, other: Map<String, Value>) -> Map<String, Value> {
    let mut all = one;
    for (name, value) in other {
        if all.get(&name).is_some_and(|known| *known == value) {
            continue;
        }
        let mut free = name.clone();
        while all.contains_key(&free) {
            free.push('\'');
        }
        all.insert(free, value);
    }
    all
}
