//! What Waypost can do, one use case a file, and the facts that it needs of git and the machine.
//!
//! Use cases know no harness, no command line and no web page: they take values and give values.

pub mod activity;
pub mod adopt;
pub mod artifacts;
pub mod brief;
pub mod caller;
pub mod ci;
pub mod commit;
pub mod config;
pub mod copy;
pub mod deadline;
pub mod doctor;
pub mod end;
pub mod enrol;
pub mod error;
pub mod explain;
pub mod export;
pub mod facts;
pub mod gates;
pub mod git;
pub mod git_alias;
pub mod git_hook;
pub mod history;
pub mod hook;
pub mod host;
pub mod human;
pub mod init;
pub mod judge;
pub mod list;
pub mod mode;
pub mod note;
pub mod pause;
pub mod place;
pub mod policy;
pub mod process;
pub mod project;
pub mod publish;
pub mod pulse;
pub mod record;
pub mod registry;
pub mod resume;
pub mod run;
pub mod serve_token;
pub mod show;
pub mod signing;
pub mod start;
pub mod status;
pub mod tree;
pub mod trust;
pub mod verify;
pub mod violations;
pub mod workspace;

mod plain;
