//! A session as one document that can be carried elsewhere and verified there again.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use serde::Serialize;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Position;
use waypost_core::session::SessionState;

use crate::error::AppError;
use crate::view::View;

/// The version of the document's format.
pub const FORMAT: u64 = 1;

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
        session_id: session.id,
        stream: stream.to_string(),
        state: SessionState::fold(&records),
        records: lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect(),
    })
}

/// Writes the document to a new file. One that is there already is not touched.
pub fn write(path: &Path, document: &str) -> Result<(), AppError> {
    let failed = |error: std::io::Error| {
        let message = format!("cannot write {}: {error}", path.display());
        match error.kind() {
            ErrorKind::AlreadyExists => {
                AppError::refused(format!("{} is there already", path.display()))
                    .hint("name a file that is not there yet")
            }
            _ => AppError::refused(message)
                .hint("name a file in a folder that is there and can be written to"),
        }
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    let written = file.write_all(document.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // Half a document is worth nothing, and the name stays free for the next attempt.
        let _ = fs::remove_file(path);
        failed(error)
    })
}
