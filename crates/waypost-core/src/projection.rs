//! Projections: states that are folded from the records of a stream.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::project::ProjectState;
use crate::record::Record;
use crate::session::SessionState;

/// A state that is folded from records, one after the other.
pub trait Projection: Default + Serialize + DeserializeOwned {
    /// Takes one more record into account.
    fn apply(&mut self, record: &Record);
}

impl Projection for SessionState {
    fn apply(&mut self, record: &Record) {
        Self::apply(self, record);
    }
}

impl Projection for ProjectState {
    fn apply(&mut self, record: &Record) {
        Self::apply(self, record);
    }
}
