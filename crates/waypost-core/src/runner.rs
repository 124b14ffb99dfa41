//! Test runners: which command lines run which of them, and whether all of their tests run.
//!
//! What a runner is stands in `runners/*.toml`: its equal spellings, the flags with which it tests
//! nothing, those that leave tests out. A pattern whose words name a runner means that runner, whole, in
//! any of its spellings; any other pattern is compared with the words as they are.

mod profile;
pub mod tally;

use crate::glob;
use profile::List;

mod data {
    //! What `build.rs` made of `runners/*.toml`.

    use super::profile::{Format, List, Words};
    use super::{Operands, Program, Reading, Runner, Wrapper};

    include!(concat!(env!("OUT_DIR"), "/runners.rs"));
}

/// A test runner.
#[derive(Debug)]
struct Runner {
    name: &'static str,
    /// Its equal spellings, in words.
    spellings: &'static [&'static [&'static str]],
    /// Flags of the program that may stand between the words of a spelling.
    own: &'static [&'static str],
    /// The same with a value in the next word.
    own_valued: &'static [&'static str],
    /// Variables of the environment that may leave tests out.
    variables: &'static [&'static str],
    reading: Reading,
    /// How what stands behind `--` is read, where that is different.
    after: Option<Reading>,
    /// How its output says how many tests ran; without any it may be in all ways.
    formats: List<'static>,
}

/// How the arguments of a runner are read.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// With these nothing is tested.
    idle: &'static [&'static str],
    /// These leave tests out, or may.
    narrow: &'static [&'static str],
    /// These take the next word and leave nothing out.
    valued: &'static [&'static str],
    /// Operands that leave nothing out.
    whole: &'static [&'static str],
    operands: Operands,
    /// Whether everything is tested where no operand says what.
    bare: bool,
}

/// What operands mean that nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    /// Only these are tested.
    Narrow,
    /// Nothing.
    Free,
    /// Each is something to do. The last word of a spelling is one of them.
    Targets,
}

/// A program with several names.
struct Program {
    name: &'static str,
    also: &'static [&'static str],
}

/// A program that runs the command behind it.
struct Wrapper {
    words: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
    assigns: bool,
}

/// Arguments with which a command that nobody knows tests nothing.
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

/// Flags with which a wrapper runs the command in another folder.
const ELSEWHERE: &[&str] = &["-C*", "--chdir*", "--cwd*", "--dir*", "--directory*"];
/// Variables that decide what a command name means.
const TREACHEROUS: &[&str] = &["PATH", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "IFS"];

/// A wrapper in a wrapper, this often at the most.
const MAX_WRAPPED: usize = 8;

/// A word of a command, and whether its text is all there is to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument<'a> {
    /// The text.
    pub text: &'a str,
    /// Whether it holds no variable, substitution or pattern.
    pub literal: bool,
}

impl<'a> Argument<'a> {
    /// A word that is all there is to it.
    pub fn plain(text: &'a str) -> Self {
        Self { text, literal: true }
    }

    fn is_flag(&self) -> bool {
        self.text.starts_with('-')
    }

    /// Whether the text tells what it is, also where it begins in somebody's home.
    fn is_spelt_out(&self) -> bool {
        let at_home = self.text.strip_prefix("~/");
        self.literal || at_home.is_some_and(|path| !path.contains(['$', '`', '*', '?', '[', '{']))
    }
}

/// Whether a variable decides what a command name means.
pub(crate) fn is_treacherous(variable: &str) -> bool {
    TREACHEROUS.contains(&variable) || variable.starts_with("LD_")
}

/// The commands that a gate waits for.
#[derive(Debug)]
pub struct Awaited<'p> {
    pattern: &'p str,
    runner: Option<Wanted<'p>>,
}

impl<'p> Awaited<'p> {
    /// Those that `pattern` names.
    pub fn by(pattern: &'p str) -> Self {
        Self { pattern, runner: Wanted::of(pattern) }
    }

    /// The name of the test runner that it is, if it is a known one.
    pub fn runner(&self) -> Option<&'static str> {
        self.runner.as_ref().map(|wanted| wanted.runner.name)
    }

    /// The names of the formats in which it tells how many tests ran; none if it may be any.
    fn formats(&self) -> List<'p> {
        self.runner.as_ref().map_or(List::Built(&[]), |wanted| wanted.runner.formats)
    }

    /// Whether a command is a run of it: `None` if not, else whether it counts, or why not. `variables`
    /// are the names of those that are set for it.
    pub fn fits(&self, words: &[Argument<'_>], variables: &[&str]) -> Option<Result<(), String>> {
        let Some(wanted) = &self.runner else {
            return fits_text(self.pattern, words);
        };
        let mut wrapped = Vec::new();
        let words = unwrapped(words, &mut wrapped);
        let arguments = wanted.runner.arguments(words)?;
        let has = |word: &&str| arguments.iter().any(|argument| argument.text == *word);
        if !wanted.with.iter().all(has) {
            return None;
        }
        if wrapped.iter().any(|name| is_treacherous(name)) {
            return Some(Err("the variables set for it change what the command is".to_owned()));
        }
        Some(wanted.judge(&arguments, &[&wrapped, variables].concat()))
    }
}

