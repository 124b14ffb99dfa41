//! What wrappers run: `timeout 60 nice uv run pytest` is `pytest`.

use super::folder::Folders;
use super::own::{OwnWrapper, Profile};
use super::profile::{List, Wrapper};
use super::program::{is_program, name_of};
use super::{Argument, data};

/// Flags with which a wrapper may run the command in another folder.
const ELSEWHERE: List<'static> =
    List::Built(&["-C*", "--chdir*", "--cwd*", "--dir*", "--directory*"]);
/// Flags with which any of them runs nothing.
const IDLE: List<'static> = List::Built(&["--help", "--version"]);

/// A wrapper in a wrapper, this often at the most.
const MAX_WRAPPED: usize = 8;

/// A command, and what wrappers do to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Wrapped<'w, 'a> {
    pub(super) words: &'w [Argument<'a>],
    /// The variables that they set for it.
    pub(super) variables: Vec<&'a str>,
    /// The folders that they run it in.
    pub(super) folders: Folders<'a>,
    /// A flag with which one of them does not run it.
    pub(super) idle: Option<&'a str>,
    /// Why it proves nothing, whatever it is.
    pub(super) objection: Option<String>,
}

/// A command, then what it runs as a wrapper, what that runs, and so on.
pub(super) fn levels<'w, 'a>(words: &'w [Argument<'a>], own: &[Profile]) -> Vec<Wrapped<'w, 'a>> {
    let mut levels = vec![Wrapped { words, ..Wrapped::default() }];
    while let Some(outer) = levels.last().filter(|_| levels.len() <= MAX_WRAPPED) {
        let called = outer.words.first().map_or("", |word| name_of(word.text));
        let built = data::WRAPPERS.iter().filter(|wrapper| wrapper.is_called(called)).copied();
        let own = own.iter().flat_map(|profile| &profile.wrappers).map(OwnWrapper::wrapper);
        let Some(inner) = built.chain(own).find_map(|wrapper| wrapper.command(outer)) else {
            break;
        };
        levels.push(inner);
    }
    levels
}

impl Wrapper<'_> {
    fn is_called(&self, name: &str) -> bool {
        let rest = self.words.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    /// The command that it runs, if `outer` is a call of it.
    fn command<'w, 'a>(&self, outer: &Wrapped<'w, 'a>) -> Option<Wrapped<'w, 'a>> {
        let (mut inner, mut names) = (outer.clone(), self.words.split_whitespace());
        let (first, rest) = outer.words.split_first()?;
        if !is_program(names.next()?, first.text) {
            return None;
        }
        inner.words = rest;
        for name in names {
            while inner.words.first()?.text != name {
                self.pass_flag(&mut inner)?;
            }
            inner.words = &inner.words[1..];
        }
        self.pass_operands(&mut inner)?;
        if !self.objection.is_empty() {
            inner.objection = Some(self.objection.to_owned());
        }
        (!inner.words.is_empty()).then_some(inner)
    }

    fn pass_operands(&self, inner: &mut Wrapped<'_, '_>) -> Option<()> {
        let mut operands = self.operands;
        loop {
            let word = *inner.words.first()?;
            let assigned = word.text.split_once('=').map(|(name, _)| name);
            if word.text == "--" {
                inner.words = &inner.words[1..];
                return (operands == 0).then_some(());
            }
            if self.pass_flag(inner).is_some() {
                continue;
            }
            if word.is_flag() {
                return None;
            }
            if let Some(name) = assigned.filter(|_| self.assigns) {
                inner.variables.push(name);
            } else if operands > 0 {
                operands -= 1;
            } else {
                return Some(());
            }
            inner.words = &inner.words[1..];
        }
    }

    /// Takes a flag away, and its value; or what stands for no command.
    fn pass_flag(&self, inner: &mut Wrapped<'_, '_>) -> Option<()> {
        let word = *inner.words.first()?;
        if let Some(length) = inner.folders.take(self.folder, inner.words) {
            inner.words = inner.words.get(length..)?;
            return Some(());
        }
        let is_valued = self.valued.has(word.text);
        if !is_valued && ELSEWHERE.has(word.text) {
            return None;
        }
        if !word.is_flag() && !self.skipped.has(word.text) {
            return None;
        }
        if !is_valued && (IDLE.has(word.text) || self.idle.has(word.text)) {
            inner.idle = Some(word.text);
        }
        inner.words = inner.words.get(1 + usize::from(is_valued)..)?;
        Some(())
    }
}
