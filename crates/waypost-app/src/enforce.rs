//! Where gates hold somebody, and where somebody satisfies them: the harness' hook, git's hooks, the pipeline, runs,
//! and what is said of gates.

pub mod ci;
pub mod counting;
pub mod gates;
pub mod git_hook;
pub mod hook;
pub mod offer;
pub mod pausing;
pub mod probe;
pub mod record;
pub mod recording;
pub mod ref_updates;
pub mod run;
pub mod spelling;

mod alongside;