/// What no profile knows: the words as they are.
fn fits_text(pattern: &str, words: &[Argument<'_>]) -> Option<Result<(), String>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    if !glob::matches(pattern, &texts.join(" ")) {
        return None;
    }
    let idle = texts.iter().find(|word| IDLE.contains(word) && !pattern.contains(**word));
    Some(idle.map_or(Ok(()), |idle| Err(tests_nothing(idle))))
}

fn tests_nothing(flag: &str) -> String {
    format!("with `{flag}` it tests nothing")
}

fn leaves_out(flag: &str) -> String {
    format!("`{flag}` leaves tests out, or may")
}

/// What a pattern asks for.
#[derive(Debug)]
struct Wanted<'p> {
    runner: &'static Runner,
    /// The words that it names beyond the runner.
    with: Vec<&'p str>,
}

impl<'p> Wanted<'p> {
    fn of(pattern: &'p str) -> Option<Self> {
        let named = pattern.trim_end_matches('*');
        if named.contains(['*', '?']) {
            return None;
        }
        let words: Vec<Argument<'p>> = named.split_whitespace().map(Argument::plain).collect();
        let words = unwrapped(&words, &mut Vec::new());
        let (runner, length) = runners_of(words.first()?.text)
            .flat_map(|runner| runner.spellings.iter().map(move |spelling| (runner, spelling)))
            .filter(|(_, spelling)| begins(words, spelling))
            .map(|(runner, spelling)| (runner, spelling.len()))
            .max_by_key(|(_, length)| *length)?;
        Some(Self { runner, with: words[length..].iter().map(|word| word.text).collect() })
    }

    fn judge(&self, arguments: &[Argument<'_>], variables: &[&str]) -> Result<(), String> {
        let Runner { reading, after, variables: telling, .. } = self.runner;
        if let Some(name) = variables.iter().find(|name| any(telling, name)) {
            return Err(leaves_out(name));
        }
        let dashes = arguments.iter().position(|argument| argument.text == "--");
        let (own, behind) = match dashes {
            Some(at) => (&arguments[..at], &arguments[at + 1..]),
            None => (arguments, &arguments[..0]),
        };
        self.read(reading, own)?;
        match after {
            _ if dashes.is_none() => Ok(()),
            Some(after) => self.read(after, behind),
            None => self.read(&Reading { bare: true, ..*reading }, behind),
        }
    }

    fn read(&self, reading: &Reading, arguments: &[Argument<'_>]) -> Result<(), String> {
        let mut named = false;
        let mut words = arguments.iter().peekable();
        while let Some(word @ Argument { text, literal }) = words.next() {
            if self.with.contains(text) {
                continue;
            }
            if !literal && !word.is_flag() && !any(reading.whole, text) {
                return Err(format!("what `{text}` stands for cannot be told"));
            }
            if any(reading.idle, text) {
                return Err(tests_nothing(text));
            }
            if any(reading.narrow, text) {
                return Err(leaves_out(text));
            }
            if any(reading.valued, text) {
                // A flag is nobody's value: what it does still counts.
                words.next_if(|value| !value.is_flag());
            } else if !word.is_flag() {
                named = true;
                if reading.operands == Operands::Narrow && !any(reading.whole, text) {
                    return Err(format!("`{text}` names only a part of the tests"));
                }
            }
        }
        if !reading.bare && !named && self.with.is_empty() {
            let example = reading.whole.first().copied().unwrap_or_default();
            return Err(format!("without `{example}` it tests only a part"));
        }
        Ok(())
    }
}

impl Runner {
    /// The arguments of a command that runs it, without the words of its name.
    fn arguments<'a>(&self, words: &[Argument<'a>]) -> Option<Vec<Argument<'a>>> {
        // The longest spelling tells the most: `npm run test` is not `npm run` with an operand.
        let read = self.spellings.iter().filter_map(|spelling| {
            self.behind(spelling, words).map(|arguments| (spelling.len(), arguments))
        });
        read.max_by_key(|(length, _)| *length).map(|(_, arguments)| arguments)
    }

    fn behind<'a>(
        &self,
        spelling: &[&'static str],
        words: &[Argument<'a>],
    ) -> Option<Vec<Argument<'a>>> {
        let (program, mut names) = spelling.split_first()?;
        let (first, mut rest) = words.split_first()?;
        if !first.is_spelt_out() || !is_program(program, first.text) {
            return None;
        }
        let target = match self.reading.operands {
            Operands::Targets => {
                let (last, before) = names.split_last()?;
                names = before;
                Some(*last)
            }
            Operands::Narrow | Operands::Free => None,
        };
        let mut arguments = Vec::new();
        for name in names {
            loop {
                let (word, others) = rest.split_first()?;
                rest = others;
                if word.text == *name {
                    break;
                }
                if any(self.own_valued, word.text) {
                    rest = rest.get(1..)?;
                } else if any(self.reading.idle, word.text) || any(self.reading.narrow, word.text) {
                    // What such a flag does, it does here as well; it may take the next word.
                    arguments.push(*word);
                    let is_value = |next: &Argument<'_>| next.text != *name && !next.is_flag();
                    rest = if rest.first().is_some_and(is_value) { &rest[1..] } else { rest };
                } else if !any(self.own, word.text) {
                    return None;
                }
            }
        }
        let before = arguments.len();
        arguments.extend_from_slice(rest);
        if let Some(target) = target {
            let at = self.operands(rest).find(|at| rest[*at].text == target)?;
            arguments.remove(before + at);
        }
        Some(arguments)
    }

    /// Where the operands stand.
    fn operands<'w>(&self, words: &'w [Argument<'_>]) -> impl Iterator<Item = usize> + 'w {
        let valued = self.reading.valued;
        let mut is_value = false;
        words.iter().enumerate().filter_map(move |(at, word)| {
            if std::mem::take(&mut is_value) {
                return None;
            }
            is_value = any(valued, word.text);
            (!word.is_flag() && !is_value).then_some(at)
        })
    }
}

