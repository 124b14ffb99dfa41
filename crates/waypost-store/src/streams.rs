//! Streams and what their records come to, over any store.
//!
//! `transact` loads, decides and appends while it holds the stream; when it returns, what was appended is
//! kept for good. A snapshot of the state is kept beside each stream, so that nobody has to read it from
//! the start.

use std::ops::Deref;
use std::sync::Arc;

use waypost_core::id::StreamId;
use waypost_core::projection::Projection;
use waypost_core::record::{Draft, Position, Record};

use crate::StoreError;
use crate::event_log::{Held, Knows, Reached};
use crate::upkeep::{Report, Store};

mod copies;
mod retrying;
mod snapshots;

pub use copies::Standing;
pub use retrying::Backoff;

use retrying::{Retries, Sleeping};

pub(crate) use snapshots::{MAX_SNAPSHOT, Snapshot};

#[cfg(test)]
pub(crate) use snapshots::SNAPSHOT;

/// With more than this behind the snapshot, an append writes a new one: about as long as reading what
/// is behind over and over takes.
pub(crate) const MAX_BEHIND: u64 = 3072;
/// A stream that is no longer than this is read as a whole by those who have the time, whenever
/// something was added: what was broken further up would be noticed late otherwise.
const SMALL: u64 = 32 * 1024;

/// The streams of one project.
#[derive(Debug, Clone)]
pub struct Streams {
    store: Arc<dyn Store>,
    notice: Option<fn(&str)>,
    /// How to wait before trying again; none: whoever is overtaken is told at once.
    backoff: Option<Arc<dyn Backoff>>,
}

/// A stream's state and where the stream stands.
#[derive(Debug, Clone)]
pub struct Loaded<S> {
    /// The state.
    pub state: S,
    /// Where the stream stands.
    pub position: Position,
    /// How many bytes the snapshot was behind.
    pub behind: u64,
}

/// What a transaction did.
#[derive(Debug)]
pub struct Transacted<T> {
    /// What the decision returned.
    pub value: T,
    /// What somebody should be told: something was damaged and mended.
    pub warning: Option<String>,
}

/// A stream's state as it is found while it is held.
struct FoundState<S> {
    loaded: Loaded<S>,
    /// What was known of it does not fit what is there.
    is_stale: bool,
    /// Why the snapshot could not be read.
    damage: Option<String>,
}

/// Why nothing was appended.
enum Failure<E> {
    /// The store could not.
    Store(StoreError),
    /// Whoever decided did not want to.
    Refused(E),
}

impl<E> From<StoreError> for Failure<E> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Deref for Streams {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        &*self.store
    }
}

