//! A session taken out: as one document that can be carried elsewhere and verified there again, in the formats of other
//! programs, or as something that people read. What a format has no place for is told, never dropped in silence.

mod html;
mod leaving;
mod manifest;
mod markdown;
mod sheet;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use serde::Serialize;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Position;
use waypost_core::session::SessionState;

use crate::documents::artifacts;
use crate::error::AppError;
use crate::foreign::{brain, praxis_session, protocol_session};
use crate::machine::plain_files;
use crate::view::View;
use crate::view::copy;

pub use crate::foreign::session::Written;

/// The version of the document's format.
pub const FORMAT: u64 = 1;

/// A larger file is not carried along, in bytes: the largest that an import copies.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// The formats that a session is taken out in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One document with every record.
    Waypost,
    /// A `state.json`, as tools that know session folders write it.
    Manifest,
    /// A session of praxis-os.
    Praxis,
    /// A state or a note of Brain.
    Brain,
    /// A log as session protocols ask for.
    SessionLog,
    /// Text for people.
    Markdown,
    /// A page for people.
    Html,
}

impl Format {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 7] = [
        ("waypost", Self::Waypost),
        ("manifest", Self::Manifest),
        ("praxis", Self::Praxis),
        ("brain", Self::Brain),
        ("session-log", Self::SessionLog),
        ("markdown", Self::Markdown),
        ("html", Self::Html),
    ];

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }
}

/// A session as one document.
#[derive(Debug, Serialize)]
pub struct Export {
    /// The version of this format.
    pub format: u64,
    /// The version of Waypost that wrote it.
    pub waypost: &'static str,
    /// The session.
    pub session_id: SessionId,
    /// The stream's name, which stands under every record's signature.
    pub stream: String,
    /// The fold of the records.
    pub state: SessionState,
    /// The records, byte for byte as they stand in the stream, without their line breaks.
    pub records: Vec<String>,
    /// What people and agents wrote beside them, by the files' paths in the session's folder.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// Exports a session whose records all verify; what is damaged is not carried on.
pub fn export(view: &View<'_>, session: Option<&str>) -> Result<Export, AppError> {
    let session = view.session(session)?;
    let stream = StreamId::Session(session.id.clone());
    let mut records = Vec::new();
    let mut start = Position::start(&stream);
    let bytes = view.log.bytes(&stream, &mut start, &mut |_, record| records.push(record))?;
    let lines = bytes.split(|byte| *byte == b'\n').take(records.len());
    Ok(Export {
        format: FORMAT,
        waypost: env!("CARGO_PKG_VERSION"),
        stream: stream.to_string(),
        state: SessionState::fold(&records),
        records: lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect(),
        files: files(view, &session.id),
        session_id: session.id,
    })
}

/// The session in a format of another program, or for people.
pub fn written(view: &View<'_>, named: &str, format: Format) -> Result<Written, AppError> {
    let session = view.session(Some(named))?;
    let told = leaving::Told::of(view, &session)?;
    let leaving = told.leaving();
    Ok(match format {
        Format::Waypost => {
            let document = serde_json::to_string_pretty(&export(view, Some(named))?);
            let text = document.map_err(|error| AppError::refused(error.to_string()))? + "\n";
            Written { name: format!("{}.json", session.id), text, lost: Vec::new() }
        }
        Format::Manifest => manifest::write(&leaving),
        Format::Praxis => praxis_session::write(&leaving),
        Format::Brain => brain::write(&leaving),
        Format::SessionLog => protocol_session::write(&leaving),
        Format::Markdown | Format::Html => {
            let sheet = sheet::Sheet::of(&told, &files(view, &session.id));
            let (ending, text) = match format {
                Format::Html => ("html", html::render(&sheet)),
                _ => ("md", markdown::render(&sheet)),
            };
            Written { name: format!("{}.{ending}", session.id), text, lost: Vec::new() }
        }
    })
}

/// What people and agents wrote in the session's folder, as far as it is text.
fn files(view: &View<'_>, id: &SessionId) -> BTreeMap<String, String> {
    let text = |(name, bytes)| Some((name, String::from_utf8(bytes).ok()?));
    carried(view, id).0.into_iter().filter_map(text).collect()
}

/// The files in the session's folder that people and agents put there, and what cannot be carried along.
fn carried(view: &View<'_>, id: &SessionId) -> (BTreeMap<String, Vec<u8>>, Vec<String>) {
    let folder = view.project.root.join(copy::folder_of(view, id));
    let own = [copy::EVENTS, copy::MANIFEST, "activity.jsonl"];
    let (found, mut left) = artifacts::all(&folder);
    let mut files = BTreeMap::new();
    for path in found {
        let name = path.to_string_lossy().into_owned();
        if own.contains(&name.as_str()) {
            continue;
        }
        match plain_files::look_at(&folder.join(&path), MAX_FILE) {
            Ok(Some(found)) => drop(files.insert(name, found.bytes)),
            Ok(None) => {}
            Err(error) => left.push(error.message),
        }
    }
    (files, left)
}

/// Writes a session's manifest and what people and agents wrote into a new folder, as tools that know session folders
/// expect them. Returns how many files.
pub fn write_folder(view: &View<'_>, to: &Path, named: &str) -> Result<(Written, usize), AppError> {
    let mut written = written(view, named, Format::Manifest)?;
    let id = view.id_by_prefix(named)?;
    fs::create_dir(to).map_err(|error| not_written(to, &error))?;
    let (files, left) = carried(view, &id);
    written.lost.extend(left);
    for (name, bytes) in &files {
        let path = to.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
        }
        write_bytes(&path, bytes)?;
    }
    write(&to.join(copy::MANIFEST), &written.text)?;
    Ok((written, files.len() + 1))
}

/// Writes the document to a new file. One that is there already is not touched.
pub fn write(path: &Path, document: &str) -> Result<(), AppError> {
    write_bytes(path, document.as_bytes())
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    let failed = |error: std::io::Error| not_written(path, &error);
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // Half a document is worth nothing, and the name stays free for the next attempt.
        let _ = fs::remove_file(path);
        failed(error)
    })
}

fn not_written(path: &Path, error: &std::io::Error) -> AppError {
    match error.kind() {
        ErrorKind::AlreadyExists => {
            AppError::refused(format!("{} is there already", path.display()))
                .hint("name a file that is not there yet")
        }
        _ => AppError::refused(format!("cannot write {}: {error}", path.display()))
            .hint("name a file in a folder that is there and can be written to"),
    }
}
