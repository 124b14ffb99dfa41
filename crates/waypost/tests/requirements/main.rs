//! Requirements of the requirements framework under Waypost's hook: the days that were played under its own hooks too,
//! and what only Waypost says of them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod days;
mod faults;
mod files;
mod player;
mod told;
mod workflows;
