//! What wrappers run: `timeout 60 nice uv run pytest` is `pytest`.

use super::Argument;
use super::data;
use super::folder::Folders;
use super::own::Profile;
use super::profile::{List, Wrapper};
use super::program::{begins, name_of};

/// Flags with which a wrapper may run the command in another folder.
const ELSEWHERE: List<'static> =
    List::Built(&["-C*", "--chdir*", "--cwd*", "--dir*", "--directory*"]);

/// A wrapper in a wrapper, this often at the most.
const MAX_WRAPPED: usize = 8;

/// A command, and what wrappers do to it.
#[derive(Debug, Clone)]
pub(super) struct Wrapped<'w, 'a> {
    pub(super) words: &'w [Argument<'a>],
    /// The variables that they set for it.
    pub(super) variables: Vec<&'a str>,
    /// The folders that they run it in.
    pub(super) folders: Folders<'a>,
}

/// The command that wrappers run.
pub(super) fn unwrapped<'w, 'a>(words: &'w [Argument<'a>], own: &[Profile]) -> Wrapped<'w, 'a> {
    let mut command = Wrapped { words, variables: Vec::new(), folders: Folders::default() };
    for _ in 0..MAX_WRAPPED {
        let called = command.words.first().map_or("", |word| name_of(word.text));
        let built = data::WRAPPERS.iter().filter(|wrapper| wrapper.is_called(called)).copied();
        let own = own.iter().flat_map(|profile| &profile.wrappers).map(|own| own.wrapper());
        let mut known = built.chain(own);
        let inner = known.find_map(|wrapper| {
            let length = begins(command.words, wrapper.words)?;
            Some(wrapper.command(&command.words[length..]))
        });
        let Some(Some(inner)) = inner else { break };
        command.words = inner.words;
        command.variables.extend(inner.variables);
        command.folders.extend(inner.folders);
    }
    command
}

impl Wrapper<'_> {
    fn is_called(&self, name: &str) -> bool {
        let rest = self.words.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    fn command<'w, 'a>(&self, mut words: &'w [Argument<'a>]) -> Option<Wrapped<'w, 'a>> {
        let (mut variables, mut folders) = (Vec::new(), Folders::default());
        let mut operands = self.operands;
        loop {
            let (word, rest) = words.split_first()?;
            let assigned = word.text.split_once('=').map(|(name, _)| name);
            if word.text == "--" {
                let is_there = operands == 0 && !rest.is_empty();
                return is_there.then_some(Wrapped { words: rest, variables, folders });
            } else if let Some(length) = folders.take(self.folder, words) {
                words = &words[length..];
            } else if self.valued.has(word.text) {
                words = rest.get(1..)?;
            } else if ELSEWHERE.has(word.text) {
                return None;
            } else if word.is_flag() {
                words = rest;
            } else if let Some(name) = assigned.filter(|_| self.assigns) {
                variables.push(name);
                words = rest;
            } else if operands > 0 {
                operands -= 1;
                words = rest;
            } else {
                return Some(Wrapped { words, variables, folders });
            }
        }
    }
}
