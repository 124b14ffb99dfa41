//! Copies of streams: what they are worth, and how they relate to the stream.

use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::key::SignatureError;
use waypost_core::record::{Position, Record, RecordError};

use super::Streams;
use crate::event_log::Each;
use crate::upkeep::Relation;
use crate::{StoreError, tail};

/// What a copy of a stream is worth.
#[derive(Debug)]
pub enum Standing {
    /// Every record verifies, or was accepted by a human.
    Sound {
        /// The records.
        records: Vec<Record>,
        /// Where it ends.
        position: Position,
    },
    /// The chain holds, but it is signed with a key that is not in the keyring.
    Unverified {
        /// The key's id.
        key: String,
        /// The records, which nobody vouches for.
        records: Vec<Record>,
        /// Where it ends.
        position: Position,
    },
    /// It is not what Waypost wrote.
    Damaged(String),
    /// A newer Waypost wrote it, or a part of it.
    Newer {
        /// What cannot be read.
        what: String,
        /// The records up to there.
        records: Vec<Record>,
    },
}

impl Streams {
    /// Checks bytes that were read from `path` as a copy of `stream`.
    pub fn check_copy(
        &self,
        stream: &StreamId,
        path: &Path,
        bytes: &[u8],
    ) -> Result<Standing, StoreError> {
        let mut position = Position::start(stream);
        let mut records = Vec::new();
        let trusted = || self.trusted(stream);
        let each: Each<'_> = &mut |_, record| records.push(record);
        let read = tail::read(path, bytes, (stream, self.ring()), trusted, &mut position, each);
        let key = match read {
            Ok([]) => return Ok(Standing::Sound { records, position }),
            Ok(_) => {
                let (path, number) = (path.display(), position.seq + 1);
                let what = format!("{path}: record {number}: it is cut short");
                return Ok(Standing::Damaged(what));
            }
            Err(StoreError::Record {
                source: RecordError::Signature(SignatureError::UnknownKey(key)),
                ..
            }) => key,
            Err(error) if error.is_newer() => {
                return Ok(Standing::Newer { what: error.to_string(), records });
            }
            Err(error) if error.is_integrity() => return Ok(Standing::Damaged(error.to_string())),
            Err(error) => return Err(error),
        };
        let mut position = Position::start(stream);
        let mut records = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let number = position.seq + 1;
            match position.read_unverified(stream, self.ring(), line) {
                Ok(record) => records.push(record),
                Err(source) => {
                    let error = StoreError::Record { path: path.to_owned(), number, source };
                    return Ok(Standing::Damaged(error.to_string()));
                }
            }
        }
        Ok(Standing::Unverified { key, records, position })
    }

    /// How the bytes of a sound copy relate to the stream.
    pub fn relation(&self, stream: &StreamId, copy: &[u8]) -> Result<Relation, StoreError> {
        Ok(Relation::of(&self.whole_records(stream)?.0, copy))
    }

    /// The stream's whole records, checked: their bytes and where they end.
    pub fn whole_records(&self, stream: &StreamId) -> Result<(Vec<u8>, Position), StoreError> {
        let mut position = Position::start(stream);
        let bytes = self.bytes(stream, &mut position, &mut |_, _| {})?;
        Ok((bytes, position))
    }
}
