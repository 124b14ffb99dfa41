//! What every event log does, whatever it is kept in.
//!
//! Small for those who implement it; what callers can rely on is said by the conformance suite,
//! which every implementation passes.

use waypost_core::id::{SessionId, StreamId};
use waypost_core::projection::Projection;
use waypost_core::record::{Draft, Record};
use waypost_core::time::Timestamp;

use crate::disk::Disk;
use crate::{FileLog, StoreError, Transacted};

/// Ordered streams of events.
pub trait EventLog {
    /// Makes room for a new stream; whether the name was still free.
    fn create(&self, stream: &StreamId) -> Result<bool, StoreError>;

    /// The sessions that are there, in order of their ids.
    fn sessions(&self) -> Result<Vec<SessionId>, StoreError>;

    /// All records of a stream, from the first.
    fn records(&self, stream: &StreamId) -> Result<Vec<Record>, StoreError>;

    /// The stream's state.
    fn state<S: Projection>(&self, stream: &StreamId) -> Result<S, StoreError>;

    /// Loads, decides and appends as one: no other decision comes between. What `decide` returns is
    /// kept for good when this returns; if it refuses, nothing changes.
    fn transact<S: Projection, T, E: From<StoreError>>(
        &self,
        stream: &StreamId,
        now: Timestamp,
        decide: impl FnOnce(&S) -> Result<(Vec<Draft>, T), E>,
    ) -> Result<Transacted<T>, E>;
}

impl<D: Disk> EventLog for FileLog<D> {
    fn create(&self, stream: &StreamId) -> Result<bool, StoreError> {
        Self::create(self, stream)
    }

    fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        Self::sessions(self)
    }

    fn records(&self, stream: &StreamId) -> Result<Vec<Record>, StoreError> {
        Self::records(self, stream)
    }

    fn state<S: Projection>(&self, stream: &StreamId) -> Result<S, StoreError> {
        Ok(self.load(stream)?.state)
    }

    fn transact<S: Projection, T, E: From<StoreError>>(
        &self,
        stream: &StreamId,
        now: Timestamp,
        decide: impl FnOnce(&S) -> Result<(Vec<Draft>, T), E>,
    ) -> Result<Transacted<T>, E> {
        Self::transact(self, stream, now, decide)
    }
}
