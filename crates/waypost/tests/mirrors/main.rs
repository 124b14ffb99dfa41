//! Sessions are where agents keep memories and notes, with the real servers, and come back from there.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod hostile;
mod notes;
mod restoring;
mod serena;
mod servers;
