//! Where new notes go in a file's text, and how they look there.
//!
//! The syntax tree finds the place and the layout, once, for notes with blanks in them; all others
//! are text of the same form. Each note that the tree itself took in would cost a walk through
//! everything that is in it by then.

use jsonc_parser::cst::{CstArray, CstInputValue};
use serde_json::Value;
use waypost_core::key::sha256_hex;

use super::from_records::Learnt;
use crate::documents::document::Document;

/// What is filled into a note: id, time, scope, reference, category, content and record.
const BLANKS: usize = 7;

/// A file's text with a place for notes.
pub(super) struct Form {
    /// What stands before each blank of the first note, and of those after it.
    before: Vec<Vec<String>>,
    /// What stands after the last note.
    end: String,
}

impl Form {
    /// The form of a document whose list of notes gets more of them.
    pub(super) fn of(document: &Document, notes: &CstArray) -> Self {
        // No text holds its own hash.
        let mark = sha256_hex(&[document.to_text().as_bytes()]);
        // The second shows what stands between two, and how any after it looks.
        notes.append(blank(&mark));
        notes.append(blank(&mark));
        let text = document.to_text();
        let mut parts: Vec<String> =
            text.split(&format!("\"{mark}\"")).map(str::to_owned).collect();
        let end = parts.pop().unwrap_or_default();
        let before = parts.chunks(BLANKS).map(<[String]>::to_vec).collect();
        Self { before, end }
    }

    /// The text with as many of the notes, numbered from `number`, as make no more than `most` bytes
    /// of it, and how many these are.
    pub(super) fn filled(&self, number: u64, notes: &[&Learnt], most: usize) -> (String, usize) {
        let mut text = String::new();
        for (place, (number, note)) in (number..).zip(notes).enumerate() {
            let length = text.len();
            let before = &self.before[place.min(1)];
            for (before, value) in before.iter().zip(values(number, note)) {
                text.push_str(before);
                text.push_str(&value);
            }
            if text.len() + self.end.len() > most {
                text.truncate(length);
                text.push_str(&self.end);
                return (text, place);
            }
        }
        text.push_str(&self.end);
        (text, notes.len())
    }
}

/// A note with blanks in it.
fn blank(mark: &str) -> CstInputValue {
    let value = || CstInputValue::from(mark);
    let scope = vec![("type".to_owned(), value()), ("ref".to_owned(), value())];
    CstInputValue::Object(vec![
        ("id".to_owned(), value()),
        ("timestamp".to_owned(), value()),
        ("scope".to_owned(), CstInputValue::Object(scope)),
        ("category".to_owned(), value()),
        ("content".to_owned(), value()),
        ("record".to_owned(), value()),
    ])
}

/// What goes into the blanks, in their order.
fn values(number: u64, note: &Learnt) -> [String; BLANKS] {
    [
        quoted(&format!("{}{number:03}", super::PREFIX)),
        quoted(&note.time.to_string()),
        quoted(note.scope),
        note.reference.as_deref().map_or_else(|| "null".to_owned(), quoted),
        quoted(&note.category),
        quoted(&note.content),
        note.record.to_string(),
    ]
}

/// A text as JSON. Control characters that JSON lets stand are escaped too: they could make a
/// terminal that shows the file do something.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    if !json.contains(char::is_control) {
        return json;
    }
    let escaped = |c: char| match c {
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    json.chars().map(escaped).collect()
}
