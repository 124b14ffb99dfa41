//! What holds of every harness: what is said to it in each case, and what the documentation says of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod examples;
mod foreign;
mod matrix;
mod recorded;
mod table;
mod world;

use std::path::PathBuf;

/// Whether what is generated is to be written anew.
fn is_update() -> bool {
    std::env::var_os("WAYPOST_UPDATE").is_some()
}

/// The top folder of the repository.
fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().unwrap()
}
