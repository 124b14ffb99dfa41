//! Reading a stream from a position on.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::key::Keyring;
use waypost_core::record::{Position, Record};

use crate::{StoreError, files};

/// Visits every whole record behind `position`, moving it along. Returns the bytes at the end that
/// are no whole line: a write that is under way, or was torn.
pub(crate) fn visit(
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
    position: &mut Position,
    mut each: impl FnMut(&Position, Record),
) -> Result<Vec<u8>, StoreError> {
    let bytes = bytes_after(path, position.bytes)?;
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

fn bytes_after(path: &Path, known: u64) -> Result<Vec<u8>, StoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if files::is_absent(&error) && known == 0 => return Ok(Vec::new()),
        Err(error) if files::is_absent(&error) => {
            return Err(StoreError::Shorter { path: path.to_owned(), known, found: 0 });
        }
        Err(error) => return Err(StoreError::io("cannot open", path)(error)),
    };
    let read = || -> std::io::Result<(u64, Vec<u8>)> {
        let found = file.metadata()?.len();
        let mut bytes = vec![0; usize::try_from(found.saturating_sub(known)).unwrap_or(0)];
        file.read_exact_at(&mut bytes, known)?;
        Ok((found, bytes))
    };
    let (found, bytes) = read().map_err(StoreError::io("cannot read", path))?;
    if found < known {
        return Err(StoreError::Shorter { path: path.to_owned(), known, found });
    }
    Ok(bytes)
}
