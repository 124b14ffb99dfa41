//! The event log in memory: the simplest one there is, and the measure of the others.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use waypost_core::id::{SessionId, StreamId};
use waypost_core::projection::Projection;
use waypost_core::record::{Draft, Record};
use waypost_core::time::Timestamp;

use crate::event_log::EventLog;
use crate::{StoreError, Transacted};

/// Streams that are gone when the process is.
#[derive(Debug, Default)]
pub struct MemoryLog {
    streams: Mutex<BTreeMap<StreamId, Vec<Record>>>,
}

impl MemoryLog {
    fn streams(&self) -> MutexGuard<'_, BTreeMap<StreamId, Vec<Record>>> {
        // A decision that panicked has changed nothing: records are added after it.
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog for MemoryLog {
    fn create(&self, stream: &StreamId) -> Result<bool, StoreError> {
        let mut streams = self.streams();
        let is_new = !streams.contains_key(stream);
        streams.entry(stream.clone()).or_default();
        Ok(is_new)
    }

    fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let streams = self.streams();
        let session = |stream: &StreamId| match stream {
            StreamId::Session(id) => Some(id.clone()),
            StreamId::Project => None,
        };
        Ok(streams.keys().filter_map(session).collect())
    }

    fn records(&self, stream: &StreamId) -> Result<Vec<Record>, StoreError> {
        Ok(self.streams().get(stream).cloned().unwrap_or_default())
    }

    fn state<S: Projection>(&self, stream: &StreamId) -> Result<S, StoreError> {
        Ok(fold(self.streams().get(stream).map_or(&[], Vec::as_slice)))
    }

    fn transact<S: Projection, T, E: From<StoreError>>(
        &self,
        stream: &StreamId,
        _now: Timestamp,
        decide: impl FnOnce(&S) -> Result<(Vec<Draft>, T), E>,
    ) -> Result<Transacted<T>, E> {
        let mut streams = self.streams();
        let records = streams.entry(stream.clone()).or_default();
        let (drafts, value) = decide(&fold(records))?;
        for Draft { time, actor, event } in drafts {
            let seq = records.len() as u64 + 1;
            records.push(Record { seq, time, actor, event });
        }
        Ok(Transacted { value, warning: None })
    }
}

fn fold<S: Projection>(records: &[Record]) -> S {
    let mut state = S::default();
    for record in records {
        state.apply(record);
    }
    state
}
