//! Event logs: what all of them do, and what the one in files survives.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod bits;
mod compaction;
mod conformance;
mod crashes;
mod damage;
mod journal;
mod overtaken;
mod repair;
mod sim;
mod support;
