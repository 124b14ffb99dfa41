//! Whether the exit status that a harness reports for a command line is that of one command in it.
//!
//! Harnesses report `cargo test | tail`, `false; true` and background commands as success. So a
//! run proves something only where the reported status can be no other than its own.

use super::{Analysis, Simple};
use crate::glob;

/// What a simple command's exit status means for the whole line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ExitStanding {
    /// The line can only succeed if this command did.
    #[default]
    Own,
    /// Something hides it.
    Hidden(String),
}

impl ExitStanding {
    /// Hidden by `what`, unless it was hidden already.
    pub(super) fn hidden(self, what: &str) -> Self {
        match self {
            Self::Own => Self::Hidden(what.to_owned()),
            Self::Hidden(_) => self,
        }
    }
}

/// Builtins after which a chain no longer means what it says (`exit 0 && cargo test`).
const MEDDLING: &[&str] = &[
    ".", "alias", "bind", "break", "builtin", "command", "continue", "declare", "enable", "env",
    "eval", "exec", "exit", "export", "hash", "local", "logout", "readonly", "return", "set",
    "shopt", "source", "suspend", "trap", "typeset", "unalias", "unset",
];
/// Variables that decide what a command name means.
const TREACHEROUS: &[&str] = &["PATH", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "IFS"];
/// Arguments with which a test command tests nothing.
const IDLE: &[&str] = &[
    "--help",
    "--version",
    "--no-run",
    "--list",
    "--listTests",
    "--collect-only",
    "--co",
    "--dry-run",
    "--setup-only",
    "--setup-plan",
];

impl Simple {
    pub(super) fn changes_what_follows(&self) -> bool {
        match self.name() {
            Some(name) => MEDDLING.contains(&name),
            None => true,
        }
    }

    fn is_treacherous(&self) -> bool {
        self.assigned
            .iter()
            .any(|name| TREACHEROUS.contains(&name.as_str()) || name.starts_with("LD_"))
    }

    /// Whether variables may make it run other programs besides its own.
    fn is_diverted(&self) -> bool {
        let diverts = |name: &String| {
            matches!(name.as_str(), "CDPATH" | "HOME" | "NODE_OPTIONS" | "PAGER" | "EDITOR")
                || ["BASH_FUNC_", "DYLD_", "GIT_"].iter().any(|start| name.starts_with(start))
                || ["_RUNNER", "_WRAPPER"].iter().any(|end| name.ends_with(end))
        };
        self.is_treacherous() || self.assigned.iter().any(diverts)
    }

    /// Whether the line is this command's, and nothing of it is hidden.
    pub(super) fn is_clear(&self) -> bool {
        self.standing == ExitStanding::Own
            && !self.is_diverted()
            && self.words.iter().all(|word| word.literal)
            && self.words.first().is_some_and(|name| !name.text.is_empty())
    }

    /// Whether it is `cd folder`.
    pub(super) fn changes_folder(&self) -> bool {
        let [name, folder] = self.words.as_slice() else { return false };
        name.text == "cd" && !folder.text.starts_with('-')
    }

    fn is_idle(&self) -> bool {
        is_idle(self.words.iter().map(|word| &word.text))
    }
}

/// Whether a test command with these words tests nothing.
pub fn is_idle(words: impl IntoIterator<Item = impl AsRef<str>>) -> bool {
    words.into_iter().any(|word| IDLE.contains(&word.as_ref()))
}

/// Whether the line runs a command that fits `pattern`: `None` if not, else whether its status
/// is the line's, or why not.
pub fn ran(analysis: &Analysis, pattern: &str) -> Option<Result<(), String>> {
    let mut found = None;
    for command in &analysis.commands {
        if !glob::matches(pattern, &command.text()) {
            continue;
        }
        let result = match &command.standing {
            _ if command.is_idle() => Err("with these arguments it tests nothing".to_owned()),
            _ if command.is_treacherous() => {
                Err("the variables set for it change what the command is".to_owned())
            }
            ExitStanding::Hidden(what) => Err(format!("its exit status is hidden by `{what}`")),
            ExitStanding::Own => Ok(()),
        };
        if result.is_ok() {
            return Some(Ok(()));
        }
        found = found.or(Some(result));
    }
    found
}
