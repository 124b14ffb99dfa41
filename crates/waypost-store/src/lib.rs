//! Where Waypost keeps things: streams of events under a lock, policies by their hash, keys.
//!
//! This crate knows files and nothing of sessions' meaning: what a record does to a state is the
//! core's business. Nothing is answered before it is on disk.

pub mod blobs;
pub mod disk;
pub mod error;
pub mod event_log;
pub mod files;
pub mod foreign;
pub mod index;
pub mod keys;
pub mod log;
pub mod look;
pub mod memory;
pub mod os;
pub mod seen;
pub mod stores;
pub mod streams;
pub mod upkeep;

mod head;
mod mark;
mod tail;

pub use blobs::{Blobs, FileBlobs};
pub use disk::Patience;
pub use error::StoreError;
pub use event_log::{EventLog, Held};
pub use log::{Copies, FileLog};
pub use mark::Mark;
pub use stores::{InFiles, InMemory, Stores, Terms};
pub use streams::{Backoff, Loaded, Standing, Streams, Transacted};
pub use upkeep::{Relation, Repaired, Report, Store, Work};
