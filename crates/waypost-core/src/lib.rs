//! The pure heart of Waypost: events, state, gates, rulings and the encoding of records.
//!
//! This crate never reads or writes a file, never looks at the clock or the environment, never
//! draws a random number and never starts a process. Whoever calls it brings those in as values.

pub mod actor;
pub mod agents;
pub mod alongside;
pub mod brief;
pub mod canonical;
pub mod cel;
pub mod chronicle;
pub mod claims;
pub mod command;
pub mod cost;
pub mod course;
pub mod engine;
pub mod event;
pub mod evidence;
pub mod gate;
pub mod glob;
pub mod id;
pub mod key;
pub mod ledger;
pub mod loss;
pub mod manifest;
pub mod mirror;
pub mod next_step;
pub mod patch;
pub mod places;
pub mod project;
pub mod projection;
pub mod record;
pub mod redact;
pub mod runner;
pub mod sealed;
pub mod session;
pub mod shell;
pub mod standing;
pub mod story;
pub mod surrogates;
pub mod tables;
pub mod telemetry;
pub mod text;
pub mod time;
pub mod track;
pub mod usage;
