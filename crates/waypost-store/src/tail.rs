//! Reading a stream from a position on.

use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::key::{Keyring, SignatureError};
use waypost_core::record::{Position, Record, RecordError};

use crate::StoreError;
use crate::disk::Disk;

/// Visits every whole record behind `position`, moving it along. Returns the bytes at the end that
/// are no whole line: a write that is under way, or was torn.
pub(crate) fn visit<D: Disk>(
    disk: &D,
    path: &Path,
    (stream, ring): (&StreamId, &Keyring),
    trusted: impl FnOnce() -> Result<Option<Position>, StoreError>,
    position: &mut Position,
    each: impl FnMut(&Position, Record),
) -> Result<Vec<u8>, StoreError> {
    let bytes = bytes_after(disk, path, position.bytes)?;
    read(path, &bytes, (stream, ring), trusted, position, each).map(<[u8]>::to_vec)
}

/// The same for bytes that were read from `path` already. `trusted` tells, where a record's key is
/// not known, up to which position the content was accepted by its hash.
pub(crate) fn read<'b>(
    path: &Path,
    bytes: &'b [u8],
    (stream, ring): (&StreamId, &Keyring),
    trusted: impl FnOnce() -> Result<Option<Position>, StoreError>,
    position: &mut Position,
    mut each: impl FnMut(&Position, Record),
) -> Result<&'b [u8], StoreError> {
    let mut trusted = Some(trusted);
    let mut accepted: Option<Position> = None;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if !line.ends_with(b"\n") {
            return Ok(line);
        }
        let number = position.seq + 1;
        let wrong = |source| StoreError::Record { path: path.to_owned(), number, source };
        let mut result = position.read(stream, ring, line);
        if let Err(RecordError::Signature(SignatureError::UnknownKey(_))) = &result {
            if let Some(trusted) = trusted.take() {
                accepted = trusted()?;
            }
            if accepted.as_ref().is_some_and(|accepted| number <= accepted.seq) {
                result = position.read_unverified(stream, ring, line);
            }
        }
        let record = result.map_err(wrong)?;
        if let Some(accepted) = accepted.as_ref().filter(|accepted| accepted.seq == number)
            && accepted.hash != position.hash
        {
            return Err(wrong(RecordError::Chain));
        }
        each(position, record);
    }
    match accepted {
        // What was accepted as a whole is not accepted in part.
        Some(accepted) if accepted.seq > position.seq => Err(StoreError::Shorter {
            path: path.to_owned(),
            known: accepted.bytes,
            found: position.bytes,
        }),
        _ => Ok(&[]),
    }
}

fn bytes_after<D: Disk>(disk: &D, path: &Path, known: u64) -> Result<Vec<u8>, StoreError> {
    let read = disk.read_after(path, known).map_err(StoreError::io("cannot read", path))?;
    let (found, bytes) = read.unwrap_or_default();
    if found < known {
        return Err(StoreError::Shorter { path: path.to_owned(), known, found });
    }
    Ok(bytes)
}
