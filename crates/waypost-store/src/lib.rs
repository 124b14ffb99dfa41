//! Where Waypost keeps things: streams of events under a lock, policies by their hash, keys.
//!
//! This crate knows files and nothing of sessions' meaning: what a record does to a state is the
//! core's business. Nothing is answered before it is on disk.

pub mod blobs;
pub mod copies;
pub mod disk;
pub mod error;
pub mod event_log;
pub mod files;
pub mod keys;
pub mod log;
pub mod look;
pub mod memory;
pub mod seen;
pub mod stores;
pub mod streams;
pub mod upkeep;
pub mod verify;

mod head;
mod tail;

pub use blobs::{Blobs, FileBlobs};
pub use copies::{Relation, Standing};
pub use disk::Patience;
pub use error::StoreError;
pub use event_log::{EventLog, Held, Mark, Store};
pub use log::{Copies, FileLog};
pub use stores::{InFiles, InMemory, Stores, Terms};
pub use streams::{Loaded, Streams, Transacted};
pub use upkeep::{Repaired, Work};
