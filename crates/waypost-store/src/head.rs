//! Heads: the last record of a stream that was acknowledged, kept apart from the stream.
//!
//! A stream that was cut off at a record's end looks like a shorter stream. The head tells.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::key::Keyring;
use waypost_core::record::Position;
use waypost_core::sealed;

use crate::{StoreError, files};

const KIND: &str = "waypost-head";
/// A head is written over in place, so it always has the same size.
const SIZE: usize = 512;

/// Reads the head; `None` if the stream has none.
pub(crate) fn read(
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
) -> Result<Option<Position>, StoreError> {
    let Some(content) = files::read(path, SIZE as u64)? else {
        return Ok(None);
    };
    let bad = |source| StoreError::Sealed { path: path.to_owned(), source };
    let end = content.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    if content.len() != SIZE {
        return Err(bad(sealed::SealError::Malformed));
    }
    sealed::open(ring, KIND, &stream.to_string(), &content[..end]).map(Some).map_err(bad)
}

/// Writes the head over the old one.
pub(crate) fn write(
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
    position: &Position,
) -> Result<(), StoreError> {
    let mut content = sealed::seal(ring.current(), KIND, &stream.to_string(), position)?;
    let padding = SIZE.saturating_sub(content.len());
    content.extend(std::iter::repeat_n(' ', padding));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(StoreError::io("cannot open", path))?;
    file.seek(SeekFrom::Start(0))
        .and_then(|_| file.write_all(content.as_bytes()))
        .map_err(StoreError::io("cannot write", path))
}
