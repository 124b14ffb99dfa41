//! Arguments taken apart the way that getopt does: options, their values, operands.

use super::Word;

/// A text of a command line, and whether it is all there is to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spelt<'a> {
    pub(super) text: &'a str,
    pub(super) literal: bool,
}

impl Spelt<'_> {
    pub(super) fn to_word(self) -> Word {
        Word { text: self.text.to_owned(), literal: self.literal }
    }
}

impl Word {
    pub(super) fn spelt(&self) -> Spelt<'_> {
        Spelt { text: &self.text, literal: self.literal }
    }
}

/// Which options of a program take values.
pub(super) struct OptionSpec {
    /// Letters that take the rest of their word or else the next word.
    pub(super) valued: &'static str,
    /// Letters that take the rest of their word, even if it is empty.
    pub(super) attached: &'static str,
    /// Long options that take the next word, unless `=` is in theirs.
    pub(super) long: &'static [&'static str],
}

/// A program whose options take no values.
pub(super) const PLAIN: OptionSpec = OptionSpec { valued: "", attached: "", long: &[] };

/// One argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arg<'a> {
    /// `-x`, with its value.
    Short(char, Option<Spelt<'a>>),
    /// `--name`, with its value.
    Long(&'a str, Option<Spelt<'a>>),
    /// Anything else.
    Operand(Spelt<'a>),
}

impl Arg<'_> {
    /// Whether it is the long option `name`, which may be cut short as far as it stays clear.
    pub(super) fn is_long(&self, name: &str) -> bool {
        matches!(self, Self::Long(given, _) if is_short_for(given, name))
    }
}

fn is_short_for(given: &str, name: &str) -> bool {
    // These are options of their own beside `--backup-dir` and `--partial-dir`.
    let own = matches!(given, "" | "backup" | "partial");
    given == name || (!own && name.starts_with(given))
}

/// Reads `words`, which follow a program's name.
pub(super) struct Args<'a> {
    words: &'a [Word],
    spec: &'a OptionSpec,
    /// The next word.
    pub(super) at: usize,
    cluster: Spelt<'a>,
    ended: bool,
}

impl<'a> Args<'a> {
    pub(super) fn new(words: &'a [Word], spec: &'a OptionSpec) -> Self {
        let cluster = Spelt { text: "", literal: true };
        Self { words, spec, at: 0, cluster, ended: false }
    }

    fn word(&mut self) -> Option<Spelt<'a>> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word.spelt())
    }

    fn letter(&mut self, letter: char) -> Arg<'a> {
        let rest = Spelt { text: &self.cluster.text[letter.len_utf8()..], ..self.cluster };
        let given = Some(rest).filter(|rest| !rest.text.is_empty());
        let value = if self.spec.attached.contains(letter) {
            given
        } else if self.spec.valued.contains(letter) {
            given.or_else(|| self.word())
        } else {
            self.cluster = rest;
            return Arg::Short(letter, None);
        };
        self.cluster.text = "";
        Arg::Short(letter, value)
    }
}

impl<'a> Iterator for Args<'a> {
    type Item = Arg<'a>;

    fn next(&mut self) -> Option<Arg<'a>> {
        if let Some(letter) = self.cluster.text.chars().next() {
            return Some(self.letter(letter));
        }
        let mut word = self.word()?;
        if word.text == "--" && !self.ended {
            self.ended = true;
            word = self.word()?;
        }
        let option = word.text.strip_prefix('-').filter(|rest| !self.ended && !rest.is_empty());
        let Some(option) = option else {
            return Some(Arg::Operand(word));
        };
        let Some(long) = option.strip_prefix('-') else {
            self.cluster = Spelt { text: option, ..word };
            return self.next();
        };
        if let Some((name, value)) = long.split_once('=') {
            return Some(Arg::Long(name, Some(Spelt { text: value, ..word })));
        }
        let valued = self.spec.long.iter().any(|name| is_short_for(long, name));
        let value = if valued { self.word() } else { None };
        Some(Arg::Long(long, value))
    }
}

/// The operands among `words`.
pub(super) fn operands<'a>(
    words: &'a [Word],
    spec: &'a OptionSpec,
) -> impl Iterator<Item = Spelt<'a>> + use<'a> {
    Args::new(words, spec).filter_map(|arg| match arg {
        Arg::Operand(word) => Some(word),
        Arg::Short(..) | Arg::Long(..) => None,
    })
}
