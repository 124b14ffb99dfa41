//! Whether anything happened: the length of every stream, whoever wrote to it.

use std::collections::BTreeMap;

use waypost_core::id::{SessionId, StreamId};
use waypost_store::look;

use crate::error::AppError;
use crate::view::View;

/// How long the project's streams are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamLengths {
    project: u64,
    sessions: BTreeMap<SessionId, u64>,
}

impl StreamLengths {
    /// Looks at the streams' files: a few system calls each, nothing is read.
    pub fn now(view: &View<'_>) -> Result<Self, AppError> {
        let length =
            |stream: &StreamId| look::at(view.log.path_of(stream)).map_or(0, |file| file.len());
        let sessions = view.log.sessions()?.into_iter().map(|id| {
            let length = length(&StreamId::Session(id.clone()));
            (id, length)
        });
        Ok(Self { sessions: sessions.collect(), project: length(&StreamId::Project) })
    }

    /// Whether something of this session, or something that holds for all, is not as it was. Without
    /// a session: whether anything is not.
    pub fn differs(&self, earlier: &Self, session: Option<&str>) -> bool {
        match session {
            None => self != earlier,
            Some(id) => {
                let length = |lengths: &Self| {
                    let found = lengths.sessions.iter().find(|(known, _)| known.as_str() == id);
                    found.map(|(_, length)| *length)
                };
                self.project != earlier.project || length(self) != length(earlier)
            }
        }
    }
}
