//! What a store does about damage, and with copies of its streams.

use std::path::{Path, PathBuf};

use waypost_core::event::Event;
use waypost_core::id::StreamId;
use waypost_core::loss::Loss;
use waypost_core::record::Position;
use waypost_core::time::Timestamp;

use crate::StoreError;
use crate::event_log::{Each, EventLog, Folds};

/// What is done about damage, and with copies of streams.
pub trait Upkeep {
    /// Where the stream lies, for those who are told about it.
    fn place(&self, stream: &StreamId) -> PathBuf;

    /// Whether something could be recorded in the stream, as far as a glance tells.
    fn check_usable(&self, stream: &StreamId) -> Result<(), StoreError>;

    /// The last record that was acknowledged, as far as that is known apart from the stream.
    fn acknowledged(&self, stream: &StreamId) -> Result<Option<Position>, StoreError>;

    /// Whether what is known of that tells nothing of this position.
    fn is_silent_about(&self, stream: &StreamId, position: &Position) -> bool;

    /// Checks the stream from its first byte to its last.
    fn check(&self, stream: &StreamId, each: Each<'_>) -> Result<Report, StoreError>;

    /// What repairing the stream would come to; nothing changes.
    fn examine(&self, stream: &StreamId) -> Result<Option<Repaired>, StoreError>;

    /// Puts the stream together again from everything that still has records of it. `None` if there is
    /// nothing to do. Where no record is left at all, it begins with `begin`.
    fn repair(
        &self,
        stream: &StreamId,
        now: Timestamp,
        begin: Option<Event>,
    ) -> Result<Option<Repaired>, StoreError>;

    /// The bytes of the whole records behind `position`, checked; the position moves along.
    fn bytes(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Vec<u8>, StoreError>;

    /// The stream's bytes as they are, whoever signed them; `None` if there are none.
    fn raw(&self, stream: &StreamId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Takes over the records that a sound copy, read from `path`, has beyond the stream's end. Nothing
    /// changes unless the copy is ahead of a stream that is whole, or has all that the stream lost.
    fn take_over(
        &self,
        stream: &StreamId,
        path: &Path,
        copy: &[u8],
    ) -> Result<Relation, StoreError>;

    /// Accepts the stream's content up to `position`, whoever signed it.
    fn trust(&self, stream: &StreamId, position: &Position) -> Result<(), StoreError>;

    /// Up to where the stream's content was accepted, whoever signed it.
    fn trusted(&self, stream: &StreamId) -> Result<Option<Position>, StoreError>;

    /// Keeps anybody else from doing the same until what is returned is dropped.
    fn lock(&self, work: Work<'_>) -> Result<Box<dyn Lock + '_>, StoreError>;
}

/// Work that only one does at a time.
#[derive(Debug, Clone, Copy)]
pub enum Work<'a> {
    /// Writing what is known of all sessions.
    Index,
    /// Writing the copy of a stream.
    Copy(&'a StreamId),
    /// Letting a conversation begin a session: those in the same lane wait for each other.
    Joining(u8),
    /// Beginning or resuming a session where only one at a time is to be active.
    SingleActive,
    /// Sending what happened to the destination of that name.
    Outbox(&'a str),
}

/// A lock that is let go when it is dropped.
pub trait Lock {}

impl<T> Lock for T {}

/// What repairing a stream came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// How many records were taken from elsewhere.
    pub restored: u64,
    /// What was acknowledged and could not be found again.
    pub lost: Option<Loss>,
    /// Where what lay there before is kept, below the project's store.
    pub kept: Option<String>,
    /// How many records the stream has.
    pub records: u64,
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

impl Relation {
    /// How the bytes of a copy relate to those of the stream.
    pub(crate) fn of(own: &[u8], copy: &[u8]) -> Self {
        if own == copy {
            return Self::Equal;
        }
        if own.starts_with(copy) {
            return Self::Behind;
        }
        if copy.starts_with(own) {
            return Self::Ahead;
        }
        let same = own.iter().zip(copy).take_while(|(own, copy)| own == copy);
        let records = same.filter(|(byte, _)| **byte == b'\n').count();
        Self::Diverged(records as u64 + 1)
    }
}

/// What checking a stream found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Which stream.
    pub stream: StreamId,
    /// How many records are good.
    pub records: u64,
    /// Whether all of it could be read.
    pub is_readable: bool,
    /// Whether the rest was written by a newer Waypost.
    pub is_newer: bool,
    /// What is wrong, the first fault first; empty if nothing is.
    pub faults: Vec<String>,
    /// What is worth knowing and no fault.
    pub notes: Vec<String>,
    /// Which acknowledged records are gone, unless a human accepted that.
    pub lost: Option<Loss>,
}

impl Report {
    pub(crate) fn start(stream: &StreamId) -> Self {
        Self {
            stream: stream.clone(),
            records: 0,
            is_readable: false,
            is_newer: false,
            faults: Vec::new(),
            notes: Vec::new(),
            lost: None,
        }
    }

    /// Notes damage as a fault; any other error ends the check.
    pub(crate) fn fault<T>(
        &mut self,
        result: Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.is_integrity() => {
                self.is_newer |= error.is_newer();
                self.faults.push(error.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// A store that can do all of it.
pub trait Store: EventLog + Folds + Upkeep {}

impl<T: EventLog + Folds + Upkeep> Store for T {}
