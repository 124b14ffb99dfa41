//! Reading a stream from a position on.

use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::key::{Keyring, SignatureError};
use waypost_core::record::{Position, RecordError};

use crate::StoreError;
use crate::disk::Disk;
use crate::event_log::Each;

/// How much of a stream is held in memory at once, unless a single record is longer.
#[cfg(not(test))]
const PART: u64 = 1024 * 1024;
/// In tests every few records lie in different parts.
#[cfg(test)]
const PART: u64 = 1000;

/// Visits every whole record behind `position`, moving it along. Returns the bytes at the end that
/// are no whole line: a write that is under way, or was torn.
pub(crate) fn visit<D: Disk>(
    disk: &D,
    path: &Path,
    (stream, ring): (&StreamId, &Keyring),
    trusted: impl FnOnce() -> Result<Option<Position>, StoreError>,
    position: &mut Position,
    each: Each<'_>,
) -> Result<Vec<u8>, StoreError> {
    let mut reader = Reader { path, stream, ring, trusted: Some(trusted), accepted: None };
    let mut end = None;
    let mut part = PART;
    loop {
        let known = position.bytes;
        let read = disk.read_part(path, known, part).map_err(StoreError::reading(path))?;
        let (found, mut bytes) = read.unwrap_or_default();
        // What another process adds meanwhile is read next time.
        let end = *end.get_or_insert(found);
        if found < known {
            return Err(StoreError::Shorter { path: path.to_owned(), known, found });
        }
        let left = usize::try_from(end.saturating_sub(known)).unwrap_or(usize::MAX);
        bytes.truncate(left);
        let is_last = bytes.len() == left;
        let torn = reader.read(&bytes, position, each)?.to_vec();
        if is_last {
            return reader.finish(position).map(|()| torn);
        }
        if position.bytes == known {
            // A record that is longer than a part.
            part = part.saturating_mul(2);
        }
    }
}

/// The same for bytes that were read from `path` already. `trusted` tells, where a record's key is
/// not known, up to which position the content was accepted by its hash.
pub(crate) fn read<'b>(
    path: &Path,
    bytes: &'b [u8],
    (stream, ring): (&StreamId, &Keyring),
    trusted: impl FnOnce() -> Result<Option<Position>, StoreError>,
    position: &mut Position,
    each: Each<'_>,
) -> Result<&'b [u8], StoreError> {
    let mut reader = Reader { path, stream, ring, trusted: Some(trusted), accepted: None };
    let torn = reader.read(bytes, position, each)?;
    if torn.is_empty() {
        reader.finish(position)?;
    }
    Ok(torn)
}

/// Reads records, part by part.
struct Reader<'a, F> {
    path: &'a Path,
    stream: &'a StreamId,
    ring: &'a Keyring,
    trusted: Option<F>,
    accepted: Option<Position>,
}

impl<F: FnOnce() -> Result<Option<Position>, StoreError>> Reader<'_, F> {
    /// Reads the whole lines of a part and gives back what is left of it.
    fn read<'b>(
        &mut self,
        bytes: &'b [u8],
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<&'b [u8], StoreError> {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !line.ends_with(b"\n") {
                return Ok(line);
            }
            let number = position.seq + 1;
            let wrong = |source| StoreError::Record { path: self.path.to_owned(), number, source };
            let mut result = position.read(self.stream, self.ring, line);
            if let Err(RecordError::Signature(SignatureError::UnknownKey(_))) = &result {
                if let Some(trusted) = self.trusted.take() {
                    self.accepted = trusted()?;
                }
                if self.accepted.as_ref().is_some_and(|accepted| number <= accepted.seq) {
                    result = position.read_unverified(self.stream, self.ring, line);
                }
            }
            let record = result.map_err(wrong)?;
            if let Some(accepted) = self.accepted.as_ref().filter(|accepted| accepted.seq == number)
                && accepted.hash != position.hash
            {
                return Err(wrong(RecordError::Chain));
            }
            each(position, record);
        }
        Ok(&[])
    }

    /// What was accepted as a whole is not accepted in part.
    fn finish(&self, position: &Position) -> Result<(), StoreError> {
        match &self.accepted {
            Some(accepted) if accepted.seq > position.seq => Err(StoreError::Shorter {
                path: self.path.to_owned(),
                known: accepted.bytes,
                found: position.bytes,
            }),
            _ => Ok(()),
        }
    }
}
