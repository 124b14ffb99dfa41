//! What Waypost can do, one use case a file, and the facts that it needs of git and the machine.
//!
//! Use cases know no harness, no command line and no web page: they take values and give values.

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests look at what they made"))]

pub mod activity;
pub mod adopt;
pub mod archive;
pub mod artifacts;
mod ask;
pub mod brief;
pub mod build;
pub mod caller;
pub mod ci;
pub mod commit;
pub mod config;
pub mod copy;
pub mod deadline;
mod definitions;
pub mod dev_notes;
pub mod doctor;
pub mod document;
pub mod end;
pub mod enrol;
pub mod error;
pub mod explain;
pub mod export;
pub mod facts;
pub mod focus;
pub mod gates;
pub mod git;
pub mod git_alias;
pub mod git_hook;
pub mod harness;
pub mod history;
pub mod hook;
pub mod host;
pub mod human;
pub mod init;
pub mod joining;
pub mod judge;
pub mod list;
mod markdown;
pub mod mode;
mod moving;
pub mod note;
pub mod pause;
pub mod place;
pub mod plan;
pub mod policy;
pub mod process;
pub mod project;
pub mod protocol;
pub mod publish;
pub mod pulse;
pub mod record;
pub mod registry;
pub mod repair;
pub mod resume;
pub mod run;
pub mod serve_token;
pub mod set_status;
pub mod show;
pub mod signing;
pub mod spec;
pub mod standing;
pub mod start;
pub mod status;
pub mod statusline;
pub mod tree;
pub mod trust;
pub mod update_git;
pub mod verify;
pub mod view;
pub mod violations;
pub mod workflow;
pub mod workflows;

mod plain;

pub use waypost_store::seen;
