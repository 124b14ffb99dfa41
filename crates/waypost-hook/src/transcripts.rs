//! Readers of the transcripts of clients that are no harnesses of Waypost, a module each; those of harnesses are with
//! them. All together are [`ALL`].

mod gemini;
mod open_code;

use waypost_app::transcripts::TranscriptReader;

use crate::harnesses;

/// All of them.
pub const ALL: &[&dyn TranscriptReader] =
    &[harnesses::TRANSCRIPTS[0], harnesses::TRANSCRIPTS[1], &gemini::Chats, &open_code::Sessions];
