//! What a pattern asks for that names a runner, and whether a command is that.

use super::folder::Folders;
use super::own::{OwnRunner, Profile};
use super::profile::{List, Operands, Reading, Runner};
use super::program::{begins, is_program, runners_of};
use super::wrapped::levels;
use super::{Argument, Reach, leaves_out, tests_nothing};

/// What a pattern asks for.
#[derive(Debug)]
pub(super) struct Wanted<'p> {
    pub(super) runner: Runner<'p>,
    /// The words that it names beyond the runner.
    pub(super) with: Vec<String>,
    /// Whether a part of the tests is enough.
    pub(super) parts: bool,
}

/// A command that runs a runner, without the words of its name.
#[derive(Debug)]
pub(super) struct Called<'a> {
    pub(super) arguments: Vec<Argument<'a>>,
    pub(super) folders: Folders<'a>,
    pub(super) everywhere: bool,
}

impl<'p> Wanted<'p> {
    pub(super) fn of(pattern: &'p str, own: &'p [Profile]) -> Option<Self> {
        let named = pattern.trim_end_matches('*');
        if named.contains(['*', '?']) {
            return None;
        }
        let words = split(named);
        let words: Vec<Argument<'_>> = words.iter().map(|word| Argument::plain(word)).collect();
        let levels = levels(&words, own);
        let (level, runner, length) = levels.iter().find_map(|level| {
            let first = level.words.first()?.text;
            // What a built-in profile means, no other can change.
            let built = longest(level.words, runners_of(first).copied());
            let own = || {
                let runners = own.iter().flat_map(|profile| &profile.runners);
                longest(level.words, runners.map(OwnRunner::runner))
            };
            let (runner, length) = built.or_else(own)?;
            Some((level, runner, length))
        })?;
        // Which folder is meant, only the words as they are tell.
        if !level.folders.is_empty() {
            return None;
        }
        let with = level.words[length..].iter().map(|word| word.text.to_owned()).collect();
        Some(Self { runner, with, parts: false })
    }

    /// Whether the arguments have all words that the pattern names beyond the runner.
    pub(super) fn is_asked_for(&self, arguments: &[Argument<'_>]) -> bool {
        let Runner { reading, everywhere, .. } = &self.runner;
        self.with.iter().all(|word| {
            let is_whole = reading.is_whole(word);
            // Where a part is enough, what asks for all may be absent.
            let is_too_much = self.parts && (is_whole || everywhere.has(word));
            is_too_much
                || arguments.iter().any(|argument| {
                    let prints_all = !argument.literal && reading.is_whole(argument.text);
                    plain_path(argument.text) == plain_path(word) || (is_whole && prints_all)
                })
        })
    }

    /// Whether a command that runs the runner counts, and what it reaches.
    pub(super) fn judge(&self, called: &Called<'_>, variables: &[&str]) -> Result<Reach, String> {
        let Runner { reading, after, variables: telling, tops, .. } = &self.runner;
        if let Some(name) = variables.iter().find(|name| telling.has(name)) {
            return Err(leaves_out(name));
        }
        let arguments = &called.arguments;
        let dashes = arguments.iter().position(|argument| argument.text == "--");
        let (own, behind) = match dashes {
            Some(at) => (&arguments[..at], &arguments[at + 1..]),
            None => (arguments.as_slice(), &arguments[..0]),
        };
        let mut below = self.read(reading, own)?;
        if dashes.is_some() {
            let behind_it = after.unwrap_or(Reading { bare: true, ..*reading });
            below &= self.read(&behind_it, behind)?;
        }
        Ok(Reach {
            everywhere: called.everywhere,
            tops: tops.iter().map(str::to_owned).collect(),
            below,
            elsewhere: called.folders.joined()?,
        })
    }

    /// Whether the arguments let it test everything, in folders below as well; or why not.
    fn read(&self, reading: &Reading<'_>, arguments: &[Argument<'_>]) -> Result<bool, String> {
        let mut named = false;
        let mut words = arguments.iter().peekable();
        while let Some(word @ Argument { text, literal }) = words.next() {
            if self.with.iter().any(|word| plain_path(word) == plain_path(text)) {
                continue;
            }
            let is_part = self.parts && word.is_pattern();
            if !literal && !word.is_flag() && !reading.is_whole(text) && !is_part {
                return Err(format!("what `{text}` stands for cannot be told"));
            }
            if self.runner.is_said(reading.idle, reading, text) {
                return Err(tests_nothing(text));
            }
            if self.runner.is_said(reading.narrow, reading, text) {
                if !self.parts {
                    return Err(leaves_out(text));
                }
            } else if reading.valued.has(text) {
                // A flag is nobody's value: what it does still counts.
                words.next_if(|value| !value.is_flag());
            } else if !word.is_flag() {
                named = true;
                let is_narrow = reading.operands == Operands::Narrow && !reading.is_whole(text);
                if is_narrow && !self.parts {
                    return Err(format!("`{text}` names only a part of the tests"));
                }
            }
        }
        let is_whole = reading.bare || named || !self.with.is_empty();
        if !is_whole && !self.parts {
            let example = reading.whole.iter().next().unwrap_or_default();
            return Err(format!("without `{example}` it tests only a part"));
        }
        Ok(is_whole)
    }
}

