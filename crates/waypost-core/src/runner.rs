//! Test runners: which command lines run which of them, and whether all of their tests run.
//!
//! What a runner is stands in `runners/*.toml`: its equal spellings, the flags with which it tests
//! nothing, those that leave tests out. A pattern whose words name a runner means that runner, whole, in
//! any of its spellings; any other pattern is compared with the words as they are.

pub mod clash;
mod folder;
pub mod own;
mod profile;
mod program;
pub mod tally;
mod wanted;
mod wrapped;

use crate::glob;
pub use own::Profile;
use profile::List;
pub use profile::Operands;
use wanted::Wanted;
use wrapped::{Wrapped, levels};

mod data {
    //! What `build.rs` made of `runners/*.toml`.

    use super::profile::{Format, List, Operands, Program, Reading, Runner, Words, Wrapper};

    include!(concat!(env!("OUT_DIR"), "/runners.rs"));
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

/// Variables that decide what a command name means.
const TREACHEROUS: &[&str] = &["PATH", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "IFS"];

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

    /// Whether it stands for names of files, and for nothing else.
    fn is_pattern(&self) -> bool {
        !self.literal && !self.text.contains(['$', '`']) && !self.text.starts_with(['*', '?', '['])
    }

    /// Whether the text tells what it is, also where it begins in somebody's home.
    fn is_spelt_out(&self) -> bool {
        let at_home = self.text.strip_prefix("~/");
        self.literal || at_home.is_some_and(|path| !path.contains(['$', '`', '*', '?', '[', '{']))
    }
}

/// The command that a pattern spells out, if it does: what `*` at its end stands for is left out.
pub fn spelt_out(pattern: &str) -> Option<&str> {
    let command = pattern.trim_end_matches('*').trim_end();
    (!command.is_empty() && !command.contains(['*', '?'])).then_some(command)
}

/// The command that wrappers run, as far as they run it here and now, with nothing set that changes what it
/// is.
pub(crate) fn unwrapped<'w, 'a>(words: &'w [Argument<'a>]) -> &'w [Argument<'a>] {
    let is_plain = |level: &Wrapped<'_, '_>| {
        let is_same = level.variables.iter().all(|name| !is_treacherous(name));
        is_same && level.idle.is_none() && level.objection.is_none() && level.folders.is_empty()
    };
    let innermost = levels(words, &[]).pop().filter(is_plain);
    innermost.map_or(words, |command| command.words)
}

/// The test runner that a command runs, whatever becomes of that, as a pattern that means all that it tests; none if it
/// runs none that is known.
pub fn called<'p>(words: &[Argument<'_>], own: &'p [Profile]) -> Option<&'p str> {
    wanted::called(words, own).and_then(|runner| runner.spellings.iter().next())
}

/// Whether a variable decides what a command name means.
pub fn is_treacherous(variable: &str) -> bool {
    TREACHEROUS.contains(&variable) || variable.starts_with("LD_")
}

/// How much of a project a run tests that is started in some folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Whether its words say that it tests the whole workspace, from wherever it is.
    pub everywhere: bool,
    /// The files by which the runner finds the folder that it works in, looking upwards. Without any it is
    /// the folder that it is started in.
    pub tops: Vec<String>,
    /// Whether it tests what lies in folders below, too.
    pub below: bool,
    /// A folder that its own words name, seen from the one that it is started in.
    pub elsewhere: Option<String>,
}

/// The commands that a gate waits for.
#[derive(Debug)]
pub struct Awaited<'p> {
    pattern: &'p str,
    own: &'p [Profile],
    runner: Option<Wanted<'p>>,
}

impl<'p> Awaited<'p> {
    /// Those that `pattern` names, with the profiles that the project has of its own.
    pub fn by(pattern: &'p str, own: &'p [Profile]) -> Self {
        Self { pattern, own, runner: Wanted::of(pattern, own) }
    }

    /// The same where a part of the tests is enough. What tests nothing still does not count.
    #[must_use]
    pub fn with_parts(mut self) -> Self {
        if let Some(wanted) = &mut self.runner {
            wanted.parts = true;
        }
        self
    }

    /// The name of the test runner that it is, if it is a known one.
    pub fn runner(&self) -> Option<&'p str> {
        self.runner.as_ref().map(|wanted| wanted.runner.name)
    }

    /// The flags with which it goes on after a failure and tells of every test, where it would not.
    pub fn in_full(&self) -> impl Iterator<Item = &'p str> {
        self.runner.as_ref().map_or(List::Built(&[]), |wanted| wanted.runner.in_full).iter()
    }

    /// The names of the formats in which it tells how many tests ran; none if it may be any.
    fn formats(&self) -> List<'p> {
        self.runner.as_ref().map_or(List::Built(&[]), |wanted| wanted.runner.formats)
    }

    /// Whether a command is a run of it: `None` if not, else what it reaches, or why it does not count.
    /// `variables` are the names of those that are set for it.
    pub fn fits(
        &self,
        words: &[Argument<'_>],
        variables: &[&str],
    ) -> Option<Result<Reach, String>> {
        let Some(wanted) = &self.runner else {
            return fits_text(self.pattern, words);
        };
        let (mut command, mut called) = levels(words, self.own)
            .into_iter()
            .find_map(|level| wanted.runner.called(level.words).map(|called| (level, called)))?;
        if !wanted.is_asked_for(&called.arguments) {
            return None;
        }
        if command.variables.iter().any(|name| is_treacherous(name)) {
            return Some(Err("the variables set for it change what the command is".to_owned()));
        }
        if let Some(why) = command.objection.or(command.idle.map(tests_nothing)) {
            return Some(Err(why));
        }
        command.folders.extend(called.folders);
        called.folders = command.folders;
        Some(wanted.judge(&called, &[&command.variables, variables].concat()))
    }
}

/// What a command that runs something consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts<'a> {
    /// How many of its words stand before the runner.
    pub before: usize,
    /// The arguments of the runner that nobody asked for.
    pub more: Vec<&'a str>,
}

impl Awaited<'_> {
    /// What a command consists of that is a run of it, where its runner is known.
    pub fn parts<'a>(&self, words: &[Argument<'a>]) -> Option<Parts<'a>> {
        let wanted = self.runner.as_ref()?;
        let (command, called) = levels(words, self.own).into_iter().find_map(|level| {
            wanted.runner.called(level.words).map(|called| (level.words, called))
        })?;
        let texts = called.arguments.iter().map(|argument| argument.text);
        let more = texts.filter(|text| !wanted.with.iter().any(|word| word == text)).collect();
        Some(Parts { before: words.len() - command.len(), more })
    }
}

/// What no profile knows: the words as they are.
fn fits_text(pattern: &str, words: &[Argument<'_>]) -> Option<Result<Reach, String>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let text = texts.join(" ");
    // The words have no quotes any more, and what was written with them means the same.
    let unquoted = || pattern.contains(['"', '\'']).then(|| wanted::split(pattern).join(" "));
    let fits = |pattern: &str| glob::matches(pattern, &text);
    if !fits(pattern) && !unquoted().is_some_and(|pattern| fits(&pattern)) {
        return None;
    }
    let idle = texts.iter().find(|word| IDLE.contains(word) && !pattern.contains(**word));
    let reach = Reach { below: true, ..Reach::default() };
    Some(idle.map_or(Ok(reach), |idle| Err(tests_nothing(idle))))
}

fn tests_nothing(flag: &str) -> String {
    format!("with `{flag}` it tests nothing")
}

fn leaves_out(flag: &str) -> String {
    format!("`{flag}` leaves tests out, or may")
}

#[cfg(test)]
mod tests;
