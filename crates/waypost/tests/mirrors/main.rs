//! Sessions are where agents keep memories and notes, with the real servers, and come back from there.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod serena;
mod servers;
