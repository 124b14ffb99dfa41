//! What else lies in a session's folder: what was found out, how faults were looked for, whatever people and agents put
//! there. Read for whoever shows it, never through a link and never outside of the folder.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use waypost_core::id::SessionId;
use waypost_store::look;

use crate::documents::{artifacts, plan, spec};
use crate::error::AppError;
use crate::machine::plain_files;
use crate::view::View;
use crate::view::copy::{self, EVENTS, MANIFEST};

/// A longer file is not shown.
const MAX_BYTES: u64 = 1024 * 1024;
/// A longer manifest is not looked at.
const MAX_MANIFEST: u64 = 1024 * 1024;
/// No more files than this are listed.
const MAX_LISTED: usize = 500;

/// A file beside the records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Beside {
    /// Its path in the session's folder.
    pub path: String,
    /// How long it is.
    pub bytes: u64,
}

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// This.
    Text(String),
    /// It is no text.
    Binary,
    /// It is longer than is shown.
    TooLong,
}

/// A document that was to be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocUpdate {
    /// The document.
    pub path: String,
    /// What there is to say about it.
    pub note: Option<String>,
    /// Whether that is done.
    pub done: Option<bool>,
}

/// The files of a session's folder that are neither records nor shown elsewhere, by their paths.
pub fn list(view: &View<'_>, id: &SessionId) -> Vec<Beside> {
    let Some(folder) = folder(view, id) else { return Vec::new() };
    let shown_elsewhere = [EVENTS, MANIFEST, spec::FILE, plan::FILE, plan::READABLE];
    let (files, _) = artifacts::all(&folder);
    let files = files.into_iter().filter_map(|path| {
        let name = path.to_str()?.to_owned();
        let length = look::link(folder.join(&path)).ok()?.len();
        (!shown_elsewhere.contains(&name.as_str())).then_some(Beside { path: name, bytes: length })
    });
    files.take(MAX_LISTED).collect()
}

/// What one of them says, by its path in the folder.
pub fn read(view: &View<'_>, id: &SessionId, named: &str) -> Result<Content, AppError> {
    let absent = || AppError::refused(format!("there is no file {named} beside session {id}"));
    let path = Path::new(named);
    let is_within = path.components().all(|part| matches!(part, Component::Normal(_)));
    if named.is_empty() || !is_within || !artifacts::is_harmless(path) {
        return Err(absent());
    }
    let below = copy::folder_of(view, id).join(path);
    // No part of the way may be a link.
    let parent = below.parent().unwrap_or(&below);
    if !plain_files::is_folder(&view.project.root, parent) {
        return Err(absent());
    }
    let whole = view.project.root.join(&below);
    let found = look::link(&whole).map_err(|_| absent())?;
    if !found.is_file() {
        return Err(absent());
    }
    if found.len() > MAX_BYTES {
        return Ok(Content::TooLong);
    }
    let file = plain_files::look_at(&whole, MAX_BYTES)?.ok_or_else(absent)?;
    let text = String::from_utf8(file.bytes).ok().filter(|text| !text.contains('\0'));
    Ok(text.map_or(Content::Binary, Content::Text))
}

/// The documents that the manifest names as changed, or to be changed.
pub fn doc_updates(view: &View<'_>, id: &SessionId) -> Vec<DocUpdate> {
    let Some(folder) = folder(view, id) else { return Vec::new() };
    let file = plain_files::look_at(&folder.join(MANIFEST), MAX_MANIFEST).ok().flatten();
    let manifest: Value =
        file.and_then(|file| serde_json::from_slice(&file.bytes).ok()).unwrap_or_default();
    let listed = manifest["doc_updates"].as_array().into_iter().flatten();
    listed.take(MAX_LISTED).filter_map(doc_update).collect()
}

fn doc_update(value: &Value) -> Option<DocUpdate> {
    if let Value::String(path) = value {
        return Some(DocUpdate { path: path.clone(), note: None, done: None });
    }
    let text = |names: &[&str]| names.iter().find_map(|name| value[*name].as_str());
    let path = text(&["path", "file", "document", "doc"])?.to_owned();
    let note = text(&["description", "summary", "change", "note"]).map(str::to_owned);
    let status = text(&["status"]).map(|word| plan::PlanStatus::named(word).is_completed());
    Some(DocUpdate { path, note, done: value["done"].as_bool().or(status) })
}

/// The session's folder, where it is one and no link leads to it.
fn folder(view: &View<'_>, id: &SessionId) -> Option<PathBuf> {
    let below = copy::folder_of(view, id);
    let is_there = plain_files::is_folder(&view.project.root, &below);
    is_there.then(|| view.project.root.join(below))
}

/// Whether a file of that name lies in the session's folder.
pub fn has(view: &View<'_>, id: &SessionId, name: &str) -> bool {
    folder(view, id).is_some_and(|folder| look::is_file(folder.join(name)))
}
