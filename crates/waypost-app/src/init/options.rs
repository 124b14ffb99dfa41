//! What a person can choose when setting a project up.

use std::str::FromStr;

use crate::error::AppError;

/// How strict the first gates are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// The test gate holds the agent.
    #[default]
    Strict,
    /// The test gate warns.
    Relaxed,
    /// No gates.
    Minimal,
}

/// The programs that run agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Harness {
    /// Anthropic's Claude Code.
    ClaudeCode,
}

/// What a person chose.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The harnesses to register with; none named means all that are supported.
    pub harnesses: Vec<Harness>,
    /// How strict the first gates are; strict if not said.
    pub preset: Option<Preset>,
    /// Whether to register in the project's own settings too, for everyone who works on it.
    pub shared: bool,
    /// Whether git itself is to ask before commits and pushes too.
    pub git_hooks: bool,
    /// The command that runs the tests; the best proposal if not said.
    pub test_command: Option<String>,
}

impl Options {
    pub(super) fn includes(&self, harness: Harness) -> bool {
        self.harnesses.is_empty() || self.harnesses.contains(&harness)
    }
}

impl FromStr for Preset {
    type Err = AppError;

    fn from_str(text: &str) -> Result<Self, AppError> {
        match text {
            "strict" => Ok(Self::Strict),
            "relaxed" => Ok(Self::Relaxed),
            "minimal" => Ok(Self::Minimal),
            _ => Err(AppError::configuration(format!("there is no preset {text:?}"))
                .hint("choose one of strict, relaxed, minimal")),
        }
    }
}

impl FromStr for Harness {
    type Err = AppError;

    fn from_str(text: &str) -> Result<Self, AppError> {
        match text {
            "claude-code" => Ok(Self::ClaudeCode),
            "codex" | "gemini" | "copilot" => Err(AppError::configuration(format!(
                "{text} is not supported yet: this version of Waypost registers with claude-code only"
            ))
            .hint("leave it out: waypost init --harness claude-code")),
            _ => Err(AppError::configuration(format!("there is no harness {text:?}"))
                .hint("choose claude-code")),
        }
    }
}
