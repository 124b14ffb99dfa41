//! Which git subcommand a simple command runs, aliases included.

use std::cell::{Cell, RefCell};

use super::git_call::{GitCall, is_idle};
use super::git_own::is_own;
use super::staging::{GitPlace, Place, Stagings};
use super::{Analysis, Simple, Word, analyse};

/// Aliases of aliases are followed so far.
const MAX_ALIASES: usize = 10;
/// In one line so many aliases are followed.
const MAX_LOOKUPS: usize = 64;

/// What a gate can stand before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitDeed {
    Commit,
    Push,
}

impl GitDeed {
    fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Push => "push",
        }
    }

    /// Whether git's own `sub` does it.
    fn is_done_by(self, sub: &str, args: &[Word]) -> bool {
        let first = args.first().map(|word| word.text.as_str());
        match self {
            Self::Commit => sub == "commit" && !is_idle(sub, args),
            Self::Push => match sub {
                "push" => !is_idle(sub, args),
                "send-pack" | "http-push" => true,
                "subtree" => {
                    first == Some("push") || args.first().is_some_and(|word| !word.literal)
                }
                _ => false,
            },
        }
    }
}

/// What is asked about a line's git commands.
pub(super) enum Asked<'a> {
    /// Where one of them does this, or could.
    Deed(GitDeed, &'a RefCell<Vec<GitPlace>>),
    /// What they stage, as far as that is clear.
    Staging(&'a RefCell<Stagings>),
}

impl Asked<'_> {
    /// One of git's own commands. Whether nothing else has to be looked at.
    fn own(&self, sub: &str, args: &[Word], place: &Place) -> bool {
        match self {
            Self::Deed(deed, found) => {
                if deed.is_done_by(sub, args) {
                    found.borrow_mut().push(place.clone().told());
                }
                false
            }
            Self::Staging(found) => {
                found.borrow_mut().add(sub, args, place);
                false
            }
        }
    }

    /// Nobody can tell what it is.
    fn unclear(&self) -> bool {
        let Self::Deed(_, found) = self else { return false };
        found.borrow_mut().push(GitPlace::default());
        true
    }
}

/// Finds out what a line's git commands do.
pub(super) struct AliasSearch<'a> {
    asked: Asked<'a>,
    aliases: &'a dyn Fn(&str) -> Option<String>,
    lookups: Cell<usize>,
}

impl<'a> AliasSearch<'a> {
    pub(super) fn new(asked: Asked<'a>, aliases: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { asked, aliases, lookups: Cell::new(0) }
    }

    /// Looks at all of a line.
    pub(super) fn line(&self, line: &Analysis) {
        self.line_from(line, false, 0);
    }

    fn line_from(&self, line: &Analysis, from_top: bool, depth: usize) -> bool {
        if line.opaque.is_some() && self.asked.unclear() {
            return true;
        }
        line.commands.iter().any(|command| self.command(line, command, from_top, depth))
    }

    fn command(&self, line: &Analysis, command: &Simple, from_top: bool, depth: usize) -> bool {
        match command.name() {
            Some(name) if name == "git" || name.starts_with("git-") => {
                let moved = line.tampering.moves_config;
                let place = Place::of(command, from_top);
                self.call(line, &command.words, place, moved, depth)
            }
            Some(_) => false,
            None => self.unclear(line, command),
        }
    }

    /// A command out of a variable: taken for git when it is told to do what git does.
    fn unclear(&self, line: &Analysis, command: &Simple) -> bool {
        let Asked::Deed(deed, _) = self.asked else { return false };
        let Some((first, rest)) = command.words.split_first() else { return false };
        let held = match deed {
            GitDeed::Commit => line.tampering.held.commit,
            GitDeed::Push => line.tampering.held.push,
        };
        let name = deed.name();
        let could = held
            || rest.iter().any(|word| word.text == name)
            || (first.text.contains('{') && first.text.contains(name));
        could && self.asked.unclear()
    }

    fn call(
        &self,
        line: &Analysis,
        words: &[Word],
        mut place: Place,
        moved: bool,
        depth: usize,
    ) -> bool {
        let call = GitCall::of(words);
        let Some(sub) = call.sub else { return false };
        if !sub.literal {
            return self.asked.unclear();
        }
        place.enter(&call);
        if self.asked.own(sub.text, call.args, &place) {
            return true;
        }
        if is_own(sub.text) {
            return false;
        }
        if depth >= MAX_ALIASES || self.lookups.get() >= MAX_LOOKUPS {
            return self.asked.unclear();
        }
        self.lookups.set(self.lookups.get() + 1);
        if moved || call.is_treacherous() {
            return self.asked.unclear();
        }
        let is_name = |name: &str| name.eq_ignore_ascii_case(sub.text);
        let defined = line.tampering.aliases.iter().filter(|(name, _)| is_name(name));
        let mut found = call.alias(sub.text).into_iter().chain(defined.map(|(_, to)| to.spelt()));
        let asked = (self.aliases)(sub.text);
        let follow = |alias: &str| self.alias(line, alias, call.args, &place, depth);
        found.any(|alias| if alias.literal { follow(alias.text) } else { self.asked.unclear() })
            || asked.is_some_and(|alias| follow(&alias))
    }

    fn alias(
        &self,
        line: &Analysis,
        alias: &str,
        args: &[Word],
        place: &Place,
        depth: usize,
    ) -> bool {
        if let Some(command) = alias.trim_start().strip_prefix('!') {
            // Git runs it in the top folder, with the arguments behind it.
            let inner = analyse(&format!("{command} \"$@\""));
            return self.line_from(&inner, true, depth + 1);
        }
        let Some(mut words) = split(alias) else { return self.asked.unclear() };
        words.insert(0, Word { text: "git".to_owned(), literal: true });
        words.extend_from_slice(args);
        self.call(line, &words, place.clone(), false, depth + 1)
    }
}

/// An alias' words; `None` if they cannot be told, and then git refuses it.
fn split(alias: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = alias.chars();
    while let Some(c) = chars.next() {
        match c {
            _ if quote == Some(c) => quote = None,
            '\'' | '"' if quote.is_none() => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            '\\' if quote != Some('\'') => word.get_or_insert_default().push(chars.next()?),
            c if c.is_whitespace() && quote.is_none() => {
                words.extend(word.take().map(|text| Word { text, literal: true }));
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(|text| Word { text, literal: true }));
    quote.is_none().then_some(words)
}
