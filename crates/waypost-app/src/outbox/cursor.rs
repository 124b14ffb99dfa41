//! How far a stream was sent: one small file for each stream and destination.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use waypost_core::id::StreamId;
use waypost_core::record::Position;
use waypost_store::files;

use crate::error::AppError;

const VERSION: u64 = 1;
/// What is carried is bounded by whoever carries it; a larger file is none of ours.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// How far a stream was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Cursor<C> {
    #[serde(rename = "v")]
    version: u64,
    /// The way in which `carried` was carried.
    fold: u32,
    /// The last record that was sent, or that there was nothing to send of.
    pub(super) sent: u64,
    /// How long the stream was up to there.
    pub(super) bytes: u64,
    /// Where `carried` stands: there, or earlier.
    pub(super) at: Position,
    /// What the destination remembers of the records up to `at`.
    pub(super) carried: C,
}

/// What was found of a cursor.
pub(super) enum Found<C> {
    /// It is there.
    Cursor(Cursor<C>),
    /// There is none: nothing of the stream was sent yet, or the file is gone.
    None,
    /// It cannot be used, and why.
    Damaged(String),
}

impl<C: Default> Cursor<C> {
    /// Before the first record.
    pub(super) fn start(stream: &StreamId, fold: u32) -> Self {
        let at = Position::start(stream);
        Self { version: VERSION, fold, sent: 0, bytes: 0, at, carried: C::default() }
    }

    /// The same place, for somebody who carries what came before in another way, or cannot read it.
    pub(super) fn carried_anew(self, stream: &StreamId, fold: u32) -> Self {
        Self { sent: self.sent, bytes: self.bytes, ..Self::start(stream, fold) }
    }
}

impl<C: Default + Serialize + DeserializeOwned> Cursor<C> {
    pub(super) fn read(folder: &Path, stream: &StreamId, fold: u32) -> Found<C> {
        let path = file(folder, stream);
        let content = match files::read(&path, MAX_BYTES) {
            Ok(Some(content)) => content,
            Ok(None) => return Found::None,
            Err(error) => return Found::Damaged(error.to_string()),
        };
        let whole = match serde_json::from_slice::<Cursor<serde_json::Value>>(&content) {
            Ok(whole) if whole.version == VERSION => whole,
            Ok(_) => return Found::Damaged("it is of another version".to_owned()),
            Err(error) => return Found::Damaged(error.to_string()),
        };
        let Cursor { version, fold: carried_by, sent, bytes, at, carried } = whole;
        let carried = serde_json::from_value::<C>(carried).ok().filter(|_| carried_by == fold);
        Found::Cursor(match carried {
            Some(carried) => Self { version, fold, sent, bytes, at, carried },
            None => Self { sent, bytes, ..Self::start(stream, fold) },
        })
    }

    /// With `durable` it is on disk when this returns.
    pub(super) fn write(
        &self,
        folder: &Path,
        stream: &StreamId,
        durable: bool,
    ) -> Result<(), AppError> {
        let text = serde_json::to_vec(self).map_err(|error| {
            AppError::refused(format!("how far {stream} was sent cannot be written: {error}"))
        })?;
        Ok(files::replace(&file(folder, stream), &text, durable)?)
    }
}

/// The file of a stream. No session's id has a `/` in it, and none is called like the project's file.
pub(super) fn file(folder: &Path, stream: &StreamId) -> PathBuf {
    folder.join(match stream {
        StreamId::Project => "project.json".to_owned(),
        StreamId::Session(id) => format!("session-{id}.json"),
    })
}
