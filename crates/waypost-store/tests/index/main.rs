//! Indexes: what all of them do, and what becomes of the files of the one in SQLite.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod conformance;
mod places;
