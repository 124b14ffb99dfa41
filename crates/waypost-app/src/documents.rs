//! What people and agents write in a session's folder: drafts, plan, specification and notes. They are read with
//! tolerance, and whatever is not changed keeps its bytes.

pub mod artifacts;
pub mod beside;
pub mod dev_notes;
pub mod document;
pub(crate) mod markdown;
pub mod plan;
pub mod spec;
