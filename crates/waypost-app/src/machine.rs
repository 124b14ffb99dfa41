//! The machine and the work tree as they are before anything of Waypost's own is read: folders and the clock, processes,
//! git, plain files, the project's place, the id of its content, the keys of this user.

pub mod called_in;
pub mod caller;
pub mod child;
pub mod deadline;
pub mod git;
pub mod git_alias;
pub mod git_caller;
pub(crate) mod git_midway;
pub mod git_refs;
pub mod host;
pub mod hosted;
pub mod local_time;
pub mod matching;
pub mod peer;
pub mod place;
pub(crate) mod plain_files;
pub mod process;
pub mod project;
pub mod serve_token;
pub mod signing;
pub mod since;
pub mod tree;
