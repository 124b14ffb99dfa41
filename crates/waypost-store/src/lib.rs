//! Where Waypost keeps things: streams of events under a lock, policies by their hash, keys.
//!
//! This crate knows files and nothing of sessions' meaning: what a record does to a state is the
//! core's business. Nothing is answered before it is on disk.

pub mod definitions;
pub mod disk;
pub mod error;
pub mod event_log;
pub mod files;
pub mod keys;
pub mod log;
pub mod look;
pub mod memory;
pub mod policies;
pub mod seen;
pub mod verify;

mod head;
mod kept;
mod tail;

pub use disk::Patience;
pub use error::StoreError;
pub use event_log::EventLog;
pub use log::{Copies, FileLog, Loaded, Relation, Repaired, Standing, Transacted};
