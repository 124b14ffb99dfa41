//! Sessions of Brain: its session state as JSON, and the notes that it writes in Markdown. A state's signature can be
//! checked with Brain's own algorithm, which covers the top level only. Takes values and text; opens no file, and never
//! signs anything.

mod note;
mod signature;
mod state;
mod writing;

pub use signature::{Signature, check, verify};
pub use writing::write;

use serde_json::{Map, Value};

use super::session::times::Times;
use super::session::{ForeignFile, Reading};

/// The name of the format of states.
pub const STATE: &str = "brain-state";
/// The name of the format of notes.
pub const NOTE: &str = "brain-note";

/// Reads a state or a note; `None` if the file is neither.
pub fn read(file: &ForeignFile<'_>, times: &Times<'_>) -> Option<Reading> {
    times.took_naive();
    match (file.json(), file.text()) {
        (Some(fields), _) if is_vectors(fields) => Some(Reading::NoSession(
            "it holds states to test signatures with, and no session".to_owned(),
        )),
        (Some(fields), _) => state::read(file, fields, times),
        (None, Some(text)) => note::read(file, text, times),
        (None, None) => None,
    }
}

fn is_vectors(fields: &Map<String, Value>) -> bool {
    let vectors = fields.get("vectors").and_then(Value::as_array);
    vectors.is_some_and(|all| all.iter().all(|one| one.get("state").is_some()))
}

#[cfg(test)]
mod tests;
