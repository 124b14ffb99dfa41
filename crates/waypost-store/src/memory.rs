//! A store in memory: the simplest one there is, and the measure of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use waypost_core::event::{Event, SessionRestored};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::record::{Draft, Position, Record};
use waypost_core::time::Timestamp;

use crate::blobs::{Blobs, Kind};
use crate::event_log::{Each, EventLog, Folds, Held, Knows, Reached};
use crate::mark::Mark;
use crate::upkeep::{Lock, Relation, Repaired, Report, Upkeep, Work};
use crate::{StoreError, seen, tail};

/// Streams that are gone when the process is.
#[derive(Debug)]
pub struct MemoryStore {
    ring: Keyring,
    kept: Mutex<KeptStream>,
    /// What somebody holds.
    held: Mutex<BTreeSet<String>>,
    let_go: Condvar,
}

#[derive(Debug, Default)]
struct KeptStream {
    streams: BTreeMap<StreamId, Lines>,
    folds: BTreeMap<(StreamId, String), Vec<u8>>,
    trusted: BTreeMap<StreamId, Position>,
    blobs: BTreeMap<(Kind, String), Vec<u8>>,
    /// Counts the changes: a clock that never stands still.
    changes: u64,
}

/// The lines of a stream.
#[derive(Debug, Default)]
struct Lines {
    bytes: Vec<u8>,
    modified: u64,
}

/// What one holds until it is dropped.
struct Hold<'a> {
    store: &'a MemoryStore,
    name: String,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let mut held = self.store.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.remove(&self.name);
        self.store.let_go.notify_all();
    }
}

/// A stream that nobody else adds to.
struct HeldLines<'a> {
    hold: Hold<'a>,
    stream: &'a StreamId,
    end: Option<Position>,
}

impl MemoryStore {
    /// A store without streams, which signs with the keys of `ring`.
    pub fn new(ring: Keyring) -> Self {
        Self { ring, kept: Mutex::default(), held: Mutex::default(), let_go: Condvar::new() }
    }

    fn kept(&self) -> MutexGuard<'_, KeptStream> {
        // No stamp of a file tells when this changes.
        seen::beyond_files();
        // Whoever panicked meanwhile has changed nothing by half: every change is one assignment.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody holds what has this name.
    fn hold_named(&self, name: String) -> Hold<'_> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        while !held.insert(name.clone()) {
            held = self.let_go.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        Hold { store: self, name }
    }

    fn read(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Vec<u8>, StoreError> {
        let kept = self.kept();
        let all = kept.streams.get(stream).map_or(&[][..], |lines| &lines.bytes);
        let (path, known) = (self.place(stream), position.bytes);
        let start = usize::try_from(known).unwrap_or(usize::MAX);
        let Some(behind) = all.get(start..).map(<[u8]>::to_vec) else {
            return Err(StoreError::Shorter { path, known, found: all.len() as u64 });
        };
        drop(kept);
        let trusted = || self.trusted(stream);
        tail::read(&path, &behind, (stream, &self.ring), trusted, position, each)?;
        Ok(behind)
    }

    fn add(&self, stream: &StreamId, lines: &[u8]) {
        let mut kept = self.kept();
        kept.changes += 1;
        let modified = kept.changes;
        let stream = kept.streams.entry(stream.clone()).or_default();
        stream.bytes.extend(lines);
        stream.modified = modified;
    }
}

impl EventLog for MemoryStore {
    fn ring(&self) -> &Keyring {
        &self.ring
    }

    fn create(&self, stream: &StreamId) -> Result<bool, StoreError> {
        let mut kept = self.kept();
        let is_new = !kept.streams.contains_key(stream);
        kept.streams.entry(stream.clone()).or_default();
        Ok(is_new)
    }

    fn exists(&self, stream: &StreamId) -> bool {
        self.kept().streams.contains_key(stream)
    }

    fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let session = |stream: &StreamId| match stream {
            StreamId::Session(id) => Some(id.clone()),
            StreamId::Project => None,
        };
        Ok(self.kept().streams.keys().filter_map(session).collect())
    }

    fn load(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<(), StoreError> {
        self.read(stream, position, each).map(drop)
    }

    fn hold<'a>(&'a self, stream: &'a StreamId) -> Result<Box<dyn Held + 'a>, StoreError> {
        let hold = self.hold_named(stream.to_string());
        Ok(Box::new(HeldLines { hold, stream, end: None }))
    }

    fn mark(&self, stream: &StreamId) -> Result<Mark, StoreError> {
        let kept = self.kept();
        let lines = kept.streams.get(stream);
        Ok(lines.map_or_else(Mark::default, |lines| Mark {
            bytes: lines.bytes.len() as u64,
            modified: lines.modified,
        }))
    }

    fn mark_of_all(&self) -> String {
        self.kept().streams.len().to_string()
    }
}

