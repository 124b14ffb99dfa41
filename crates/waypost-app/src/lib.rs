//! What Waypost can do, one use case a file, and the facts that it needs of git and the machine.
//!
//! Use cases know no harness, no command line and no web page: they take values and give values.

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests look at what they made"))]

pub mod audit;
pub mod config;
pub mod cost;
pub mod desk;
pub mod documents;
pub mod enforce;
pub mod error;
pub mod foreign;
pub mod harness;
pub mod index;
pub mod machine;
pub mod mirror;
pub mod orchestration;
pub mod outbox;
pub mod rulings;
pub mod sessions;
pub mod setup;
pub mod share;
pub mod standing;
pub mod telemetry;
pub mod tracks;
pub mod transcripts;
pub mod usage;
pub mod view;
pub mod watch;

pub use waypost_store::seen;
