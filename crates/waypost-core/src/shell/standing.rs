//! Whether the exit status that a harness reports for a command line is that of one command in it.
//!
//! Harnesses report `cargo test | tail`, `false; true` and background commands as success. So a
//! run proves something only where the reported status can be no other than its own.

use super::{Analysis, Simple};
use crate::runner::{Argument, Awaited, Reach, is_treacherous};

/// What a simple command's exit status means for the whole line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ExitStanding {
    /// The line can only succeed if this command did.
    #[default]
    Own,
    /// Something hides it: why the line's success need not be the command's.
    Hidden(String),
}

/// Why the status of a command hides whose output becomes a word of another.
pub(super) const SUBSTITUTED: &str = "it runs inside a substitution";

impl ExitStanding {
    /// Hidden for this reason, unless it was hidden already.
    pub(super) fn hidden(self, why: &str) -> Self {
        match self {
            Self::Own => Self::Hidden(why.to_owned()),
            Self::Hidden(_) => self,
        }
    }
}

/// Why the status of a command says nothing that nobody waits for.
pub(super) const BESIDE: &str = "it runs in the background";
/// Why a command in a pipe proves nothing.
pub(super) const PIPED: &str = "the pipe hides its exit status";
/// Why a command that others follow proves nothing.
pub(super) const LOST: &str = "what follows it in the line hides whether it succeeded";

/// Commands after which the rest of a line need not mean what it says (`exit 0 && cargo test`).
const MEDDLING: &[&str] = &[
    "alias", "bind", "break", "builtin", "continue", "enable", "eval", "exec", "exit", "hash",
    "logout", "return", "shopt", "suspend", "trap", "unalias",
];
/// Commands that set variables or take them away.
const ASSIGNING: &[&str] = &[
    "declare",
    "export",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
];
/// Scripts that set up the surroundings of a project's own programs, by the ends of their names.
const ACTIVATING: &[&str] = &["/bin/activate", "/Scripts/activate", "/.cargo/env", "/.nvm/nvm.sh"];

impl Simple {
    /// What of it may make the rest of the line mean something else.
    pub(super) fn meddling(&self) -> Option<&str> {
        let Some(first) = self.words.first() else {
            return self.assigned.iter().map(String::as_str).find(|name| is_treacherous(name));
        };
        let Some(name) = self.name() else { return Some(&first.text) };
        let arguments = || self.words[1..].iter().map(|word| word.text.as_str());
        let meddles = match name {
            "source" | "." => !arguments()
                .next()
                .is_some_and(|file| ACTIVATING.iter().any(|end| file.ends_with(end))),
            // With `n` nothing is run any more, with `t` one command.
            "set" => arguments().any(|word| {
                let flags = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
                flags.is_some_and(|flags| flags.contains(['n', 't'])) || word == "noexec"
            }),
            _ if ASSIGNING.contains(&name) => arguments().any(|word| {
                let variable = word.split('=').next().unwrap_or_default();
                is_treacherous(variable) || (word.starts_with('-') && word.contains('f'))
            }),
            _ => MEDDLING.contains(&name),
        };
        meddles.then_some(name)
    }

    pub(super) fn is_treacherous(&self) -> bool {
        self.assigned.iter().any(|name| is_treacherous(name))
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

    /// Whether the line ends as this command does, and nothing of it is hidden.
    pub(super) fn decides(&self) -> bool {
        self.standing == ExitStanding::Own && self.is_clear()
    }

    /// Whether it is spelt out.
    pub(super) fn is_clear(&self) -> bool {
        !self.is_diverted()
            && self.words.iter().all(|word| word.literal)
            && self.words.first().is_some_and(|name| !name.text.is_empty())
    }

    /// Whether it is `cd folder`.
    pub fn changes_folder(&self) -> bool {
        let [name, folder] = self.words.as_slice() else { return false };
        name.text == "cd" && !folder.text.starts_with('-')
    }

    /// Whether it is a run of what is awaited, and if it counts by its own words, what it reaches. `given`
    /// are variables that the line sets, `substituted` is the command whose output is one of its words.
    fn fits(
        &self,
        given: &[&str],
        substituted: Option<&str>,
        awaited: &Awaited<'_>,
    ) -> Option<Result<Reach, String>> {
        let words = self.words.iter().map(|word| {
            let substituted = substituted.filter(|_| word.text == "$()" && !word.literal);
            Argument { text: substituted.unwrap_or(&word.text), literal: word.literal }
        });
        let words: Vec<Argument<'_>> = words.collect();
        let own = self.assigned.iter().map(String::as_str);
        let variables: Vec<&str> = own.chain(given.iter().copied()).collect();
        awaited.fits(&words, &variables)
    }
}

/// A run that was found in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRun {
    /// Which command of the line it is.
    pub at: usize,
    /// What it tests, if the line's success is the run's; or why it does not count.
    pub counts: Result<Reach, String>,
}