/// The command that wrappers run, with the variables that they set for it.
fn unwrapped<'w, 'a>(
    mut words: &'w [Argument<'a>],
    variables: &mut Vec<&'a str>,
) -> &'w [Argument<'a>] {
    for _ in 0..MAX_WRAPPED {
        let called = words.first().map_or("", |word| name_of(word.text));
        let mut known = data::WRAPPERS.iter().filter(|wrapper| wrapper.words[0] == called);
        let wrapper = known.find(|wrapper| begins(words, wrapper.words));
        let Some(wrapper) = wrapper else { break };
        let Some(command) = wrapper.command(&words[wrapper.words.len()..], variables) else {
            break;
        };
        words = command;
    }
    words
}

impl Wrapper {
    fn command<'w, 'a>(
        &self,
        mut words: &'w [Argument<'a>],
        variables: &mut Vec<&'a str>,
    ) -> Option<&'w [Argument<'a>]> {
        let mut operands = self.operands;
        loop {
            let (word, rest) = words.split_first()?;
            let assigned = word.text.split_once('=').map(|(name, _)| name);
            if word.text == "--" {
                words = rest;
                return (operands == 0 && !words.is_empty()).then_some(words);
            } else if any(ELSEWHERE, word.text) {
                return None;
            } else if any(self.valued, word.text) {
                words = rest.get(1..)?;
            } else if word.is_flag() {
                words = rest;
            } else if let Some(name) = assigned.filter(|_| self.assigns) {
                variables.push(name);
                words = rest;
            } else if operands > 0 {
                operands -= 1;
                words = rest;
            } else {
                return Some(words);
            }
        }
    }
}

/// The runners that a program has which is called like this. Most have none, and nearly every pattern and
/// command ends here.
fn runners_of(word: &str) -> impl Iterator<Item = &'static Runner> {
    let called = name_of(word);
    let also = data::PROGRAMS.iter().filter(move |program| any(program.also, called));
    let names = std::iter::once(called).chain(also.map(|program| program.name));
    let rows = names.filter_map(|name| {
        data::BY_PROGRAM.binary_search_by_key(&name, |(program, _)| program).ok()
    });
    rows.flat_map(|row| data::BY_PROGRAM[row].1).map(|at| &data::RUNNERS[*at])
}

/// A program's name without its folder.
fn name_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn begins(words: &[Argument<'_>], beginning: &[&str]) -> bool {
    let Some((program, names)) = beginning.split_first() else { return false };
    let Some((first, rest)) = words.split_first() else { return false };
    is_program(program, first.text)
        && rest.len() >= names.len()
        && names.iter().zip(rest).all(|(name, word)| *name == word.text)
}

/// Whether `word` calls a program: by its name, or by a path where programs lie.
fn is_program(name: &str, word: &str) -> bool {
    let (folder, called) =
        word.rsplit_once('/').map_or((None, word), |(at, name)| (Some(at), name));
    let own = name_of(name);
    let lies_there = match folder {
        None => !name.contains('/'),
        Some(folder) => {
            let last = folder.rsplit('/').next().unwrap_or_default();
            name.contains('/') || matches!(last, "bin" | ".bin" | "sbin" | "shims" | "Scripts")
        }
    };
    let also = || data::PROGRAMS.iter().filter(|program| program.name == own);
    lies_there && (own == called || also().any(|program| any(program.also, called)))
}

/// Whether a word fits one of a list.
fn any(list: &[&str], word: &str) -> bool {
    list.iter().any(|pattern| glob::matches(pattern, word))
}

#[cfg(test)]
mod tests;
