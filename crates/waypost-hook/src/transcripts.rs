//! What reads the transcripts of harnesses.

pub use crate::harnesses::TRANSCRIPTS as ALL;
