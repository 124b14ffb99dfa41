//! Sessions: where they stand, pausing and resuming, notes and commits.

pub(super) mod add_commit;
pub(super) mod add_note;
pub(super) mod brief;
mod changed;
pub(super) mod get_state;
pub(super) mod list;
pub(super) mod pause;
pub(super) mod resume;
pub(super) mod show;
