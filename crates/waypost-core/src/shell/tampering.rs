//! What a line does about the meaning of what else is in it.

use super::Word;
use super::folder::Folders;

/// No more values than these are kept.
const MAX_VALUES: usize = 64;

/// Words that variables hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct HeldWords {
    pub(super) commit: bool,
    pub(super) push: bool,
}

/// What a line assigns and defines that could make a command of it something else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tampering {
    /// What variables hold.
    pub(super) held: HeldWords,
    /// Functions are defined, whose arguments are variables.
    pub(super) has_functions: bool,
    /// Something was read that may change files.
    pub(super) acts: bool,
    /// Git is told to look for its configuration somewhere else.
    pub(super) moves_config: bool,
    /// Git aliases that the line itself defines.
    pub(super) aliases: Vec<(String, Word)>,
    /// What variables are given, by their names.
    pub(super) values: Vec<(String, String)>,
}

impl Tampering {
    /// A variable is assigned in `word`.
    pub(super) fn assign(&mut self, name: &str, word: &str, folders: &mut Folders) {
        self.hold(word);
        if let Some((_, value)) = word.split_once('=') {
            self.give(name, value);
        }
        self.moves_config |= name.starts_with("GIT_CONFIG")
            || matches!(name, "HOME" | "XDG_CONFIG_HOME" | "GIT_EXEC_PATH");
        folders.treacherous |= name == "CDPATH";
    }

    /// A variable gets this value, beside others that it may have.
    pub(super) fn give(&mut self, name: &str, value: &str) {
        if self.values.len() < MAX_VALUES {
            self.values.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Whether the variable is given a value.
    pub(super) fn gives(&self, name: &str) -> bool {
        self.values.iter().any(|(given, _)| given == name)
    }

    /// A variable holds `text`.
    pub(super) fn hold(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
            self.held.commit |= word == "commit";
            self.held.push |= word == "push";
        }
    }
}
