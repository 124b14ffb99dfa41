//! What is done about damage to streams in files, and with their copies.

use std::path::{Path, PathBuf};

use waypost_core::event::Event;
use waypost_core::id::StreamId;
use waypost_core::record::Position;
use waypost_core::sealed;
use waypost_core::time::Timestamp;

use super::{FileLog, name_of};
use crate::disk::Disk;
use crate::event_log::Each;
use crate::upkeep::{Lock, Relation, Repaired, Report, Upkeep, Work};
use crate::{StoreError, files, head, tail};

const TRUSTED: &str = "waypost-trusted";
const MAX_TRUSTED: u64 = 4096;
/// The largest stream that is read at one go: far more than any has.
pub(super) const MAX_STREAM: u64 = 4 * 1024 * 1024 * 1024;

impl<D: Disk> Upkeep for FileLog<D> {
    fn place(&self, stream: &StreamId) -> PathBuf {
        self.path_of(stream)
    }

    /// The head is not looked at: whatever is wrong with it, the next append makes it again.
    fn check_usable(&self, stream: &StreamId) -> Result<(), StoreError> {
        files::check_writable(&self.root)?;
        files::check_own(&self.path_of(stream))
    }

    fn acknowledged(&self, stream: &StreamId) -> Result<Option<Position>, StoreError> {
        Ok(self.read_head(stream)?.acknowledged().cloned())
    }

    fn is_silent_about(&self, stream: &StreamId, position: &Position) -> bool {
        head::is_silent_about(&self.disk, &self.head_of(stream), position)
    }

    fn check(&self, stream: &StreamId, each: Each<'_>) -> Result<Report, StoreError> {
        super::verify::check(self, stream, each)
    }

    fn examine(&self, stream: &StreamId) -> Result<Option<Repaired>, StoreError> {
        self.examine_file(stream)
    }

    fn repair(
        &self,
        stream: &StreamId,
        now: Timestamp,
        begin: Option<Event>,
    ) -> Result<Option<Repaired>, StoreError> {
        self.repair_file(stream, now, begin)
    }

    fn bytes(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Vec<u8>, StoreError> {
        let path = self.path_of(stream);
        let known = position.bytes;
        let read = self.disk.read_part(&path, known, u64::MAX);
        let (found, mut bytes) = read.map_err(StoreError::reading(&path))?.unwrap_or_default();
        if found < known {
            return Err(StoreError::Shorter { path, known, found });
        }
        let (from, trusted) = ((stream, &self.ring), || self.trusted(stream));
        let torn = tail::read(&path, &bytes, from, trusted, position, each)?.len();
        bytes.truncate(bytes.len() - torn);
        Ok(bytes)
    }

    fn raw(&self, stream: &StreamId) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path_of(stream);
        self.disk.read(&path, MAX_STREAM).map_err(StoreError::io("cannot read", &path))
    }

    fn take_over(
        &self,
        stream: &StreamId,
        path: &Path,
        copy: &[u8],
    ) -> Result<Relation, StoreError> {
        self.take_over_from(stream, path, copy)
    }

    fn trust(&self, stream: &StreamId, position: &Position) -> Result<(), StoreError> {
        let path = self.trusted_path(stream);
        self.make_folder(&self.root.join("trusted"))?;
        let owner = stream.to_string();
        let content = sealed::seal(self.ring.current(), TRUSTED, &owner, position)?;
        files::replace_on(&self.disk, &path, content.as_bytes(), true)
    }

    fn trusted(&self, stream: &StreamId) -> Result<Option<Position>, StoreError> {
        let path = self.trusted_path(stream);
        let content = self.disk.read(&path, MAX_TRUSTED);
        let Some(content) = content.map_err(StoreError::io("cannot read", &path))? else {
            return Ok(None);
        };
        sealed::open(&self.ring, TRUSTED, &stream.to_string(), &content)
            .map(Some)
            .map_err(|source| StoreError::Sealed { path, source })
    }

    fn lock(&self, work: Work<'_>) -> Result<Box<dyn Lock + '_>, StoreError> {
        let lock = match work {
            Work::Index => self.lock_named("index")?,
            Work::Joining(lane) => self.lock_named(&format!("joining-{lane}"))?,
            Work::Copy(stream) => self.lock_named(&format!("copy-{}", name_of(stream)))?,
            Work::SingleActive => self.lock_named("single-active")?,
            Work::Outbox(name) => self.lock_named(&format!("outbox-{name}"))?,
        };
        Ok(Box::new(lock))
    }
}

impl<D: Disk> FileLog<D> {
    fn trusted_path(&self, stream: &StreamId) -> PathBuf {
        self.root.join("trusted").join(name_of(stream))
    }
}
