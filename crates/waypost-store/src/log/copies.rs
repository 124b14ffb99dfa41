//! Copies of streams that lie elsewhere, and taking them over where they go on from a stream's end.

use std::fmt::Debug;
use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::record::Position;

use super::FileLog;
use super::writing::End;
use crate::disk::Disk;
use crate::event_log::Each;
use crate::head::Head;
use crate::upkeep::{Relation, Upkeep};
use crate::{StoreError, head, tail};

/// Copies of streams that the log does not keep itself, such as published ones. They are only asked
/// for where a stream's own records are damaged, and nothing in them is believed before it verifies.
pub trait Copies: Debug + Send + Sync {
    /// The bytes of every copy of the stream that is at hand, the best one first.
    fn of(&self, stream: &StreamId) -> Vec<Vec<u8>>;
}

impl<D: Disk> FileLog<D> {
    pub(super) fn take_over_from(
        &self,
        stream: &StreamId,
        path: &Path,
        copy: &[u8],
    ) -> Result<Relation, StoreError> {
        let _lock = self.lock_stream(stream)?;
        let mut before = Position::start(stream);
        let own = self.bytes(stream, &mut before, &mut |_, _| {})?;
        let relation = Relation::of(&own, copy);
        if relation != Relation::Ahead {
            return Ok(relation);
        }
        let head = self.read_head(stream)?;
        let more = &copy[own.len()..];
        let after = self.check_taken_over(stream, (path, more), (&head, &before))?;
        self.make_folder(&self.folder_of(stream))?;
        let more = std::str::from_utf8(more).unwrap_or_default();
        let end = End::of(&before, &[], &head);
        self.write_lines(stream, &end, None, more)?;
        head::write(&self.disk, &self.head_of(stream), None, stream, &self.ring, (&head, &after))
            .map_err(|cause| self.take_back(stream, &end, cause))?;
        Ok(Relation::Ahead)
    }

    /// Where a stream that ends at `before` ends with `more`, if that may be added to it.
    fn check_taken_over(
        &self,
        stream: &StreamId,
        (path, more): (&Path, &[u8]),
        (head, before): (&Head, &Position),
    ) -> Result<Position, StoreError> {
        let end = self.path_of(stream);
        let acknowledged = head.acknowledged();
        let mut position = before.clone();
        let mut is_restored = false;
        let trusted = || self.trusted(stream);
        let each: Each<'_> = &mut |position, record| {
            is_restored |= acknowledged == Some(position);
            // It says itself that it goes on from there.
            if let Some(restored) = record.event.restored() {
                is_restored |= acknowledged.is_some_and(|known| {
                    known.seq == restored.up_to && known.hash == restored.head
                });
            }
        };
        tail::read(path, more, (stream, &self.ring), trusted, &mut position, each)?;
        let length = self.disk.length(&end).map_err(StoreError::io("cannot read", &end))?;
        let is_whole = match head {
            // A copy of a stream of which nothing at all is here.
            Head::Missing | Head::Unreadable(_) => before.seq == 0,
            Head::At { damaged, position, .. } => !damaged || position.seq != before.seq,
        };
        if length > before.bytes || !is_whole {
            return Err(StoreError::Unmended { path: end });
        }
        match acknowledged {
            Some(known) if known.seq > before.seq && !is_restored => {
                Err(StoreError::Lost { path: end, found: before.seq, known: known.seq })
            }
            Some(known) if known.seq == before.seq && known.hash != before.hash => {
                Err(StoreError::Head { path: end, number: known.seq })
            }
            _ => Ok(position),
        }
    }
}
