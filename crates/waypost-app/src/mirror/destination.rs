//! A mirror as a destination of the outbox: whatever happened to a session, it is shown as it is then.

use std::collections::BTreeSet;

use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::sha256_hex;
use waypost_core::record::{Position, Record};

use super::server::Fault;
use super::{Mirror, PushError};
use crate::error::Kind;
use crate::outbox::{Destination, NotTaken, Taken};
use crate::view::View;

/// A mirror of a project.
pub(super) struct ToMirror<'a> {
    view: &'a View<'a>,
    mirror: &'a dyn Mirror,
    name: String,
    address: String,
}

impl<'a> ToMirror<'a> {
    pub(super) fn new(view: &'a View<'a>, mirror: &'a dyn Mirror, address: String) -> Self {
        let hash = &sha256_hex(&[address.as_bytes()])[..12];
        let name = format!("mirror-{}-{hash}", mirror.kind().name());
        Self { view, mirror, name, address }
    }
}

impl Destination for ToMirror<'_> {
    /// The session that something happened to.
    type Parcel = SessionId;
    type Carried = ();
    const FOLD: u32 = 1;

    fn name(&self) -> &str {
        &self.name
    }

    fn address(&self) -> &str {
        &self.address
    }

    fn wants(&self, stream: &StreamId) -> bool {
        matches!(stream, StreamId::Session(_))
    }

    fn parcels(&self, (): &mut (), stream: &StreamId, _: &Position, _: &Record) -> Vec<SessionId> {
        match stream {
            StreamId::Session(id) => vec![id.clone()],
            StreamId::Project => Vec::new(),
        }
    }

    fn weight(&self, _: &SessionId) -> usize {
        1
    }

    fn send(&self, parcels: &[SessionId]) -> Result<Taken, NotTaken> {
        let sessions: BTreeSet<&SessionId> = parcels.iter().collect();
        let sessions: Vec<SessionId> = sessions.into_iter().cloned().collect();
        match self.mirror.push(self.view, &sessions) {
            Ok(pushed) => {
                let refused = pushed.conflicts.len().min(parcels.len()) as u64;
                let told = (refused > 0).then(|| pushed.conflicts.join("; "));
                Ok(Taken { refused, told })
            }
            Err(PushError::Server(Fault::NotInstalled(why) | Fault::Down(why))) => {
                Err(NotTaken::Later { why, after: None })
            }
            Err(PushError::Server(Fault::Refused(why))) => Err(NotTaken::Unfit { why }),
            Err(PushError::Here(error)) if error.kind == Kind::Integrity => {
                Err(NotTaken::Unfit { why: error.message })
            }
            Err(PushError::Here(error)) => Err(NotTaken::Later { why: error.message, after: None }),
        }
    }
}
