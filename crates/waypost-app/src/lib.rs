//! What Waypost can do, one use case a file, and the facts that it needs of git and the machine.
//!
//! Use cases know no harness, no command line and no web page: they take values and give values.

pub mod config;
pub mod doctor;
pub mod enrol;
pub mod error;
pub mod explain;
pub mod facts;
pub mod gates;
pub mod git;
pub mod history;
pub mod hook;
pub mod host;
pub mod init;
pub mod note;
pub mod policy;
pub mod process;
pub mod project;
pub mod registry;
pub mod run;
pub mod start;
pub mod status;
pub mod tree;
pub mod verify;
pub mod workspace;
