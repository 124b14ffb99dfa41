//! What keeps streams of events, wherever that is: the places where another store docks.
//!
//! A stream is a sequence of signed lines, the same bytes in every store, so that a position means the
//! same in all of them. What the records come to is not a store's business: that is `Streams`.

use std::collections::BTreeMap;
use std::fmt::Debug;

use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::record::{Draft, Position, Record};

use crate::StoreError;
use crate::mark::Mark;

/// Takes one record after the other, each with where the stream stands behind it.
pub type Each<'a> = &'a mut dyn FnMut(&Position, Record);

/// Streams of events.
pub trait EventLog: Debug + Send + Sync {
    /// The keys that sign.
    fn ring(&self) -> &Keyring;

    /// Makes room for a new stream; whether the name was still free.
    fn create(&self, stream: &StreamId) -> Result<bool, StoreError>;

    /// Whether the stream is there, or is known to have been.
    fn exists(&self, stream: &StreamId) -> bool;

    /// The sessions that are there, in order of their ids.
    fn sessions(&self) -> Result<Vec<SessionId>, StoreError>;

    /// Hands over the records behind `position`, which moves along. What somebody else is just adding is
    /// not seen yet. It is an error if the stream does not lead through that position.
    fn load(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<(), StoreError>;

    /// Keeps everybody else from adding to the stream until what is returned is dropped. A store that cannot do
    /// that finds out when something is appended.
    fn hold<'a>(&'a self, stream: &'a StreamId) -> Result<Box<dyn Held + 'a>, StoreError>;

    /// Where the stream stands, as far as a glance tells.
    fn mark(&self, stream: &StreamId) -> Result<Mark, StoreError>;

    /// Something that changes whenever a stream is made or goes away.
    fn mark_of_all(&self) -> String;

    /// Where all streams stand, whoever adds to them: looked at again, this tells what was added since.
    fn watch(&self) -> Result<BTreeMap<StreamId, Mark>, StoreError> {
        let sessions = self.sessions()?.into_iter().map(StreamId::Session);
        let streams = sessions.chain([StreamId::Project]);
        streams.map(|stream| Ok((stream.clone(), self.mark(&stream)?))).collect()
    }
}

/// A stream that nobody else adds to.
pub trait Held {
    /// Hands over the records behind `position`, which moves along, as they will be when something is
    /// added: with one that was torn and is still in a copy. It is an error if nothing may be added.
    fn load(
        &mut self,
        from: Knows<'_>,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<Reached, StoreError>;

    /// Adds to the stream where `load` ended. What was added, which may be more than was asked for, is
    /// kept for good when this returns; if it fails, nothing was added. It is `Overtaken` if somebody else has
    /// added to it since. Returns what somebody should be told: something was damaged and mended.
    fn append(&mut self, drafts: Vec<Draft>, each: Each<'_>) -> Result<Vec<String>, StoreError>;
}

/// What whoever loads a stream knows of it besides the position that it loads from.
#[derive(Debug, Clone, Copy)]
pub enum Knows<'a> {
    /// Something nearer to its end, which is better where very much was added since.
    Nearer,
    /// Nothing.
    Nothing,
    /// That it was longer: up to here.
    Longer(&'a Position),
}

/// How far loading a stream came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Its end.
    End,
    /// Nowhere: very much was added since, and something nearer is known.
    Nothing,
}

/// What records were folded to, kept for the next reader. Derived: it may be gone at any time.
pub trait Folds {
    /// What is kept of a stream under this name.
    fn fold(&self, stream: &StreamId, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps it in place of what is there.
    fn keep_fold(&self, stream: &StreamId, name: &str, content: &[u8]) -> Result<(), StoreError>;

    /// Forgets it.
    fn forget_fold(&self, stream: &StreamId, name: &str) -> Result<(), StoreError>;
}