/// Whether a word is the beginning of one of these long flags.
fn is_short_for(flags: List<'_>, word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    let is_begun = |flag: &str| {
        let flag = flag.split(['=', ' ', '*']).next().unwrap_or_default();
        flag.len() > name.len() && flag.starts_with(name)
    };
    name.len() > 4 && name.starts_with("--") && flags.iter().any(is_begun)
}

/// A word as paths are written shortest: `./tests/` is `tests`.
fn plain_path(word: &str) -> &str {
    let plain = word.strip_prefix("./").unwrap_or(word);
    let plain = plain.strip_suffix('/').unwrap_or(plain);
    if plain.is_empty() { word } else { plain }
}

/// The words of a pattern. What stands in quotes is one.
pub(super) fn split(pattern: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quote, mut within) = (None, false);
    for c in pattern.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c.is_whitespace() => {
                within = false;
                continue;
            }
            _ => {}
        }
        if !within {
            words.push(String::new());
            within = true;
        }
        let is_quote = matches!(c, '"' | '\'') && quote.is_none_or(|open| open == c);
        if let Some(word) = words.last_mut().filter(|_| !is_quote) {
            word.push(c);
        }
    }
    words
}

/// The runner that a command runs, or what it runs as a wrapper.
pub(super) fn called<'p>(words: &[Argument<'_>], own: &'p [Profile]) -> Option<Runner<'p>> {
    levels(words, own).iter().find_map(|level| {
        let mut longest: Option<(usize, Runner<'p>)> = None;
        let mut consider = |runner: Runner<'p>| {
            let length = runner.said_by(level.words);
            if length > longest.as_ref().map(|(length, _)| *length) {
                longest = length.map(|length| (length, runner));
            }
        };
        runners_of(level.words.first()?.text).for_each(|runner| consider(*runner));
        let own = own.iter().flat_map(|profile| &profile.runners);
        own.for_each(|runner| consider(runner.runner()));
        longest.map(|(_, runner)| runner)
    })
}

/// The runner with the longest spelling that a command begins with, and how long that is.
fn longest<'p>(
    words: &[Argument<'_>],
    runners: impl Iterator<Item = Runner<'p>>,
) -> Option<(Runner<'p>, usize)> {
    let spelt = runners.filter_map(|runner| {
        let lengths = runner.spellings.iter().filter_map(|spelling| begins(words, spelling));
        lengths.max().map(|length| (runner, length))
    });
    spelt.max_by_key(|(_, length)| *length)
}