impl Held for HeldLines<'_> {
    fn load(
        &mut self,
        from: Knows<'_>,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Reached, StoreError> {
        let store = self.hold.store;
        store.read(self.stream, position, each)?;
        match from {
            Knows::Longer(known) if known.seq > position.seq => {
                let path = store.place(self.stream);
                Err(StoreError::Lost { path, found: position.seq, known: known.seq })
            }
            Knows::Longer(_) | Knows::Nearer | Knows::Nothing => {
                self.end = Some(position.clone());
                Ok(Reached::End)
            }
        }
    }

    fn append(&mut self, drafts: Vec<Draft>, each: Each<'_>) -> Result<Vec<String>, StoreError> {
        let store = self.hold.store;
        let mut position = self.end.take().unwrap_or_else(|| Position::start(self.stream));
        store.read(self.stream, &mut position, &mut |_, _| {})?;
        let (mut lines, mut added) = (String::new(), Vec::new());
        for draft in drafts {
            lines.push_str(&position.append(self.stream, store.ring.current(), &draft)?);
            let Draft { time, actor, event } = draft;
            added.push((position.clone(), Record { seq: position.seq, time, actor, event }));
        }
        store.add(self.stream, lines.as_bytes());
        for (position, record) in added {
            each(&position, record);
        }
        Ok(Vec::new())
    }
}

impl Folds for MemoryStore {
    fn fold(&self, stream: &StreamId, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.kept().folds.get(&(stream.clone(), name.to_owned())).cloned())
    }

    fn keep_fold(&self, stream: &StreamId, name: &str, content: &[u8]) -> Result<(), StoreError> {
        self.kept().folds.insert((stream.clone(), name.to_owned()), content.to_owned());
        Ok(())
    }

    fn forget_fold(&self, stream: &StreamId, name: &str) -> Result<(), StoreError> {
        self.kept().folds.remove(&(stream.clone(), name.to_owned()));
        Ok(())
    }
}

/// Nothing is ever damaged here: there is nothing to repair, and nothing that is known apart.
impl Upkeep for MemoryStore {
    fn place(&self, stream: &StreamId) -> PathBuf {
        Path::new("<memory>").join(stream.to_string()).join("events.jsonl")
    }

    fn check_usable(&self, _stream: &StreamId) -> Result<(), StoreError> {
        Ok(())
    }

    fn acknowledged(&self, _stream: &StreamId) -> Result<Option<Position>, StoreError> {
        Ok(None)
    }

    fn is_silent_about(&self, _stream: &StreamId, _position: &Position) -> bool {
        false
    }

    fn check(&self, stream: &StreamId, each: Each<'_>) -> Result<Report, StoreError> {
        let (mut report, mut position) = (Report::start(stream), Position::start(stream));
        let mut lost = None;
        let read = self.read(stream, &mut position, &mut |position, record| {
            lost = record.event.restored().map(SessionRestored::loss).or(lost);
            lost = lost.filter(|_| !record.event.accepts_loss());
            each(position, record);
        });
        report.lost = lost;
        report.is_readable = report.fault(read)?.is_some();
        report.records = position.seq;
        Ok(report)
    }

    fn examine(&self, _stream: &StreamId) -> Result<Option<Repaired>, StoreError> {
        Ok(None)
    }

    fn repair(
        &self,
        _stream: &StreamId,
        _now: Timestamp,
        _begin: Option<Event>,
    ) -> Result<Option<Repaired>, StoreError> {
        Ok(None)
    }

    fn bytes(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Vec<u8>, StoreError> {
        self.read(stream, position, each)
    }

    fn raw(&self, stream: &StreamId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.kept().streams.get(stream).map(|lines| lines.bytes.clone()))
    }

    fn take_over(
        &self,
        stream: &StreamId,
        path: &Path,
        copy: &[u8],
    ) -> Result<Relation, StoreError> {
        let _hold = self.hold_named(stream.to_string());
        let mut position = Position::start(stream);
        let own = self.read(stream, &mut position, &mut |_, _| {})?;
        let relation = Relation::of(&own, copy);
        if relation == Relation::Ahead {
            let (more, trusted) = (&copy[own.len()..], || self.trusted(stream));
            let from = (stream, &self.ring);
            tail::read(path, more, from, trusted, &mut position, &mut |_, _| {})?;
            self.add(stream, more);
        }
        Ok(relation)
    }

    fn trust(&self, stream: &StreamId, position: &Position) -> Result<(), StoreError> {
        self.kept().trusted.insert(stream.clone(), position.clone());
        Ok(())
    }

    fn trusted(&self, stream: &StreamId) -> Result<Option<Position>, StoreError> {
        Ok(self.kept().trusted.get(stream).cloned())
    }

    fn lock(&self, work: Work<'_>) -> Result<Box<dyn Lock + '_>, StoreError> {
        let name = match work {
            Work::Index => "index".to_owned(),
            Work::Joining(lane) => format!("joining {lane}"),
            Work::Copy(stream) => format!("copy {stream}"),
            Work::SingleActive => "single active".to_owned(),
            Work::Outbox(name) => format!("outbox {name}"),
        };
        Ok(Box::new(self.hold_named(name)))
    }
}

impl Blobs for MemoryStore {
    fn keep_blob(&self, kind: Kind, hash: &str, text: &str) -> Result<(), StoreError> {
        self.kept().blobs.insert((kind, hash.to_owned()), text.as_bytes().to_owned());
        Ok(())
    }

    fn blob(&self, kind: Kind, hash: &str) -> Result<Vec<u8>, StoreError> {
        let found = self.kept().blobs.get(&(kind, hash.to_owned())).cloned();
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        found.ok_or_else(|| {
            StoreError::io("cannot read", &self.place_of_blob(kind, hash))(missing())
        })
    }

    fn place_of_blob(&self, kind: Kind, hash: &str) -> PathBuf {
        Path::new("<memory>").join(kind.folder()).join(hash)
    }
}
