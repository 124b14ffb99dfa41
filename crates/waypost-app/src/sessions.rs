//! The life of a session: it begins, conversations join it and move on, it is noted in, rests, goes on and ends; and
//! telling one session from the others.

pub mod begin;
pub mod current;
pub mod end;
pub mod focus;
pub mod history;
pub mod import;
pub mod join;
pub mod list;
pub mod mode;
pub mod note;
pub mod pause;
pub mod recent;
pub mod resume;
pub mod set_status;
mod single;
pub mod start;
pub mod start_workflow;
pub(crate) mod switch;
pub mod update_git;