/// The run in a line that is awaited: the first that counts, else the first.
pub fn ran(analysis: &Analysis, awaited: &Awaited<'_>) -> Option<FoundRun> {
    let given: Vec<&str> = analysis.values().iter().map(|(name, _)| name.as_str()).collect();
    let mut found = None;
    for (at, command) in analysis.commands.iter().enumerate() {
        let substituted = substituted(&analysis.commands[..at], command);
        let fits = command.fits(&given, substituted.as_deref(), awaited);
        let Some(fits) = fits else { continue };
        let counts = fits.and_then(|reach| match &command.standing {
            _ if command.is_treacherous() => {
                Err("the variables set for it change what the command is".to_owned())
            }
            _ if command.unseen && awaited.runner().is_some() => {
                Err("its output is thrown away, so nobody sees what was tested".to_owned())
            }
            ExitStanding::Hidden(why) => Err(why.clone()),
            ExitStanding::Own => Ok(reach),
        });
        if counts.is_ok() {
            return Some(FoundRun { at, counts });
        }
        found = found.or(Some(FoundRun { at, counts }));
    }
    found
}

/// A whole run in a line, of which nothing but a pipe, a redirection or what follows hides how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenRun {
    /// Which command of the line it is.
    pub at: usize,
    /// What it tests.
    pub reach: Reach,
    /// Whether the line writes no file, and every command in it is spelt out.
    pub is_plain: bool,
}

/// The run in a line of which nothing but a pipe, a redirection or what follows hides how it ended.
pub fn hidden_run(analysis: &Analysis, awaited: &Awaited<'_>) -> Option<HiddenRun> {
    if analysis.opaque.is_some() || awaited.runner().is_none() {
        return None;
    }
    let given: Vec<&str> = analysis.values().iter().map(|(name, _)| name.as_str()).collect();
    analysis.commands.iter().enumerate().find_map(|(at, command)| {
        let reach = command.fits(&given, None, awaited)?.ok()?;
        let is_near = match &command.standing {
            ExitStanding::Own => true,
            ExitStanding::Hidden(why) => why == PIPED || why == LOST,
        };
        let writes = !analysis.writes().is_empty() || analysis.writes_unknown() || command.unseen;
        let is_plain = !writes && analysis.commands.iter().all(|one| one.assigned.is_empty());
        (is_near && command.is_clear()).then_some(HiddenRun { at, reach, is_plain })
    })
}

/// The command whose output is the one word of `command` that is substituted, as it was written; `None`
/// where that cannot be told. Those that are substituted stand right before it.
fn substituted(before: &[Simple], command: &Simple) -> Option<String> {
    if command.words.iter().filter(|word| word.text.contains("$()")).count() != 1 {
        return None;
    }
    let is_substituted =
        |one: &&Simple| matches!(&one.standing, ExitStanding::Hidden(why) if why == SUBSTITUTED);
    let mut those = before.iter().rev().take_while(is_substituted);
    let (only, None) = (those.next()?, those.next()) else { return None };
    let words: Vec<&str> = only.words.iter().map(|word| word.text.as_str()).collect();
    let is_clear = only.assigned.is_empty() && only.words.iter().all(|word| word.literal);
    is_clear.then(|| format!("$({})", words.join(" ")))
}

/// Whether there is a run in a line that would count by its own words.
pub fn has_whole_run(analysis: &Analysis, awaited: &Awaited<'_>) -> bool {
    let given: Vec<&str> = analysis.values().iter().map(|(name, _)| name.as_str()).collect();
    analysis
        .commands
        .iter()
        .any(|command| matches!(command.fits(&given, None, awaited), Some(Ok(_))))
}
