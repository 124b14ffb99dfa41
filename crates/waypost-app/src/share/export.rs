//! A session taken out: as one document that can be carried elsewhere and verified there again, in the formats of other
//! programs, or as something that people read. What a format has no place for is told, never dropped in silence.

mod files;
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

use crate::error::AppError;
use crate::foreign::{brain, praxis_session, protocol_session};
use crate::machine::local_time;
use crate::view::View;
use crate::view::copy;

use files::Files;

pub use files::DERIVED;

pub use crate::foreign::session::Written;

/// The version of the document's format.
pub const FORMAT: u64 = 1;

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
    /// Those of them that are no text, as base64.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub binary_files: BTreeMap<String, String>,
    /// What could not be carried along: a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

/// Exports a session whose records all verify; what is damaged is not carried on.
pub fn export(view: &View<'_>, session: Option<&str>) -> Result<Export, AppError> {
    let session = view.session(session)?;
    let stream = StreamId::Session(session.id.clone());
    let mut records = Vec::new();
    let mut start = Position::start(&stream);
    let bytes = view.log.bytes(&stream, &mut start, &mut |_, record| records.push(record))?;
    let lines = bytes.split(|byte| *byte == b'\n').take(records.len());
    let files = Files::of(view, &session.id);
    Ok(Export {
        format: FORMAT,
        waypost: env!("CARGO_PKG_VERSION"),
        stream: stream.to_string(),
        state: SessionState::fold(&records),
        records: lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect(),
        binary_files: files.encoded(),
        files: files.texts,
        left: files.left,
        session_id: session.id,
    })
}

/// The session in a format of another program, or for people.
pub fn written(view: &View<'_>, named: &str, format: Format) -> Result<Written, AppError> {
    let mut written = alone(view, named, format)?;
    if matches!(format, Format::Manifest | Format::Praxis | Format::Brain | Format::SessionLog) {
        let files = Files::of(view, &view.id_by_prefix(named)?);
        written.lost.extend(files.told());
    }
    Ok(written)
}

/// The same, whatever files there are beside it.
fn alone(view: &View<'_>, named: &str, format: Format) -> Result<Written, AppError> {
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
        Format::Praxis => praxis_session::write(&leaving, &local_time::utc_offset),
        Format::Brain => brain::write(&leaving),
        Format::SessionLog => protocol_session::write(&leaving),
        Format::Markdown | Format::Html => {
            let files = Files::of(view, &session.id);
            let sheet = sheet::Sheet::of(&told, &files);
            let (ending, text) = match format {
                Format::Html => ("html", html::render(&sheet)),
                _ => ("md", markdown::render(&sheet)),
            };
            Written { name: format!("{}.{ending}", session.id), text, lost: files.left }
        }
    })
}

/// Writes a session's manifest and what people and agents wrote into a new folder, as tools that know session folders
/// expect them. Returns how many files.
pub fn write_folder(view: &View<'_>, to: &Path, named: &str) -> Result<(Written, usize), AppError> {
    let mut written = alone(view, named, Format::Manifest)?;
    let files = Files::of(view, &view.id_by_prefix(named)?);
    fs::create_dir(to).map_err(|error| not_written(to, &error))?;
    let mut number = 1;
    for (name, bytes) in files.all() {
        let path = to.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
        }
        write(&path, bytes)?;
        number += 1;
    }
    // Last, so that a folder that has one is whole.
    write(&to.join(copy::MANIFEST), written.text.as_bytes())?;
    written.lost.extend(files.left);
    Ok((written, number))
}

/// Writes the document to a new file. One that is there already is not touched.
pub fn write(path: &Path, document: &[u8]) -> Result<(), AppError> {
    let failed = |error: std::io::Error| not_written(path, &error);
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    let written = file.write_all(document).and_then(|()| file.sync_all());
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
