//! Values that go over the wire as one word out of a list. The list is that of the type itself, which knows nothing of
//! schemas: nobody writes it down a second time here.

use schemars::{Schema, json_schema};
use serde::Serialize;
use serde_json::Value;

/// The schema of a value that is one of these.
pub(crate) fn one_of<T: Serialize>(all: &[T]) -> Schema {
    let words: Vec<String> = all.iter().map(word).collect();
    json_schema!({ "type": "string", "enum": words })
}

/// The word that a value goes as.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