impl Streams {
    /// The streams that a store keeps.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, notice: None, backoff: Some(Arc::new(Sleeping)) }
    }

    /// The same for somebody who wants to know what was mended.
    #[must_use]
    pub fn telling(self, notice: Option<fn(&str)>) -> Self {
        Self { notice, ..self }
    }

    /// The same for somebody who waits in another way before trying again.
    #[must_use]
    pub fn waiting(self, backoff: Arc<dyn Backoff>) -> Self {
        Self { backoff: Some(backoff), ..self }
    }

    /// The same for somebody who decided on what there was: being overtaken is final.
    #[must_use]
    pub fn at_once(&self) -> Self {
        Self { backoff: None, ..self.clone() }
    }

    /// The stream's state. What somebody else is just adding is not seen yet.
    pub fn load<S: Projection>(&self, stream: &StreamId) -> Result<Loaded<S>, StoreError> {
        let (snapshot, damage) = self.snapshot_or_start(stream)?;
        let loaded = self.follow(stream, snapshot)?;
        Ok(self.mended(stream, loaded, damage))
    }

    /// The same for somebody who has the time to see to it that the records are all there: they are
    /// compared with what was acknowledged, and a stream that was changed without anything being added,
    /// or that is short, is read as a whole.
    pub fn load_checked<S: Projection>(&self, stream: &StreamId) -> Result<Loaded<S>, StoreError> {
        // Asked first: what is added meanwhile is only in the records.
        let acknowledged = self.acknowledged(stream)?;
        let (snapshot, damage) = self.snapshot_or_start::<S>(stream)?;
        let mark = self.mark(stream)?;
        let is_longer = mark.bytes != snapshot.position.bytes;
        let is_touched = is_longer || mark.modified != snapshot.modified;
        let loaded = if is_touched && (!is_longer || mark.bytes <= SMALL) {
            self.follow_from_start(stream, &snapshot)?
        } else {
            self.follow(stream, snapshot)?
        };
        let (end, path) = (&loaded.position, || self.place(stream));
        match acknowledged {
            Some(known) if known.seq > end.seq => {
                Err(StoreError::Lost { path: path(), found: end.seq, known: known.seq })
            }
            Some(known) if known.seq == end.seq && known.hash != end.hash => {
                Err(StoreError::Head { path: path(), number: end.seq })
            }
            _ => Ok(self.mended(stream, loaded, damage)),
        }
    }

    /// Where the snapshot was damaged, a new one takes its place, if there is somebody to tell.
    fn mended<S: Projection>(
        &self,
        stream: &StreamId,
        mut loaded: Loaded<S>,
        damage: Option<String>,
    ) -> Loaded<S> {
        if let (Some(damage), Some(notice)) = (damage, self.notice) {
            self.refresh(stream, &mut loaded);
            notice(&damage);
        }
        loaded
    }

    /// What is still known of a stream that cannot be read as a whole: what a snapshot has, or the
    /// records up to the damage.
    pub fn salvage<S: Projection>(&self, stream: &StreamId) -> S {
        let (mut position, mut state) = (Position::start(stream), S::default());
        // Where it ends is what is asked for.
        let _ = self.store.load(stream, &mut position, &mut |_, record| state.apply(&record));
        match self.read_snapshot::<S>(stream) {
            Ok(snapshot) if snapshot.position.seq > position.seq => snapshot.state,
            _ => state,
        }
    }

    /// All records, from the first.
    pub fn records(&self, stream: &StreamId) -> Result<Vec<Record>, StoreError> {
        let mut records = Vec::new();
        self.each(stream, |record| records.push(record))?;
        Ok(records)
    }

    /// Looks at every record, from the first.
    pub fn each(&self, stream: &StreamId, mut look: impl FnMut(Record)) -> Result<(), StoreError> {
        self.store.load(stream, &mut Position::start(stream), &mut |_, record| look(record))
    }

    /// Checks chain, signatures, what was acknowledged, and the snapshot of a stream.
    pub fn verify<S: Projection + PartialEq>(
        &self,
        stream: &StreamId,
    ) -> Result<Report, StoreError> {
        let (mut state, mut end) = (S::default(), Position::start(stream));
        let mut report = self.check(stream, &mut |position, record| {
            state.apply(&record);
            end.clone_from(position);
        })?;
        if !report.is_readable {
            return Ok(report);
        }
        let snapshot = self.read_snapshot::<S>(stream);
        let kept = snapshot.and_then(|snapshot| self.follow(stream, snapshot));
        match report.fault(kept)? {
            Some(kept) if kept.position == end && kept.state != state => {
                let what = format!("{stream}: the snapshot is not the fold of the records");
                report.faults.push(what);
            }
            _ => {}
        }
        Ok(report)
    }

    /// Loads, decides and appends while the stream is held. What `decide` returns is kept for good when
    /// this returns; if `decide` refuses, nothing changes. Where a store lets somebody else be first, it decides
    /// again on what there is then, a few times.
    pub fn transact<S, T, E>(
        &self,
        stream: &StreamId,
        decide: impl FnMut(&S) -> Result<(Vec<Draft>, T), E>,
    ) -> Result<Transacted<T>, E>
    where
        S: Projection,
        E: From<StoreError>,
    {
        self.transact_from(stream, None, decide).map(|(transacted, _)| transacted)
    }

    /// The same for a caller who has loaded the stream before: only what was added since is read. Gives
    /// the state that the stream is in afterwards.
    pub fn transact_from<S, T, E>(
        &self,
        stream: &StreamId,
        mut loaded: Option<Loaded<S>>,
        mut decide: impl FnMut(&S) -> Result<(Vec<Draft>, T), E>,
    ) -> Result<(Transacted<T>, Loaded<S>), E>
    where
        S: Projection,
        E: From<StoreError>,
    {
        let mut retries = Retries::default();
        loop {
            match self.attempt(stream, loaded.take(), &mut decide) {
                Ok(done) => return Ok(done),
                Err(Failure::Refused(refused)) => return Err(refused),
                Err(Failure::Store(error)) => {
                    let backoff = self.backoff.as_deref().filter(|_| error.is_overtaken());
                    if !backoff.is_some_and(|backoff| retries.wait(backoff)) {
                        return Err(error.into());
                    }
                }
            }
        }
    }

    /// Does it once.
    fn attempt<S: Projection, T, E>(
        &self,
        stream: &StreamId,
        loaded: Option<Loaded<S>>,
        decide: &mut impl FnMut(&S) -> Result<(Vec<Draft>, T), E>,
    ) -> Result<(Transacted<T>, Loaded<S>), Failure<E>> {
        let mut held = self.hold(stream)?;
        let FoundState { mut loaded, is_stale, damage } =
            self.catch_up(&mut *held, stream, loaded)?;
        let (drafts, value) = decide(&loaded.state).map_err(Failure::Refused)?;
        let mut warnings: Vec<String> = damage.into_iter().collect();
        if !drafts.is_empty() {
            let is_damaged = !warnings.is_empty();
            warnings.extend(loaded.append(&mut *held, drafts)?);
            if is_stale {
                // Only now that the loss is on disk: until then the snapshot may be all that tells it.
                let forgotten = self.forget_fold(stream, S::NAME);
                warnings.extend(forgotten.err().map(|error| error.to_string()));
            }
            if is_damaged || loaded.behind > MAX_BEHIND {
                self.renew_snapshot(stream, &mut loaded);
            }
        }
        let warning = (!warnings.is_empty()).then(|| warnings.join("; "));
        Ok((Transacted { value, warning }, loaded))
    }

    /// The state of a stream that is held, from what is nearest: the caller's, or the snapshot.
    fn catch_up<S: Projection>(
        &self,
        held: &mut dyn Held,
        stream: &StreamId,
        loaded: Option<Loaded<S>>,
    ) -> Result<FoundState<S>, StoreError> {
        if let Some(mut loaded) = loaded {
            match loaded.go_on(held, Knows::Nearer) {
                Ok(Reached::End) => {
                    return Ok(FoundState { loaded, is_stale: false, damage: None });
                }
                Err(error) if !error.is_integrity() => return Err(error),
                // Others have added much since; or who read before the stream was held read what was
                // taken back since.
                Ok(Reached::Nothing) | Err(_) => {}
            }
        }
        let (snapshot, damage) = self.snapshot_or_start::<S>(stream)?;
        let known = snapshot.position.clone();
        let mut loaded = Loaded::of(snapshot);
        let is_stale = match loaded.go_on(held, Knows::Nothing) {
            // Where what is known and what is there do not fit, reading from the start tells which of
            // the records are bad; where all that are left are good, the others are gone.
            Err(error) if known.seq > 0 && error.is_integrity() => {
                loaded = Loaded::of(Snapshot::start(stream));
                loaded.go_on(held, Knows::Longer(&known))?;
                true
            }
            gone_on => gone_on.map(|_| false)?,
        };
        Ok(FoundState { loaded, is_stale, damage })
    }

    /// The state as it follows from a snapshot and the records behind it.
    fn follow<S: Projection>(
        &self,
        stream: &StreamId,
        snapshot: Snapshot<S>,
    ) -> Result<Loaded<S>, StoreError> {
        let Loaded { mut state, mut position, .. } = Loaded::of(snapshot);
        let start = position.bytes;
        self.store.load(stream, &mut position, &mut |_, record| state.apply(&record))?;
        let behind = position.bytes - start;
        Ok(Loaded { state, position, behind })
    }

    /// The state from all records, among which has to be the one that a snapshot ends with.
    fn follow_from_start<S: Projection>(
        &self,
        stream: &StreamId,
        known: &Snapshot<S>,
    ) -> Result<Loaded<S>, StoreError> {
        let (mut state, mut position) = (S::default(), Position::start(stream));
        let mut is_there = known.position.seq == 0;
        self.store.load(stream, &mut position, &mut |at, record| {
            is_there |= *at == known.position;
            state.apply(&record);
        })?;
        if !is_there {
            let (path, number) = (self.place(stream), known.position.seq);
            return Err(StoreError::Tail { path, number });
        }
        let behind = position.bytes.saturating_sub(known.position.bytes).max(1);
        Ok(Loaded { state, position, behind })
    }
}

impl<T: Store + 'static> From<T> for Streams {
    fn from(store: T) -> Self {
        Self::new(Arc::new(store))
    }
}

impl<S: Projection> Loaded<S> {
    fn of(Snapshot { state, position, .. }: Snapshot<S>) -> Self {
        Self { state, position, behind: 0 }
    }

    /// Takes in what was added since.
    fn go_on(&mut self, held: &mut dyn Held, known: Knows<'_>) -> Result<Reached, StoreError> {
        let Self { state, position, behind } = self;
        let start = position.bytes;
        let reached = held.load(known, position, &mut |_, record| state.apply(&record))?;
        *behind += position.bytes - start;
        Ok(reached)
    }

    /// Adds to the stream, and takes in what was added.
    fn append(
        &mut self,
        held: &mut dyn Held,
        drafts: Vec<Draft>,
    ) -> Result<Vec<String>, StoreError> {
        let Self { state, position, behind } = self;
        let start = position.bytes;
        let warnings = held.append(drafts, &mut |at, record| {
            state.apply(&record);
            position.clone_from(at);
        })?;
        *behind += position.bytes - start;
        Ok(warnings)
    }
}
