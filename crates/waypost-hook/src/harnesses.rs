//! The harnesses that this Waypost knows. A new one is a module here, a row in [`facts`] and a line in [`ALL`].

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod facts;
mod gemini;
mod generic;
mod opencode;
mod qwen;
mod shape;

use waypost_app::harness::Harness;
use waypost_app::transcripts::TranscriptReader;

/// All of them. The first is the one that a project is set up for where none is found on the machine.
pub const ALL: &[&dyn Harness] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &gemini::Gemini,
    &copilot::Copilot,
    &opencode::OpenCode,
    &qwen::Qwen,
    &cursor::Cursor,
    &generic::Generic,
];

/// What reads the transcripts of those that keep any.
pub const TRANSCRIPTS: &[&dyn TranscriptReader] =
    &[&claude_code::Conversations, &codex::Rollouts, &gemini::Chats, &opencode::Sessions];
