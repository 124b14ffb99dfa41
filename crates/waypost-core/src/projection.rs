//! Projections: states that are folded from the records of a stream.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::project::ProjectState;
use crate::record::Record;
use crate::session::SessionState;

/// A state that is folded from records, one after the other.
pub trait Projection: Default + Serialize + DeserializeOwned {
    /// Counts the ways in which records were folded. It grows whenever the same records give another
    /// state than before, also because an event that was passed over is known now: what was folded in
    /// an older way is folded anew.
    const FOLD: u64;
    /// What its snapshots are called: one stream may be folded in several ways.
    const NAME: &'static str = "snapshot";

    /// Takes one more record into account.
    fn apply(&mut self, record: &Record);
}

impl Projection for SessionState {
    const FOLD: u64 = 14;

    fn apply(&mut self, record: &Record) {
        Self::apply(self, record);
    }
}

impl Projection for ProjectState {
    const FOLD: u64 = 5;

    fn apply(&mut self, record: &Record) {
        Self::apply(self, record);
    }
}
