//! Heads: the last record of a stream that was acknowledged, kept apart from the stream.
//!
//! A stream that was cut off at a record's end looks like a shorter stream. The head tells. It is
//! written in place without waiting for the disk, in two slots by turns, so that a write that was
//! torn by a crash never takes the other one with it. So it is never ahead of what is on disk, and
//! behind what was acknowledged only where it could not be written, or never reached the disk.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use waypost_core::id::StreamId;
use waypost_core::key::Keyring;
use waypost_core::record::Position;
use waypost_core::sealed::{self, SealError};

use crate::disk::{Disk, Peeked, Write};
use crate::{StoreError, files, os};

const KIND: &str = "waypost-head";
/// Every slot has the same size, so that it can be written over in place.
const SLOT: usize = 512;
const SIZE: u64 = 2 * SLOT as u64;

/// One slot. Turns alternate between the slots and only ever grow, also where the stream was mended
/// and its sequence numbers begin again further down.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Slot {
    turn: u64,
    position: Position,
}

/// What the head says.
#[derive(Debug)]
pub(crate) enum Head {
    /// It is not there at all.
    Missing,
    /// What is there is no head, or cannot be read.
    Unreadable(StoreError),
    /// The last acknowledged record.
    At {
        /// The newest slot's position.
        position: Position,
        /// Its turn; even ones are in the first slot, odd ones in the second.
        turn: u64,
        /// The other slot is none: torn by a crash, or destroyed. One that is older than the turn
        /// before is sound: a crash may keep a later write and lose an earlier one.
        damaged: bool,
    },
}

impl Head {
    /// The last acknowledged record, as far as it is known.
    pub(crate) fn acknowledged(&self) -> Option<&Position> {
        match self {
            Self::At { position, .. } => Some(position),
            Self::Missing | Self::Unreadable(_) => None,
        }
    }
}

/// Reads the head. It is an error only if nothing can be said about what is there.
pub(crate) fn read<D: Disk>(
    disk: &D,
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
) -> Result<Head, StoreError> {
    match disk.read(path, SIZE) {
        Ok(Some(content)) => Ok(parse(path, &content, stream, ring)),
        Ok(None) => Ok(Head::Missing),
        Err(error) => unreadable(path, error),
    }
}

/// The same for somebody who is about to write it: also its file, where it was kept open.
pub(crate) fn read_to_write<D: Disk>(
    disk: &D,
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
) -> Result<(Head, Option<D::Written>), StoreError> {
    // One byte more, so that one which is too long is noticed.
    match disk.peek_to(Write::Over, path, 0, 2 * SLOT + 1) {
        Ok(Some(Peeked { bytes, open })) if bytes.len() as u64 <= SIZE => {
            Ok((parse(path, &bytes, stream, ring), open))
        }
        Ok(Some(_)) => {
            let error = io::Error::new(io::ErrorKind::FileTooLarge, "it is too large for a head");
            unreadable(path, error).map(|head| (head, None))
        }
        Ok(None) => Ok((Head::Missing, None)),
        Err(error) => unreadable(path, error).map(|head| (head, None)),
    }
}

fn unreadable(path: &Path, error: io::Error) -> Result<Head, StoreError> {
    let lies_there = os::is_about_what_lies_there(&error);
    let error = StoreError::io("cannot read", path)(error);
    if lies_there { Ok(Head::Unreadable(error)) } else { Err(error) }
}

fn parse(path: &Path, content: &[u8], stream: &StreamId, ring: &Keyring) -> Head {
    let slots: Vec<Result<Slot, SealError>> = content
        .chunks(SLOT)
        .zip(0..)
        .map(|(slot, parity)| open(slot, parity, stream, ring))
        .collect();
    let mut good: Vec<&Slot> = slots.iter().filter_map(|slot| slot.as_ref().ok()).collect();
    good.sort_by_key(|slot| slot.turn);
    let damaged = good.len() < 2;
    if let Some(Slot { turn, position }) = good.pop().cloned() {
        return Head::At { position, turn, damaged };
    }
    let source = slots.into_iter().find_map(Result::err).unwrap_or(SealError::Malformed);
    Head::Unreadable(StoreError::Sealed { path: path.to_owned(), source })
}

/// Whether a head that is there tells nothing of this position. No signature is checked: this only
/// keeps what is derived from telling of what was never acknowledged.
pub(crate) fn is_silent_about<D: Disk>(disk: &D, path: &Path, position: &Position) -> bool {
    let content = disk.read(path, SIZE).ok().flatten();
    content.is_some_and(|content| {
        let hash = position.hash.as_bytes();
        !content.windows(hash.len()).any(|part| part == hash)
    })
}

fn open(slot: &[u8], parity: u64, stream: &StreamId, ring: &Keyring) -> Result<Slot, SealError> {
    let end = slot.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    let opened: Slot = sealed::open(ring, KIND, &stream.to_string(), &slot[..end])?;
    let fits = slot.len() == SLOT && opened.turn % 2 == parity;
    fits.then_some(opened).ok_or(SealError::Malformed)
}

/// Makes a whole head in place of what is there. It is on disk when this returns.
pub(crate) fn create<D: Disk>(
    disk: &D,
    path: &Path,
    stream: &StreamId,
    ring: &Keyring,
    position: &Position,
) -> Result<(), StoreError> {
    let slot = |turn| Slot { turn, position: position.clone() };
    let mut content = encode(stream, ring, &slot(0))?;
    content.extend(encode(stream, ring, &slot(1))?);
    files::replace_on(disk, path, &content, true)
}

/// Writes the head into the slot that does not hold the newest one; the file may be open already.
pub(crate) fn write<D: Disk>(
    disk: &D,
    path: &Path,
    open: Option<&D::Written>,
    stream: &StreamId,
    ring: &Keyring,
    (known, position): (&Head, &Position),
) -> Result<(), StoreError> {
    let Head::At { turn, .. } = known else {
        return create(disk, path, stream, ring, position);
    };
    let slot = Slot { turn: turn + 1, position: position.clone() };
    let content = encode(stream, ring, &slot)?;
    let place = slot.turn % 2 * SLOT as u64;
    disk.write_to(open, path, place, &content).map_err(StoreError::io("cannot write", path))
}

fn encode(stream: &StreamId, ring: &Keyring, slot: &Slot) -> Result<Vec<u8>, StoreError> {
    let mut content = sealed::seal(ring.current(), KIND, &stream.to_string(), slot)?.into_bytes();
    let padding = SLOT.saturating_sub(content.len());
    content.extend(std::iter::repeat_n(b' ', padding));
    Ok(content)
}
