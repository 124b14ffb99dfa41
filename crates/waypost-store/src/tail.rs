//! Reading a stream from a position on.

use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::key::Keyring;
use waypost_core::record::{Position, Record};

use crate::StoreError;
use crate::disk::Disk;

/// Visits every whole record behind `position`, moving it along. Returns the bytes at the end that
/// are no whole line: a write that is under way, or was torn.
pub(crate) fn visit<D: Disk>(
    disk: &D,
    path: &Path,
    (stream, ring): (&StreamId, &Keyring),
    position: &mut Position,
    mut each: impl FnMut(&Position, Record),
) -> Result<Vec<u8>, StoreError> {
    let bytes = bytes_after(disk, path, position.bytes)?;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if !line.ends_with(b"\n") {
            return Ok(line.to_vec());
        }
        let number = position.seq + 1;
        let record = position.read(stream, ring, line).map_err(|source| StoreError::Record {
            path: path.to_owned(),
            number,
            source,
        })?;
        each(position, record);
    }
    Ok(Vec::new())
}

fn bytes_after<D: Disk>(disk: &D, path: &Path, known: u64) -> Result<Vec<u8>, StoreError> {
    let read = disk.read_after(path, known).map_err(StoreError::io("cannot read", path))?;
    let (found, bytes) = read.unwrap_or_default();
    if found < known {
        return Err(StoreError::Shorter { path: path.to_owned(), known, found });
    }
    Ok(bytes)
}
