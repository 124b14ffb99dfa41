//! `waypost init`: sets a project up for agents, and takes all of it out again.
//!
//! Everything is looked at and worked out before the first byte is written, so that a settings file
//! that cannot be read stops it with nothing changed. What was there before is kept in
//! `install.json` beside the streams: [`remove`] gives files back byte for byte, or, where the user
//! went on editing them, takes out Waypost's own entries and nothing else. It never records events
//! and never asks questions.

mod attributes;
mod beside_plugin;
mod detect;
mod exclude;
mod gates;
pub mod git_hooks;
mod hooks_folder;
mod install;
mod installed;
mod items;
mod kept;
mod left;
mod lines;
mod manifest;
mod options;
mod plugin;
mod proposing;
pub mod ref_hook;
mod registrations;
mod removal;
mod settle;
mod silenced;
mod template;
mod wrapper;

use std::path::PathBuf;

use waypost_core::next_step::NextStep;

pub use beside_plugin::{Started, calls_by_settings, serves_by_settings};
pub use detect::{Found, Proposal, test_commands};
pub use gates::{FirstRun, Outcome, TestGate};
pub use install::run;
pub(crate) use installed::found;
pub use left::{Left, left};
pub use options::{Chosen, GitHooks, Options, Preset};
pub use plugin::{Plugin, plugin};
pub use registrations::{HarnessRegistration, registrations};
pub(crate) use registrations::{
    MAX_FILE, all_settings_files, grouped, managed_files, registered_server, settings_files,
};
pub use removal::remove;
pub use settle::settle;
pub use silenced::{Silenced, Silencing, silenced};
pub(crate) use wrapper::{is_shared_hook_as_written, shared_hook};

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file or folder.
    pub path: PathBuf,
    /// What was done to it, in a few words.
    pub what: String,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InitOutcome {
    /// Every file that Waypost has an interest in here, and what was done to it.
    pub changes: Vec<Change>,
    /// What a person should know about it.
    pub notes: Vec<NextStep>,
    /// The gates of the new `waypost.toml`; none if no command was found, or the file was there before.
    pub gates: Vec<TestGate>,
    /// The `waypost.toml` that was written, if one was.
    pub config: Option<String>,
}

impl InitOutcome {
    fn change(&mut self, path: impl Into<PathBuf>, what: &str) {
        self.changes.push(Change { path: path.into(), what: what.to_owned() });
    }

    fn note(&mut self, told: impl Into<NextStep>) {
        self.notes.push(told.into());
    }
}