impl Runner<'_> {
    /// Whether a word is one of these flags, or says one of them among others, or begins like one.
    fn is_said(&self, flags: List<'_>, reading: &Reading<'_>, word: &str) -> bool {
        flags.has(word)
            || self.is_among_letters(flags, word)
            || (self.abbreviates && !reading.valued.has(word) && is_short_for(flags, word))
    }

    /// Whether one of these flags is among the letters of a word such as `-vk`.
    fn is_among_letters(&self, flags: List<'_>, word: &str) -> bool {
        let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
            return false;
        };
        for (at, letter) in letters.chars().enumerate() {
            let flag = ['-', letter].iter().collect::<String>();
            if at > 0 && flags.has(&flag) {
                return true;
            }
            if !self.switches.has(&flag) {
                return false;
            }
        }
        false
    }

    /// How many words the longest of its spellings has that a command is.
    fn said_by(&self, words: &[Argument<'_>]) -> Option<usize> {
        let lengths = self.spellings.iter().filter_map(|spelling| {
            let names: Vec<&str> = spelling.split_whitespace().collect();
            self.behind(&names, words).map(|_| names.len())
        });
        lengths.max()
    }

    /// What a command does that runs it.
    pub(super) fn called<'a>(&self, words: &[Argument<'a>]) -> Option<Called<'a>> {
        // The longest spelling tells the most: `npm run test` is not `npm run` with an operand.
        let read = self.spellings.iter().filter_map(|spelling| {
            let names: Vec<&str> = spelling.split_whitespace().collect();
            self.behind(&names, words).map(|called| (names.len(), called))
        });
        read.max_by_key(|(length, _)| *length).map(|(_, called)| called)
    }

    fn behind<'a>(&self, spelling: &[&str], words: &[Argument<'a>]) -> Option<Called<'a>> {
        let (program, mut names) = spelling.split_first()?;
        let (first, mut rest) = words.split_first()?;
        if !first.is_spelt_out() || !is_program(program, first.text) {
            return None;
        }
        let mut target = None;
        if self.reading.operands == Operands::Targets {
            let (last, before) = names.split_last()?;
            (target, names) = (Some(*last), before);
        }
        let everywhere = self.everywhere.iter().any(|word| word == "*");
        let mut called = Called { arguments: Vec::new(), folders: Folders::default(), everywhere };
        for name in names {
            loop {
                let (word, others) = rest.split_first()?;
                called.everywhere |= self.everywhere.has(word.text);
                if word.text == *name {
                    rest = others;
                    break;
                }
                rest = self.between(name, rest, &mut called)?;
            }
        }
        let before = called.arguments.len();
        self.add(rest, &mut called);
        if let Some(target) = target {
            let arguments = &called.arguments[before..];
            let at = self.operands(arguments).find(|at| arguments[*at].text == target)?;
            called.arguments.remove(before + at);
        }
        Some(called)
    }

    /// What is left behind a flag that stands before `name`, a word of a spelling.
    fn between<'w, 'a>(
        &self,
        name: &str,
        words: &'w [Argument<'a>],
        called: &mut Called<'a>,
    ) -> Option<&'w [Argument<'a>]> {
        let (word, rest) = words.split_first()?;
        if let Some(length) = self.folder(words, &mut called.folders) {
            return words.get(length..);
        }
        if self.own_valued.has(word.text) {
            return rest.get(1..);
        }
        if self.reading.idle.has(word.text) || self.reading.narrow.has(word.text) {
            // What such a flag does, it does here as well; it may take the next word.
            called.arguments.push(*word);
            let is_value = |next: &Argument<'_>| next.text != name && !next.is_flag();
            return Some(if rest.first().is_some_and(is_value) { &rest[1..] } else { rest });
        }
        self.own.has(word.text).then_some(rest)
    }

    /// Adds what stands behind its name.
    fn add<'a>(&self, mut words: &[Argument<'a>], called: &mut Called<'a>) {
        let mut is_own = !self.hands_on;
        while let Some((word, rest)) = words.split_first() {
            is_own &= word.text != "--";
            let length = if is_own { self.folder(words, &mut called.folders) } else { None };
            called.everywhere |= is_own && self.everywhere.has(word.text);
            if length.is_none() {
                called.arguments.push(*word);
            }
            words = length.map_or(rest, |length| &words[length..]);
        }
    }

    fn folder<'a>(&self, words: &[Argument<'a>], folders: &mut Folders<'a>) -> Option<usize> {
        let file = folders.take_file(self.file, words);
        file.or_else(|| folders.take(self.folder, words))
    }

    /// Where the operands stand.
    fn operands(&self, words: &[Argument<'_>]) -> impl Iterator<Item = usize> {
        let valued = self.reading.valued;
        let mut is_value = false;
        words.iter().enumerate().filter_map(move |(at, word)| {
            if std::mem::take(&mut is_value) {
                return None;
            }
            is_value = valued.has(word.text);
            (!word.is_flag() && !is_value).then_some(at)
        })
    }
}
