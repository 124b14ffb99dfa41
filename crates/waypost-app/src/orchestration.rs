//! Agents that work for each other: who was given what, what was decided, who judged it, and what was handed over.

pub mod agents;
pub mod checklist;
pub mod decisions;
pub mod document;
pub mod handoffs;
pub mod set_state;
pub mod state;
pub mod verdicts;

mod recorded;

pub use recorded::{Recorded, all};
