//! The end of a transcript, for whoever looks for the newest lines of one that is being written.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use waypost_store::look;

/// The last so many bytes of a file; nothing where it cannot be read.
pub fn tail(file: &Path, length: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = look::open(file).and_then(|mut file| {
        let from = file.metadata()?.len().saturating_sub(length);
        file.seek(SeekFrom::Start(from))?;
        file.take(length).read_to_end(&mut bytes)
    });
    bytes
}
