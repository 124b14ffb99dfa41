//! The harnesses that this Waypost knows. A new one is a module here and a line in [`ALL`].

mod claude_code;

use waypost_app::harness::Harness;

/// All of them.
pub const ALL: &[&dyn Harness] = &[&claude_code::ClaudeCode];
