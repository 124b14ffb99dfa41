//! The harnesses that this Waypost knows. A new one is a module here and a line in [`ALL`].

mod claude_code;

use waypost_app::harness::Harness;
use waypost_app::transcripts::TranscriptReader;

/// All of them.
pub const ALL: &[&dyn Harness] = &[&claude_code::ClaudeCode];

/// The transcripts of the one harness that there is.
pub(crate) const TRANSCRIPT: &dyn TranscriptReader = &claude_code::Conversations;
