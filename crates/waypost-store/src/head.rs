//! Heads: the last record of a stream that was acknowledged, kept apart from the stream.
//!
//! A stream that was cut off at a record's end looks like a shorter stream. The head tells. It is
//! written in place without waiting for the disk, in two slots by turns, so that a write that was
//! torn by a crash never takes the other one with it.

use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::key::Keyring;
use waypost_core::record::Position;
use waypost_core::sealed::{self, SealError};

use crate::disk::Disk;
use crate::{StoreError, files};

const KIND: &str = "waypost-head";
/// Every slot has the same size, so that it can be written over in place.
const SLOT: usize = 512;

/// What the head says.
#[derive(Debug)]
pub(crate) enum Head {
    /// It is not there at all.
    Missing,
    /// The last acknowledged record.
    At {
        /// The newest slot's position.
        position: Position,
        /// Which slot it is in.
        slot: u64,
        /// The other slot is neither empty nor good: torn by a crash, or forged.
        damaged: bool,
    },
}

/// Reads the head.
pub(crate) fn read<D: Disk>(
    disk: &D,
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
) -> Result<Head, StoreError> {
    let content = disk.read(path, 2 * SLOT as u64).map_err(StoreError::io("cannot read", path))?;
    let Some(content) = content else { return Ok(Head::Missing) };
    let slots: Vec<Result<Option<Position>, SealError>> =
        content.chunks(SLOT).map(|slot| open(slot, stream, ring)).collect();
    let newest = slots
        .iter()
        .enumerate()
        .filter_map(|(slot, found)| Some((slot as u64, found.as_ref().ok()?.as_ref()?)))
        .max_by_key(|(_, position)| position.seq);
    let damaged = slots.iter().any(Result::is_err);
    match newest {
        Some((slot, position)) => Ok(Head::At { position: position.clone(), slot, damaged }),
        None => {
            let source = slots.into_iter().find_map(Result::err).unwrap_or(SealError::Malformed);
            Err(StoreError::Sealed { path: path.to_owned(), source })
        }
    }
}

fn open(slot: &[u8], stream: &StreamId, ring: &Keyring) -> Result<Option<Position>, SealError> {
    if slot.iter().all(|byte| *byte == b' ') && slot.len() == SLOT {
        return Ok(None);
    }
    if slot.len() != SLOT {
        return Err(SealError::Malformed);
    }
    let end = slot.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    sealed::open(ring, KIND, &stream.to_string(), &slot[..end]).map(Some)
}

/// Makes a head for a new stream. It is on disk when this returns.
pub(crate) fn create<D: Disk>(
    disk: &D,
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
) -> Result<(), StoreError> {
    files::replace_on(disk, path, &whole(stream, ring, &Position::start(stream))?, true)
}

/// Writes the head into the slot that does not hold the newest one.
pub(crate) fn write<D: Disk>(
    disk: &D,
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
    (known, position): (&Head, &Position),
) -> Result<(), StoreError> {
    let slot = match known {
        Head::Missing => {
            return files::replace_on(disk, path, &whole(stream, ring, position)?, true);
        }
        Head::At { slot, .. } => 1 - slot,
    };
    let content = encode(stream, ring, position)?;
    disk.write_at(path, slot * SLOT as u64, &content).map_err(StoreError::io("cannot write", path))
}

fn whole(stream: &StreamId, ring: &Keyring, position: &Position) -> Result<Vec<u8>, StoreError> {
    let mut content = encode(stream, ring, position)?;
    content.extend(std::iter::repeat_n(b' ', SLOT));
    Ok(content)
}

fn encode(stream: &StreamId, ring: &Keyring, position: &Position) -> Result<Vec<u8>, StoreError> {
    let mut content =
        sealed::seal(ring.current(), KIND, &stream.to_string(), position)?.into_bytes();
    let padding = SLOT.saturating_sub(content.len());
    content.extend(std::iter::repeat_n(b' ', padding));
    Ok(content)
}
