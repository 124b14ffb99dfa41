//! What stands in the lists of a log in JSON, in words: everybody has keys of their own, and none of them is left out.

use serde_json::{Map, Value};
use waypost_core::text::one_line;

/// Where in the work something belongs: told before what was done.
const BEFORE: &[&str] = &["phase", "step"];
/// What was done or decided, the most telling first.
const WHAT: &[&str] = &[
    "entry",
    "action",
    "decision",
    "activity",
    "task",
    "title",
    "item",
    "event",
    "pattern",
    "antipattern",
    "learning",
    "lesson",
    "name",
    "summary",
    "description",
    "finding",
    "actions",
];
/// What came of it: told behind a colon.
const WHY: &[&str] =
    &["rationale", "outcome", "result", "details", "detail", "notes", "finding", "evidence"];
/// What is kept apart from the text.
pub(super) const TIMES: &[&str] = &["time", "timestamp", "date"];
/// Who did it.
pub(super) const WHO: &[&str] = &["by", "agent"];

/// An entry in words. `apart` are the keys that are told elsewhere.
pub(super) fn told(entry: &Value, apart: &[&str]) -> String {
    let Value::Object(fields) = entry else { return plain(entry) };
    let mut left: Vec<(String, &Value)> = fields
        .iter()
        .filter(|(key, value)| !value.is_null() && !apart.contains(&spelt(key).as_str()))
        .map(|(key, value)| (key.clone(), value))
        .collect();
    let mut take = |names: &[&str]| {
        let found = names.iter().find_map(|name| {
            left.iter().position(|(key, value)| spelt(key) == *name && is_told(value))
        })?;
        Some(plain(left.remove(found).1))
    };
    let mut begins: Vec<String> = BEFORE.iter().filter_map(|name| take(&[name])).collect();
    begins.extend(take(WHAT));
    begins.extend(take(WHY));
    // A bare number of a step says nothing beside what was done.
    if begins.len() > 1 && begins[0].chars().all(|c| c.is_ascii_digit()) {
        begins[0] = format!("{}.", begins[0]);
        let second = begins.remove(1);
        begins[0] = format!("{} {second}", begins[0]);
    }
    let mut lines = vec![begins.join(": ")];
    lines.retain(|line| !line.is_empty());
    lines.extend(left.iter().map(|(key, value)| format!("{key}: {}", plain(value))));
    lines.join("\n")
}

/// Whether a value can be told without its key.
fn is_told(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Number(_) => true,
        Value::Array(list) => !list.is_empty() && list.iter().all(Value::is_string),
        _ => false,
    }
}

/// A value in words.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) if list.iter().all(Value::is_string) => {
            list.iter().filter_map(Value::as_str).map(one_line).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

/// Every entry of a list, of lists under several names, or the one thing that there is.
pub(super) fn each(value: Option<&Value>, max: usize, take: &mut dyn FnMut(&Value)) {
    match value {
        Some(Value::Array(list)) => list.iter().take(max).for_each(take),
        Some(Value::Object(fields))
            if !fields.is_empty() && fields.values().all(Value::is_array) =>
        {
            let lists = fields.values().filter_map(Value::as_array).flatten();
            lists.take(max).for_each(take);
        }
        Some(Value::Null) | None => {}
        Some(one) => take(one),
    }
}

/// The text under one of these names.
pub(super) fn text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    get(fields, names).and_then(Value::as_str).map(str::to_owned)
}

/// The value under one of these names, however they are spelt.
pub(super) fn get<'v>(fields: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| {
        fields.iter().find(|(key, _)| spelt(key) == **name).map(|(_, value)| value)
    })
}

/// A key without what people part words with.
pub(super) fn spelt(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
