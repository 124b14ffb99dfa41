//! Reading on from where a stream is known to stand.
//!
//! What is known is never believed blindly: the record that it ends with has to stand at that very
//! place. One small read tells, and mostly also brings what was added since.

use std::sync::PoisonError;

use waypost_core::id::StreamId;
use waypost_core::key::sha256_hex;
use waypost_core::record::Position;

use super::FileLog;
use crate::disk::{Disk, Write};
use crate::event_log::Each;
use crate::streams::MAX_BEHIND;
use crate::upkeep::Upkeep;
use crate::{StoreError, tail};

/// How far back from the known end a first look goes: further than nearly all records are long.
const BACK: u64 = 4096;
/// How much is looked at behind the known end: whatever is more is far behind.
const AHEAD: u64 = MAX_BEHIND + 1;

/// What lies behind the known end of a stream.
pub(super) enum Behind {
    /// This, which is little or nothing.
    Near(Vec<u8>),
    /// More than one look shows.
    Far,
}

impl<D: Disk> FileLog<D> {
    /// Whether this process has seen the stream end there, and it is no longer since.
    pub(super) fn is_checked(
        &self,
        stream: &StreamId,
        position: &Position,
    ) -> Result<bool, StoreError> {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known =
            checked.as_ref().is_some_and(|(known, end)| known == stream && end == position);
        let path = self.path_of(stream);
        let length = || self.disk.length(&path).map_err(StoreError::reading(&path));
        Ok(is_known && length()? == position.bytes)
    }

    /// Hands over the records behind a position, where it was looked already; returns the bytes at the
    /// end that are no record.
    pub(super) fn follow(
        &self,
        stream: &StreamId,
        position: &mut Position,
        behind: &Behind,
        each: Each<'_>,
    ) -> Result<Vec<u8>, StoreError> {
        match behind {
            Behind::Near(bytes) => {
                let (path, trusted) = (self.path_of(stream), || self.trusted(stream));
                let from = (stream, &self.ring);
                tail::read(&path, bytes, from, trusted, position, each).map(<[u8]>::to_vec)
            }
            Behind::Far => self.visit(stream, position, each),
        }
    }

    /// Looks at the stream's known end and at what lies behind it. It is an error if the record that
    /// is known does not stand there, unless others that build on it follow.
    pub(super) fn look(
        &self,
        stream: &StreamId,
        position: &Position,
    ) -> Result<Behind, StoreError> {
        self.look_by(stream, position, |offset, max| self.peek(stream, offset, max))
    }

    /// The same for somebody who is about to add to the stream: also its file, where it was kept open.
    pub(super) fn look_to_append(
        &self,
        stream: &StreamId,
        position: &Position,
    ) -> Result<(Behind, Option<D::Written>), StoreError> {
        let mut open = None;
        let behind = self.look_by(stream, position, |offset, max| {
            let path = self.path_of(stream);
            let max = usize::try_from(max).unwrap_or(usize::MAX);
            let seen = self.disk.peek_to(Write::Append, &path, offset, max);
            let Some(seen) = seen.map_err(StoreError::reading(&path))? else {
                return Ok(Vec::new());
            };
            open = seen.open;
            Ok(seen.bytes)
        })?;
        Ok((behind, open))
    }

    fn look_by(
        &self,
        stream: &StreamId,
        position: &Position,
        peek: impl FnOnce(u64, u64) -> Result<Vec<u8>, StoreError>,
    ) -> Result<Behind, StoreError> {
        if position.seq == 0 {
            return Ok(Behind::Far);
        }
        let path = self.path_of(stream);
        let back = position.bytes.min(BACK);
        let mut seen = peek(position.bytes - back, back + AHEAD)?;
        let split = usize::try_from(back).unwrap_or(usize::MAX);
        if seen.len() < split {
            let found = self.disk.length(&path).map_err(StoreError::reading(&path))?;
            return Err(StoreError::Shorter { path, known: position.bytes, found });
        }
        let behind = seen.split_off(split);
        // Where records follow, the first of them names this one by its hash.
        if !behind.contains(&b'\n') && !self.ends_with(stream, position, seen)? {
            return Err(StoreError::Tail { path, number: position.seq });
        }
        Ok(if behind.len() as u64 == AHEAD { Behind::Far } else { Behind::Near(behind) })
    }

    /// Whether the last record before `position` is the one that the position names. `seen` is what
    /// was read before the position already; of a long record, more of it is read.
    fn ends_with(
        &self,
        stream: &StreamId,
        position: &Position,
        mut seen: Vec<u8>,
    ) -> Result<bool, StoreError> {
        loop {
            let Some(line) = seen.strip_suffix(b"\n") else { return Ok(false) };
            let is_whole = seen.len() as u64 == position.bytes;
            let start = line.iter().rposition(|byte| *byte == b'\n').map(|before| before + 1);
            if let Some(start) = start.or(is_whole.then_some(0)) {
                return Ok(sha256_hex(&[&line[start..]]) == position.hash);
            }
            let more = (seen.len() as u64).saturating_mul(8).min(position.bytes);
            let longer = self.peek(stream, position.bytes - more, more)?;
            if longer.len() <= seen.len() {
                return Ok(false);
            }
            seen = longer;
        }
    }

    fn peek(&self, stream: &StreamId, offset: u64, max: u64) -> Result<Vec<u8>, StoreError> {
        let path = self.path_of(stream);
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        let seen = self.disk.peek(&path, offset, max).map_err(StoreError::reading(&path));
        Ok(seen?.unwrap_or_default())
    }

    pub(crate) fn visit(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Vec<u8>, StoreError> {
        let path = self.path_of(stream);
        let trusted = || self.trusted(stream);
        tail::visit(&self.disk, &path, (stream, &self.ring), trusted, position, each)
    }
}
