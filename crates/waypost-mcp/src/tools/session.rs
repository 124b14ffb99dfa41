//! Sessions: where they stand, pausing and resuming, notes and commits.

pub(super) mod add_commit;
pub(super) mod add_note;
pub(super) mod brief;
mod built;
pub(super) mod changed;
pub(super) mod complete_checkpoint;
pub(super) mod complete_task;
pub(super) mod delete;
pub(super) mod get_state;
pub(super) mod init_build;
pub(super) mod list;
pub(super) mod pause;
pub(super) mod resume;
pub(super) mod set_focus;
pub(super) mod set_status;
pub(super) mod show;
pub(super) mod start_checkpoint;
pub(super) mod transition_phase;
pub(super) mod update_git;
