//! Writing to a stream's file so that what fails leaves nothing behind.
//!
//! After a failed sync the system takes what was written for written, shows it to every reader, and
//! may lose it in a crash, or keep it. So it is taken back, and that this lasts is asked for by a sync
//! of its own. What was refused is never read as a record by anybody later.

use waypost_core::id::StreamId;
use waypost_core::record::Position;

use super::FileLog;
use crate::disk::Disk;
use crate::head::Head;
use crate::{StoreError, files};

/// A stream's file as it is before something is written.
pub(super) struct End<'a> {
    /// Where its whole records end.
    pub(super) position: &'a Position,
    /// What is behind them and is no record.
    pub(super) torn: &'a [u8],
    /// How many of its bytes are known to be on disk. The rest was written by somebody who got no
    /// further: whether it was synced, or whether that failed, nobody knows.
    pub(super) lasting: u64,
}

impl<'a> End<'a> {
    /// The end of a stream that the head was compared with.
    pub(super) fn of(position: &'a Position, torn: &'a [u8], head: &Head) -> Self {
        let known = head.acknowledged().map_or(position.bytes, |known| known.bytes);
        Self { position, torn, lasting: known.min(position.bytes) }
    }
}

impl<D: Disk> FileLog<D> {
    /// Puts `lines` behind the whole records, in place of what is torn; the file may be open already.
    /// They are on disk when this returns; if it fails, everything is as it was.
    pub(super) fn write_lines(
        &self,
        stream: &StreamId,
        end: &End<'_>,
        open: Option<D::Written>,
        lines: &str,
    ) -> Result<(), StoreError> {
        let written = if end.torn.is_empty() {
            self.append_lines(stream, end, open, lines)
        } else {
            // As a whole: between cutting off and adding, there is nothing that a crash could leave.
            self.write_anew(stream, end.position, lines.as_bytes())
        };
        let is_sure = end.lasting > 0 && end.lasting == end.position.bytes;
        written
            .and_then(|()| if is_sure { Ok(()) } else { self.sync_names(stream) })
            .map_err(|cause| self.take_back(stream, end, cause))
    }

    fn append_lines(
        &self,
        stream: &StreamId,
        &End { position, lasting, .. }: &End<'_>,
        open: Option<D::Written>,
        lines: &str,
    ) -> Result<(), StoreError> {
        let path = self.path_of(stream);
        if lasting < position.bytes {
            let rest = self.part(stream, lasting, position.bytes)?;
            let again = self.disk.write_at(&path, lasting, &rest);
            again.map_err(StoreError::io("cannot write", &path))?;
        }
        let written = self.disk.append_to(open, &path, lines.as_bytes());
        let written = written.map_err(StoreError::io("cannot append to", &path))?;
        self.disk.sync(&written).map_err(StoreError::io("cannot sync", &path))
    }

    /// Sees to it that the stream's file is found after a crash. Whoever made it, or the folders above
    /// it, may have got no further.
    fn sync_names(&self, stream: &StreamId) -> Result<(), StoreError> {
        let top = self.root.parent();
        for folder in self.path_of(stream).ancestors().skip(1) {
            self.disk.sync_folder(folder).map_err(StoreError::io("cannot sync", folder))?;
            if Some(folder) == top {
                break;
            }
        }
        Ok(())
    }

    /// Writes the whole records up to `position`, and `more` behind them, to a new file in place of
    /// the stream's.
    pub(super) fn write_anew(
        &self,
        stream: &StreamId,
        position: &Position,
        more: &[u8],
    ) -> Result<(), StoreError> {
        let mut content = self.part(stream, 0, position.bytes)?;
        content.extend_from_slice(more);
        files::replace_on(&self.disk, &self.path_of(stream), &content, true)
    }

    /// Makes the file what it was before a write that failed because of `cause`.
    pub(super) fn take_back(
        &self,
        stream: &StreamId,
        end: &End<'_>,
        cause: StoreError,
    ) -> StoreError {
        let cut_back = || self.cut_back(stream, end.position.bytes).is_ok();
        let is_whole = end.torn.is_empty();
        let settled = self.is_as_before(stream, end)
            || (is_whole && cut_back())
            // A file that cannot be cut off, or whose sync fails again, is left behind.
            || self.write_anew(stream, end.position, end.torn).is_ok()
            // What was torn is kept aside; the file may be the new one, whose name has to last.
            || (!is_whole && cut_back() && self.sync_names(stream).is_ok());
        if settled {
            return cause;
        }
        let (path, number) = (self.path_of(stream), end.position.seq + 1);
        StoreError::Unsettled { path, number, source: Box::new(cause) }
    }

    /// Whether the write that failed did nothing at all.
    fn is_as_before(&self, stream: &StreamId, end: &End<'_>) -> bool {
        let known = end.position.bytes;
        let found = self.disk.read_part(&self.path_of(stream), known, u64::MAX);
        found.is_ok_and(|found| {
            let (length, behind) = found.unwrap_or_default();
            length == known + end.torn.len() as u64 && behind == end.torn
        })
    }

    /// Cuts the file off where it ended before.
    fn cut_back(&self, stream: &StreamId, length: u64) -> Result<(), StoreError> {
        let path = self.path_of(stream);
        let cut = self.disk.truncate(&path, length);
        cut.and_then(|cut| self.disk.sync(&cut)).map_err(StoreError::io("cannot cut off", &path))
    }

    /// A part of the stream's file, all of which has to be there.
    fn part(&self, stream: &StreamId, from: u64, to: u64) -> Result<Vec<u8>, StoreError> {
        let path = self.path_of(stream);
        let read = self.disk.read_part(&path, from, to - from);
        let (found, bytes) = read.map_err(StoreError::reading(&path))?.unwrap_or_default();
        if bytes.len() as u64 != to - from {
            return Err(StoreError::Shorter { path, known: to, found });
        }
        Ok(bytes)
    }
}
