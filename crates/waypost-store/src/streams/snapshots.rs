//! Snapshots: a stream's state as far as somebody folded it, so that nobody has to read the stream from
//! its start. Derived: deleted, too large or of another version, it is as good as absent.

use serde::{Deserialize, Serialize};
use waypost_core::id::StreamId;
use waypost_core::projection::Projection;
use waypost_core::record::Position;
use waypost_core::sealed::{self, SealError};

use super::{Loaded, Streams};
use crate::StoreError;

pub(crate) const SNAPSHOT: &str = "waypost-snapshot";
/// A larger one is treated as if it were not there: reading all records is quicker then.
pub(crate) const MAX_SNAPSHOT: u64 = 8 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
pub(crate) struct Snapshot<S> {
    /// In which way the records were folded; those who did not say so did it in the first way.
    #[serde(default)]
    pub(crate) fold: u64,
    pub(crate) position: Position,
    /// When the stream had last been changed.
    #[serde(default)]
    pub(crate) modified: u64,
    pub(crate) state: S,
}

impl<S: Projection> Snapshot<S> {
    pub(super) fn start(stream: &StreamId) -> Self {
        Self { fold: S::FOLD, position: Position::start(stream), modified: 0, state: S::default() }
    }
}

impl Streams {
    /// The stream's state, and the snapshot is brought up to date for the next reader.
    pub fn load_and_refresh<S: Projection>(
        &self,
        stream: &StreamId,
    ) -> Result<Loaded<S>, StoreError> {
        let mut loaded = self.load(stream)?;
        self.refresh(stream, &mut loaded);
        Ok(loaded)
    }

    /// Makes a snapshot again that is damaged; what somebody should be told, if it was.
    pub fn mend_snapshot<S: Projection>(
        &self,
        stream: &StreamId,
    ) -> Result<Option<String>, StoreError> {
        let (snapshot, damage) = self.snapshot_or_start::<S>(stream)?;
        if damage.is_some() {
            let mut loaded = self.follow(stream, snapshot)?;
            self.refresh(stream, &mut loaded);
        }
        Ok(damage)
    }

    /// Brings the snapshot up to date for the next reader. One that told of a record which is not
    /// acknowledged in the end would be taken for proof that the record was lost.
    pub fn refresh<S: Projection>(&self, stream: &StreamId, loaded: &mut Loaded<S>) {
        if loaded.behind > 0 && !self.is_silent_about(stream, &loaded.position) {
            self.renew_snapshot(stream, loaded);
        }
    }

    /// The same for what is known to be acknowledged.
    pub(super) fn renew_snapshot<S: Projection>(&self, stream: &StreamId, loaded: &mut Loaded<S>) {
        // Derived and optional: the next reader tries again.
        let _ = self.write_snapshot(stream, loaded);
        loaded.behind = 0;
    }

    /// The snapshot, or the start of the stream with a word about why.
    pub(super) fn snapshot_or_start<S: Projection>(
        &self,
        stream: &StreamId,
    ) -> Result<(Snapshot<S>, Option<String>), StoreError> {
        match self.read_snapshot(stream) {
            Err(error) if error.is_integrity() => {
                let told = format!("{error}; it was made again from the records");
                Ok((Snapshot::start(stream), Some(told)))
            }
            read => read.map(|snapshot| (snapshot, None)),
        }
    }

    pub(super) fn read_snapshot<S: Projection>(
        &self,
        stream: &StreamId,
    ) -> Result<Snapshot<S>, StoreError> {
        let content = self.fold(stream, S::NAME)?.unwrap_or_default();
        if content.is_empty() {
            return Ok(Snapshot::start(stream));
        }
        match sealed::open(self.ring(), SNAPSHOT, &owner_of::<S>(stream), &content) {
            // Well signed, by a version that keeps another state: stale, not damaged.
            Err(SealError::Content(_)) => Ok(Snapshot::start(stream)),
            Ok(Snapshot { fold, .. }) if fold != S::FOLD => Ok(Snapshot::start(stream)),
            opened => opened.map_err(|source| {
                let path = self.place(stream).with_file_name(S::NAME);
                StoreError::Sealed { path, source }
            }),
        }
    }

    fn write_snapshot<S: Projection>(
        &self,
        stream: &StreamId,
        loaded: &Loaded<S>,
    ) -> Result<(), StoreError> {
        let (fold, position) = (S::FOLD, loaded.position.clone());
        let modified = self.mark(stream).map_or(0, |mark| mark.modified);
        let snapshot = Snapshot { fold, position, modified, state: &loaded.state };
        let owner = owner_of::<S>(stream);
        let content = sealed::seal(self.ring().current(), SNAPSHOT, &owner, &snapshot)?;
        if content.len() as u64 > MAX_SNAPSHOT {
            // No reader would take it. What lies there still tells of fewer records.
            return Ok(());
        }
        self.keep_fold(stream, S::NAME, content.as_bytes())
    }
}

/// Whose a snapshot is: that of one fold of a stream never passes for that of another.
fn owner_of<S: Projection>(stream: &StreamId) -> String {
    match S::NAME {
        "snapshot" => stream.to_string(),
        name => format!("{stream}/{name}"),
    }
}
