//! Snapshots: a stream's state as far as somebody folded it, so that nobody has to read the stream from
//! its start. Derived: deleted, too large or of another version, it is as good as absent.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use waypost_core::id::StreamId;
use waypost_core::projection::Projection;
use waypost_core::record::Position;
use waypost_core::sealed::{self, SealError};

use super::{FileLog, Loaded};
use crate::disk::Disk;
use crate::{StoreError, files, head};

pub(super) const SNAPSHOT: &str = "waypost-snapshot";
/// A larger one is treated as if it were not there: reading all records is quicker then.
const MAX_SNAPSHOT: u64 = 8 * 1024 * 1024;

/// A stream that is no longer than this is read as a whole by those who have the time, whenever
/// something was added: what was broken further up would be noticed late otherwise.
const SMALL: u64 = 32 * 1024;

#[derive(Serialize, Deserialize)]
pub(super) struct Snapshot<S> {
    /// In which way the records were folded; those who did not say so did it in the first way.
    #[serde(default)]
    pub(super) fold: u64,
    pub(super) position: Position,
    /// When the stream's file had last been changed.
    #[serde(default)]
    pub(super) modified: u64,
    pub(super) state: S,
}

impl<S: Projection> Snapshot<S> {
    pub(super) fn start(stream: &StreamId) -> Self {
        Self { fold: S::FOLD, position: Position::start(stream), modified: 0, state: S::default() }
    }
}

impl<D: Disk> FileLog<D> {
    /// The same for somebody who has the time to see to it that the records are all there: the head is
    /// compared, and a file that was changed without anything being added, or that is short, is read as a
    /// whole.
    pub fn load_checked<S: Projection>(&self, stream: &StreamId) -> Result<Loaded<S>, StoreError> {
        // The head first: what is added meanwhile is only in the records.
        let head = self.read_head(stream)?;
        let (snapshot, damage) = self.snapshot_or_start::<S>(stream)?;
        let path = self.path_of(stream);
        let known = snapshot.position.bytes;
        let length = self.disk.length(&path).map_err(StoreError::reading(&path))?;
        let is_touched =
            length != known || self.disk.modified(&path).ok() != Some(snapshot.modified);
        let (mut loaded, _) = if is_touched && (length == known || length <= SMALL) {
            self.follow_from_start(stream, &snapshot)?
        } else {
            self.follow(stream, snapshot)?
        };
        let end = &loaded.position;
        match head.acknowledged() {
            Some(known) if known.seq > end.seq => {
                return Err(StoreError::Lost { path, found: end.seq, known: known.seq });
            }
            Some(known) if known.seq == end.seq && known.hash != end.hash => {
                return Err(StoreError::Head { path, number: end.seq });
            }
            _ => {}
        }
        if let (Some(damage), Some(notice)) = (damage, self.notice) {
            self.refresh(stream, &mut loaded);
            notice(&damage);
        }
        Ok(loaded)
    }

    /// The state from all records, among which has to be the one that a snapshot ends with.
    fn follow_from_start<S: Projection>(
        &self,
        stream: &StreamId,
        known: &Snapshot<S>,
    ) -> Result<(Loaded<S>, Vec<u8>), StoreError> {
        let mut position = Position::start(stream);
        let (mut state, mut is_there) = (S::default(), known.position.seq == 0);
        let torn = self.visit(stream, &mut position, |at, record| {
            is_there |= *at == known.position;
            state.apply(&record);
        })?;
        if !is_there {
            let (path, number) = (self.path_of(stream), known.position.seq);
            return Err(StoreError::Tail { path, number });
        }
        let behind = position.bytes.saturating_sub(known.position.bytes).max(1);
        Ok((Loaded { state, position, behind }, torn))
    }

    /// The same for somebody who only looks: a snapshot that is damaged stays so, and is an error.
    pub(crate) fn load_as_it_is<S: Projection>(
        &self,
        stream: &StreamId,
    ) -> Result<Loaded<S>, StoreError> {
        let snapshot = self.read_snapshot(stream)?;
        self.follow(stream, snapshot).map(|(loaded, _)| loaded)
    }

    /// The same, and the snapshot is brought up to date for the next reader.
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
            let (mut loaded, _) = self.follow(stream, snapshot)?;
            self.refresh(stream, &mut loaded);
        }
        Ok(damage)
    }

    /// Forgets the snapshot; it is rebuilt from the records.
    pub fn drop_snapshot<S: Projection>(&self, stream: &StreamId) -> Result<(), StoreError> {
        let path = self.snapshot_of::<S>(stream);
        self.disk.remove(&path).map_err(StoreError::io("cannot remove", &path))
    }

    /// Brings the snapshot up to date for the next reader. One that told of a record which is not
    /// acknowledged in the end would be taken for proof that the record was lost.
    pub fn refresh<S: Projection>(&self, stream: &StreamId, loaded: &mut Loaded<S>) {
        let head = self.head_of(stream);
        if loaded.behind > 0 && !head::is_silent_about(&self.disk, &head, &loaded.position) {
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
        let path = self.snapshot_of::<S>(stream);
        let content = match self.disk.read(&path, MAX_SNAPSHOT) {
            // Nobody has to be able to read it: the records are still there.
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => None,
            content => content.map_err(StoreError::reading(&path))?,
        };
        let content = content.unwrap_or_default();
        if content.is_empty() {
            return Ok(Snapshot::start(stream));
        }
        match sealed::open(&self.ring, SNAPSHOT, &owner_of::<S>(stream), &content) {
            // Well signed, by a version that keeps another state: stale, not damaged.
            Err(SealError::Content(_)) => Ok(Snapshot::start(stream)),
            Ok(Snapshot { fold, .. }) if fold != S::FOLD => Ok(Snapshot::start(stream)),
            opened => opened.map_err(|source| StoreError::Sealed { path, source }),
        }
    }

    pub(super) fn write_snapshot<S: Projection>(
        &self,
        stream: &StreamId,
        loaded: &Loaded<S>,
    ) -> Result<(), StoreError> {
        let (fold, position) = (S::FOLD, loaded.position.clone());
        let modified = self.disk.modified(&self.path_of(stream)).unwrap_or(0);
        let snapshot = Snapshot { fold, position, modified, state: &loaded.state };
        let owner = owner_of::<S>(stream);
        let content = sealed::seal(self.ring.current(), SNAPSHOT, &owner, &snapshot)?;
        if content.len() as u64 > MAX_SNAPSHOT {
            // No reader would take it. What lies there still tells of fewer records.
            return Ok(());
        }
        let path = self.snapshot_of::<S>(stream);
        if self.disk.is_folder(&path) {
            // A file cannot take its place while it is there.
            self.move_aside(&path)?;
        }
        files::replace_on(&self.disk, &path, content.as_bytes(), false)
    }

    pub(super) fn snapshot_of<S: Projection>(&self, stream: &StreamId) -> PathBuf {
        self.folder_of(stream).join(S::NAME)
    }
}

/// Whose a snapshot is: that of one fold of a stream never passes for that of another.
fn owner_of<S: Projection>(stream: &StreamId) -> String {
    match S::NAME {
        "snapshot" => stream.to_string(),
        name => format!("{stream}/{name}"),
    }
}
