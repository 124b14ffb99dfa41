//! Readers of the transcripts that clients keep.

/// All of them.
pub use crate::harnesses::TRANSCRIPTS as ALL;
