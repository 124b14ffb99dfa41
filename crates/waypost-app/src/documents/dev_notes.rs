//! A session's `dev-notes.json`: what was learnt while building.
//!
//! Notes of the session that are of its categories are added to it, once each. Whatever else stands
//! in it, people and agents wrote, and it keeps its bytes.

mod form;
mod from_records;

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use waypost_core::id::SessionId;
use waypost_core::next_step::{Look, NextStep, amid};

use self::form::Form;
pub(crate) use self::from_records::{Learnt, learnt};
use crate::documents::document::Document;
use crate::documents::plan;
use crate::error::AppError;
use crate::machine::plain_files;
use crate::view::View;
use crate::view::copy;

/// The notes.
pub const FILE: &str = "dev-notes.json";
/// The sorts of notes that belong there.
pub const CATEGORIES: [&str; 5] = ["deviation", "discovery", "decision", "blocker", "resolution"];

const MAX_BYTES: u64 = 4 * 1024 * 1024;
const MAX_NUMBER: u64 = 1_000_000_000;
const PREFIX: &str = "dn-";

/// A note of the file, whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DevNote {
    /// Its id, such as `dn-001`.
    pub id: String,
    /// When it was written, as it says.
    pub timestamp: Option<String>,
    /// What it is about: task, checkpoint or session.
    pub scope: String,
    /// The task's or checkpoint's id.
    pub reference: Option<String>,
    /// Its sort.
    pub category: String,
    /// What it says.
    pub content: String,
    /// The record of the session that it was made from, if it was.
    pub record: Option<u64>,
}

/// The notes of a session in this work tree, in the order of the file; none if it cannot be read.
pub fn of(view: &View<'_>, id: &SessionId) -> Vec<DevNote> {
    let below = copy::folder_of(view, id);
    if !plain_files::is_folder(&view.project.root, &below) {
        return Vec::new();
    }
    let path = view.project.root.join(below).join(FILE);
    match plain_files::look_at(&path, MAX_BYTES) {
        Ok(Some(file)) => read(&file.bytes),
        _ => Vec::new(),
    }
}

fn read(bytes: &[u8]) -> Vec<DevNote> {
    let document = Document::parse(Path::new(FILE), bytes);
    let value = document.ok().and_then(|document| document.value()).unwrap_or_default();
    let notes = value["notes"].as_array();
    notes.into_iter().flatten().filter_map(note).collect()
}

/// A note, unless there is nothing in it or it is the template's example.
fn note(value: &Value) -> Option<DevNote> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let content = text(&value["content"]).filter(|content| !content.trim().is_empty())?;
    if value["_example"] == json!(true) || plan::has_placeholder(&content) {
        return None;
    }
    Some(DevNote {
        id: text(&value["id"]).unwrap_or_default(),
        timestamp: text(&value["timestamp"]),
        scope: text(&value["scope"]["type"]).unwrap_or_else(|| "session".to_owned()),
        reference: text(&value["scope"]["ref"]),
        category: text(&value["category"]).unwrap_or_default(),
        content,
        record: value["record"].as_u64(),
    })
}

/// Adds what was learnt and the file in the session's folder does not have. Returns what somebody
/// should be told: that it could not be written takes nothing back.
pub(crate) fn keep(folder: &Path, id: &SessionId, learnt: &[Learnt]) -> Vec<NextStep> {
    if learnt.is_empty() {
        return Vec::new();
    }
    match add(folder, id, learnt) {
        Ok(0) => Vec::new(),
        Ok(left_out) => vec![full(left_out)],
        Err(error) => vec![format!("{error}; it was left as it is").into()],
    }
}

/// Says that notes did not fit into the file.
fn full(left_out: usize) -> NextStep {
    let notes = if left_out == 1 { "note is" } else { "notes are" };
    let full = format!(
        "{FILE} is full: no more than {} MB of it are read, so the newest {left_out} {notes} not in it; ",
        MAX_BYTES / 1024 / 1024
    );
    amid(full, Look::History(None), " shows them")
}

/// Adds to the file. Returns how many notes had no place in it.
fn add(folder: &Path, id: &SessionId, learnt: &[Learnt]) -> Result<usize, AppError> {
    let path = folder.join(FILE);
    let before = plain_files::look_at(&path, MAX_BYTES)?;
    let (bytes, left_out) = match &before {
        Some(before) => merged(&before.bytes, learnt, MAX_BYTES)?,
        None => merged(empty(id, learnt).as_bytes(), learnt, MAX_BYTES)?,
    };
    if before.as_ref().is_some_and(|before| before.bytes == bytes) {
        return Ok(left_out);
    }
    // Somebody may have gone on writing while this was worked out: that is not lost.
    if plain_files::look_at(&path, MAX_BYTES)? != before {
        return Err(AppError::refused(format!("{FILE} is being written by somebody else")));
    }
    plain_files::write(&path, &bytes, before.map(|before| before.mode), 0o644)?;
    Ok(left_out)
}

/// The file before its first note.
fn empty(id: &SessionId, learnt: &[Learnt]) -> String {
    let created = learnt.first().map(|one| one.time.to_string()).unwrap_or_default();
    format!(
        "{{\n  \"$schema\": \"DevNotes schema for session build phase\",\n  \
         \"session_id\": \"{id}\",\n  \"created_at\": \"{created}\",\n  \"notes\": []\n}}\n"
    )
}

/// A file's content with what it does not have yet, as far as it stays within `most` bytes, and how
/// many notes had no place in it: the newest.
fn merged(bytes: &[u8], learnt: &[Learnt], most: u64) -> Result<(Vec<u8>, usize), AppError> {
    let document = Document::parse(Path::new(FILE), bytes)?;
    let top = document.top_or_new()?;
    document.refuse_twice(&top, |name| name == "notes")?;
    let there = document.value().unwrap_or_default();
    let known: BTreeSet<u64> =
        elements(&there).filter_map(|note| note["record"].as_u64()).collect();
    let missing: Vec<&Learnt> = learnt.iter().filter(|one| !known.contains(&one.record)).collect();
    if missing.is_empty() {
        return Ok((bytes.to_vec(), 0));
    }
    let notes = top.array_value_or_create("notes");
    let notes = notes.ok_or_else(|| document.wrong_type("notes", "a list"))?;
    let highest = elements(&there).filter_map(|note| number(&note["id"])).max().unwrap_or(0);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let (text, added) = Form::of(&document, &notes).filled(highest + 1, &missing, most);
    let bytes = if added == 0 { bytes.to_vec() } else { text.into_bytes() };
    Ok((bytes, missing.len() - added))
}

fn elements(document: &Value) -> impl Iterator<Item = &Value> {
    document["notes"].as_array().into_iter().flatten()
}

fn number(id: &Value) -> Option<u64> {
    let number = id.as_str()?.strip_prefix(PREFIX)?.parse().ok()?;
    // A number like no counter's is a name.
    Some(number).filter(|number| *number < MAX_NUMBER)
}

#[cfg(test)]
mod tests;
