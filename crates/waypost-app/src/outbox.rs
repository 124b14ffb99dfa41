//! The outbox: what happened, on its way to destinations that may be slow, down or gone.
//!
//! Records are kept for good already, so nothing is kept twice: a destination has one small file for each stream, which
//! says up to where it was sent. What lies behind is what waits. It is moved on only after the destination has taken what
//! lies before. Whoever is killed in between sends that once more; what is sent says which record it is made of, so that a
//! destination can tell. Nobody who appends waits for any of this, or knows of it.
//!
//! What is sent where, and how, is a [`Destination`]'s business.

mod batch;
mod cursor;
mod health;
mod sender;
mod sending;

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use waypost_core::id::StreamId;
use waypost_core::record::{Position, Record};
use waypost_core::time::Timestamp;

pub use health::Health;
pub use sender::{Pace, Sender, Sends};
pub use sending::{Outbox, Sent};

/// Where records go, and what is made of them.
pub trait Destination {
    /// What is sent: a record may come to several parcels, or to none.
    type Parcel;
    /// What has to be remembered of earlier records to make parcels of later ones. It is kept beside the place up to
    /// which was sent, so it is small; it can be made again from the records.
    type Carried: Clone + Default + Serialize + DeserializeOwned;
    /// Counts the ways in which records were carried. It grows with every other one: what was carried in an older way is
    /// made again.
    const FOLD: u32;

    /// What it is called: the name of a folder, and the same as long as it is the same destination.
    fn name(&self) -> &str;

    /// What people call it.
    fn address(&self) -> &str;

    /// Whether it wants to know of a stream at all.
    fn wants(&self, stream: &StreamId) -> bool;

    /// What a record comes to. `at` is where the stream stands behind it.
    fn parcels(
        &self,
        carried: &mut Self::Carried,
        stream: &StreamId,
        at: &Position,
        record: &Record,
    ) -> Vec<Self::Parcel>;

    /// About how many bytes a parcel has.
    fn weight(&self, parcel: &Self::Parcel) -> usize;

    /// Sends parcels, all of them or none. What was taken is taken when this returns.
    fn send(&self, parcels: &[Self::Parcel]) -> Result<Taken, NotTaken>;
}

/// What a destination said when it took parcels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many of them it did not want after all. It would not want them another time either.
    pub refused: u64,
    /// Why.
    pub told: Option<String>,
}

/// Why a destination took nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotTaken {
    /// It may another time.
    Later {
        /// What happened.
        why: String,
        /// How long it asks to be left alone.
        after: Option<Duration>,
    },
    /// It never will, as they are: fewer of them, perhaps.
    Unfit {
        /// What it said.
        why: String,
    },
}

/// Which records are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Those from this time on: a destination that is new is not told everything that ever happened.
    From(Timestamp),
    /// Those before.
    Before(Timestamp),
}

impl Range {
    fn holds(self, record: &Record) -> bool {
        match self {
            Self::From(time) => record.time >= time,
            Self::Before(time) => record.time < time,
        }
    }
}

/// How long is waited after a destination took nothing: twice as long each time.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// After the first time.
    pub first: Duration,
    /// At the most.
    pub longest: Duration,
}

impl Waits {
    /// What is waited usually.
    pub const USUAL: Self =
        Self { first: Duration::from_secs(2), longest: Duration::from_secs(300) };
}
