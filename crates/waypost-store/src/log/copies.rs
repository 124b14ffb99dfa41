//! Copies of streams: compared with the stream, taken over where they go on from its end, and
//! accepted by their hash where a human says so.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use waypost_core::id::StreamId;
use waypost_core::key::SignatureError;
use waypost_core::record::{Position, Record, RecordError};
use waypost_core::sealed;

use super::writing::End;
use super::{FileLog, name_of};
use crate::disk::Disk;
use crate::head::Head;
use crate::{StoreError, files, head, tail};

const TRUSTED: &str = "waypost-trusted";
const MAX_TRUSTED: u64 = 4096;

/// Copies of streams that the log does not keep itself, such as published ones. They are only asked
/// for where a stream's own records are damaged, and nothing in them is believed before it verifies.
pub trait Copies: Debug + Send + Sync {
    /// The bytes of every copy of the stream that is at hand, the best one first.
    fn of(&self, stream: &StreamId) -> Vec<Vec<u8>>;
}

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
}

/// How a copy relates to the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The same records.
    Equal,
    /// It ends earlier.
    Behind,
    /// It goes on from the stream's end.
    Ahead,
    /// From this record on it says something else.
    Diverged(u64),
}

impl<D: Disk> FileLog<D> {
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
        let each = |_: &Position, record| records.push(record);
        let read = tail::read(path, bytes, (stream, &self.ring), trusted, &mut position, each);
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
            Err(error) if error.is_integrity() => return Ok(Standing::Damaged(error.to_string())),
            Err(error) => return Err(error),
        };
        let mut position = Position::start(stream);
        let mut records = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let number = position.seq + 1;
            match position.read_unverified(stream, &self.ring, line) {
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
        Ok(relation(&self.whole_records(stream)?.0, copy))
    }

    /// The stream's whole records, checked: their bytes and where they end.
    pub fn whole_records(&self, stream: &StreamId) -> Result<(Vec<u8>, Position), StoreError> {
        let mut whole = (Vec::new(), Position::start(stream));
        self.read_on(stream, &mut whole, |_| {})?;
        Ok(whole)
    }

    /// Adds the stream's whole records from a position on, checked: their bytes, and where they end
    /// now. Looks at each of them.
    pub fn read_on(
        &self,
        stream: &StreamId,
        (bytes, position): &mut (Vec<u8>, Position),
        mut look: impl FnMut(Record),
    ) -> Result<(), StoreError> {
        let path = self.path_of(stream);
        let known = position.bytes;
        let read = self.disk.read_part(&path, known, u64::MAX);
        let (found, mut more) = read.map_err(StoreError::reading(&path))?.unwrap_or_default();
        if found < known {
            return Err(StoreError::Shorter { path, known, found });
        }
        let (from, trusted) = ((stream, &self.ring), || self.trusted(stream));
        let torn =
            tail::read(&path, &more, from, trusted, position, |_, record| look(record))?.len();
        more.truncate(more.len() - torn);
        if bytes.is_empty() {
            *bytes = more;
        } else {
            bytes.append(&mut more);
        }
        Ok(())
    }

    /// Takes over the records that a sound copy has beyond the stream's end. Nothing changes unless
    /// the copy is ahead of a stream that is whole, or has all that the stream lost.
    pub fn take_over(
        &self,
        stream: &StreamId,
        path: &Path,
        copy: &[u8],
    ) -> Result<Relation, StoreError> {
        let _lock = self.lock(stream)?;
        let (own, before) = self.whole_records(stream)?;
        let relation = relation(&own, copy);
        if relation != Relation::Ahead {
            return Ok(relation);
        }
        let head = self.read_head(stream)?;
        let more = &copy[own.len()..];
        let after = self.check_taken_over(stream, (path, more), (&head, &before))?;
        self.make_folder(&self.folder_of(stream))?;
        let more = std::str::from_utf8(more).unwrap_or_default();
        let end = End::of(&before, &[], &head);
        self.write_lines(stream, &end, more)?;
        head::write(&self.disk, &self.head_of(stream), stream, &self.ring, (&head, &after))
            .map_err(|cause| self.take_back(stream, &end, cause))?;
        Ok(Relation::Ahead)
    }

    /// Where a stream that ends at `before` ends with `more`, if that may be added to it.
    fn check_taken_over(
        &self,
        stream: &StreamId,
        (path, more): (&Path, &[u8]),
        (head, before): (&Head, &Position),
    ) -> Result<Position, StoreError> {
        let end = self.path_of(stream);
        let acknowledged = head.acknowledged();
        let mut position = before.clone();
        let mut is_restored = false;
        let trusted = || self.trusted(stream);
        tail::read(path, more, (stream, &self.ring), trusted, &mut position, |position, _| {
            is_restored |= acknowledged == Some(position);
        })?;
        let length = self.disk.length(&end).map_err(StoreError::io("cannot read", &end))?;
        let is_whole = match head {
            // A copy of a stream of which nothing at all is here.
            Head::Missing | Head::Unreadable(_) => before.seq == 0,
            Head::At { damaged, position, .. } => !damaged || position.seq != before.seq,
        };
        if length > before.bytes || !is_whole {
            return Err(StoreError::Unmended { path: end });
        }
        match acknowledged {
            Some(known) if known.seq > before.seq && !is_restored => {
                Err(StoreError::Lost { path: end, found: before.seq, known: known.seq })
            }
            Some(known) if known.seq == before.seq && known.hash != before.hash => {
                Err(StoreError::Head { path: end, number: known.seq })
            }
            _ => Ok(position),
        }
    }

    /// Accepts the stream's content up to `position`, whoever signed it.
    pub fn trust(&self, stream: &StreamId, position: &Position) -> Result<(), StoreError> {
        let path = self.trusted_path(stream);
        self.make_folder(&self.root.join("trusted"))?;
        let owner = stream.to_string();
        let content = sealed::seal(self.ring.current(), TRUSTED, &owner, position)?;
        files::replace_on(&self.disk, &path, content.as_bytes(), true)
    }

    /// Up to where the stream's content was accepted, whoever signed it.
    pub fn trusted(&self, stream: &StreamId) -> Result<Option<Position>, StoreError> {
        let path = self.trusted_path(stream);
        let content = self.disk.read(&path, MAX_TRUSTED);
        let Some(content) = content.map_err(StoreError::io("cannot read", &path))? else {
            return Ok(None);
        };
        sealed::open(&self.ring, TRUSTED, &stream.to_string(), &content)
            .map(Some)
            .map_err(|source| StoreError::Sealed { path, source })
    }

    /// Keeps anybody else from writing the stream's copy until the lock is let go.
    pub fn lock_copy(&self, stream: &StreamId) -> Result<D::Lock, StoreError> {
        self.lock_named(&format!("copy-{}", name_of(stream)))
    }

    fn trusted_path(&self, stream: &StreamId) -> PathBuf {
        self.root.join("trusted").join(name_of(stream))
    }
}

fn relation(own: &[u8], copy: &[u8]) -> Relation {
    if own == copy {
        return Relation::Equal;
    }
    if own.starts_with(copy) {
        return Relation::Behind;
    }
    if copy.starts_with(own) {
        return Relation::Ahead;
    }
    let same = own.iter().zip(copy).take_while(|(own, copy)| own == copy);
    let records = same.filter(|(byte, _)| **byte == b'\n').count();
    Relation::Diverged(records as u64 + 1)
}
