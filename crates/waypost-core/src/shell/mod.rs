//! What a shell command line would do, read with a real shell grammar.
//!
//! `echo git push` is not a push and `cat x && git push` is one. What is too long, too deep or not
//! parsable is *opaque*: it has to be taken for anything that it could be. Programs and scripts that
//! are not known here are taken for harmless, because to hold them all would hold everything.

mod archive;
mod args;
mod companion;
mod expand;
mod files;
mod folder;
mod git;
mod git_call;
mod git_files;
mod git_own;
mod nested;
mod reader;
mod redirect;
mod staging;
mod standing;
mod tampering;
mod walk;
mod wrapper;

use std::cell::RefCell;

use git::{AliasSearch, Asked, GitDeed};
use git_call::GitCall;
use tampering::Tampering;

pub use reader::{carried, is_installed, only_reads};
pub use staging::{GitPlace, Staging};
pub use standing::{ExitStanding, FoundRun, HiddenRun, has_whole_run, hidden_run, ran};

/// Longer command lines are not parsed.
pub const MAX_BYTES: usize = 64 * 1024;
/// Deeper command lines are not parsed.
pub const MAX_DEPTH: usize = 100;
/// More brackets and compound keywords than this are not parsed, however they nest: quoted
/// brackets could hide the true depth from the count, and the parser recurses.
const MAX_BRACKETS: usize = 1000;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its text with quotes taken off; expansions stand as they were written.
    pub text: String,
    /// Whether the text is all there is to it: no variable, substitution or pattern.
    pub literal: bool,
}

/// A simple command somewhere in a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    /// The command and its arguments.
    pub words: Vec<Word>,
    /// The names of variables that are set for it.
    pub assigned: Vec<String>,
    /// What its exit status means for the whole line.
    pub standing: ExitStanding,
    /// Whether what it prints goes to `/dev/null`.
    pub unseen: bool,
    /// Whether something comes before it in the line that may change files.
    pub acted_before: bool,
    /// The folders that it may run in, from where the line begins; empty if that is where it runs.
    pub folders: Vec<Word>,
}

impl Simple {
    /// The words with single spaces between them.
    pub fn text(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    }

    /// The command's name without its folder, if it is spelt out.
    pub fn name(&self) -> Option<&str> {
        let first = self.words.first().filter(|word| word.literal)?;
        first.text.rsplit('/').next()
    }
}

/// What of a file is changed that is not its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// Who may do what with it, as `chmod` is told.
    Mode(String),
    /// Whose it is, as `chown` is told.
    Owner(String),
}

/// A file that a command line writes, removes or makes. A folder stands for whatever is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Its path as it is spelt, from where the line begins: `cd` before it is taken into account,
    /// `.` and `..` are left as they are.
    pub path: String,
    /// Whether the path is all there is to it: no variable, pattern, tilde or unknown folder.
    pub literal: bool,
    /// Whether a folder of that name goes with everything in it.
    pub whole: bool,
    /// Whether it is a folder in which files are written that nobody names.
    pub unnamed: bool,
    /// What is changed, if that is not the content.
    pub attribute: Option<Attribute>,
}

/// A text that a command is fed by a here-document or the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The text.
    pub text: String,
    /// The name of the command, if it is spelt out.
    pub reader: Option<String>,
}

/// Commands that start others which outlive the line.
const LEAVING: &[&str] = &[
    "at",
    "batch",
    "crontab",
    "daemon",
    "daemonize",
    "disown",
    "dtach",
    "pm2",
    "screen",
    "setsid",
    "start-stop-daemon",
    "supervisorctl",
    "systemctl",
    "systemd-run",
    "tmux",
    "watchman",
    "zellij",
];

/// What a command line was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Every simple command in it, nested ones too, in order.
    pub commands: Vec<Simple>,
    /// Why it could not be read, in which case it may do anything.
    pub opaque: Option<String>,
    writes: Vec<Write>,
    writes_unknown: bool,
    reads: Vec<Word>,
    documents: Vec<Document>,
    tampering: Tampering,
    plain: bool,
}

impl Analysis {
    /// The files that it writes, and folders in which it writes some. There may be more of them: see
    /// `writes_unknown`.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// Whether it writes files and nobody can tell where, or could.
    pub fn writes_unknown(&self) -> bool {
        self.opaque.is_some() || self.writes_unknown
    }

    /// Whether something of it may go on when the line has ended.
    pub fn leaves_running(&self) -> bool {
        let beside = |command: &Simple| matches!(&command.standing, ExitStanding::Hidden(why) if why == standing::BESIDE);
        let is = |command: &Simple, names: &[&str]| {
            command.name().is_some_and(|name| names.contains(&name))
        };
        let leaves = |command: &Simple| is(command, LEAVING);
        let waits = self.commands.iter().any(|command| is(command, &["wait"]));
        self.opaque.is_some()
            || self.commands.iter().any(leaves)
            || (!waits && self.commands.iter().any(beside))
    }

    /// The files that commands are fed by redirects, spelt like those that it writes.
    pub fn reads(&self) -> &[Word] {
        &self.reads
    }

    /// The texts of here-documents and the like.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// What the line itself gives to its variables, by their names.
    pub fn values(&self) -> &[(String, String)] {
        &self.tampering.values
    }

    /// Whether it commits, or could, as far as can be told without git's aliases.
    pub fn commits(&self) -> bool {
        self.commits_with(&|_| None)
    }

    /// Whether it pushes, or could, as far as can be told without git's aliases.
    pub fn pushes(&self) -> bool {
        self.pushes_with(&|_| None)
    }

    /// Whether it commits, or could. `aliases` tells what git's `alias.<name>` is.
    pub fn commits_with(&self, aliases: &dyn Fn(&str) -> Option<String>) -> bool {
        !self.commit_places(aliases).is_empty()
    }

    /// Where it commits, or could.
    pub fn commit_places(&self, aliases: &dyn Fn(&str) -> Option<String>) -> Vec<GitPlace> {
        self.deed_places(GitDeed::Commit, aliases)
    }

    /// Where it pushes from, or could.
    pub fn push_places(&self, aliases: &dyn Fn(&str) -> Option<String>) -> Vec<GitPlace> {
        self.deed_places(GitDeed::Push, aliases)
    }

    fn deed_places(
        &self,
        deed: GitDeed,
        aliases: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<GitPlace> {
        let found = RefCell::default();
        AliasSearch::new(Asked::Deed(deed, &found), aliases).line(self);
        found.into_inner()
    }

    /// Whether it makes a repository, or gets one from elsewhere.
    pub fn makes_repository(&self) -> bool {
        let makes = |command: &Simple| {
            let sub = GitCall::of(&command.words).sub;
            command.name() == Some("git")
                && sub.is_some_and(|sub| matches!(sub.text, "init" | "clone"))
        };
        self.commands.iter().any(makes)
    }

    /// Whether it pushes, or could. `aliases` tells what git's `alias.<name>` is.
    pub fn pushes_with(&self, aliases: &dyn Fn(&str) -> Option<String>) -> bool {
        !self.push_places(aliases).is_empty()
    }

    /// What its git commands stage, as far as that is clear: unlike a gate, whoever asks can do
    /// without what is not. `aliases` tells what git's `alias.<name>` is.
    pub fn stagings(&self, aliases: &dyn Fn(&str) -> Option<String>) -> Vec<Staging> {
        let found = RefCell::default();
        AliasSearch::new(Asked::Staging(&found), aliases).line(self);
        found.into_inner().all
    }

    /// The one simple command that the line consists of, save changing the folder for it. Nothing is
    /// piped, redirected to a file, substituted or in the background, and every word is spelt out.
    pub fn remedy(&self) -> Option<&Simple> {
        let (last, before) = self.commands.split_last()?;
        let clear = self.opaque.is_none()
            && self.plain
            && last.decides()
            && last.name() != Some("cd")
            && before.iter().all(|command| command.is_clear() && command.changes_folder());
        clear.then_some(last)
    }

    /// Whether it is commands of one `program` and nothing else, save changing the folder for them.
    pub fn is_alone(&self, program: impl Fn(&str) -> bool) -> bool {
        let is_own = |command: &Simple| {
            let name = command.words.first().filter(|word| word.literal);
            name.is_some_and(|name| program(&name.text))
        };
        let is_cd = |command: &Simple| command.words.first().is_some_and(|word| word.text == "cd");
        self.opaque.is_none()
            && self.writes.is_empty()
            && !self.writes_unknown
            && self.commands.iter().any(is_own)
            && self.commands.iter().all(|command| is_own(command) || is_cd(command))
    }
}

/// Reads a command line.
pub fn analyse(line: &str) -> Analysis {
    let mut walker = walk::Walker::new();
    walker.line(line, 0, &ExitStanding::Own);
    Analysis {
        commands: walker.commands,
        opaque: walker.opaque,
        writes: walker.writes,
        writes_unknown: walker.writes_unknown,
        reads: walker.reads,
        documents: walker.documents,
        tampering: walker.tampering,
        plain: walker.plain,
    }
}

/// The words of a simple command, as a shell reads them.
pub fn words(command: &str) -> Vec<String> {
    let line = analyse(command);
    match line.commands.as_slice() {
        [only] if line.opaque.is_none() => {
            only.words.iter().map(|word| word.text.clone()).collect()
        }
        _ => command.split_whitespace().map(str::to_owned).collect(),
    }
}

fn too_much(line: &str) -> Option<String> {
    if line.len() > MAX_BYTES {
        return Some(format!("it is longer than {} KB", MAX_BYTES / 1024));
    }
    if overflows(line) {
        return Some("it cannot be parsed as a shell command".to_owned());
    }
    let (mut depth, mut deepest, mut brackets) = (0usize, 0usize, 0usize);
    for c in line.chars() {
        match c {
            '(' | '{' | '`' => {
                depth += usize::from(c != '`');
                brackets += 1;
            }
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let compound = |word: &&str| {
        matches!(*word, "if" | "while" | "until" | "for" | "case" | "select" | "!" | "[[")
    };
    brackets += line.split([' ', '\t', '\n', ';']).filter(compound).count();
    (deepest > MAX_DEPTH || brackets > MAX_BRACKETS)
        .then(|| format!("it is nested deeper than {MAX_DEPTH} levels"))
}

/// Whether the parser would panic: it takes the digits before a redirect for a number that fits.
fn overflows(line: &str) -> bool {
    let (mut digits, mut inside_word) = (0usize, false);
    let mut previous = b'\n';
    for byte in line.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'<' | b'>' if digits > 9 && !inside_word => return true,
            // A line that goes on goes on in the middle of a number, too.
            b'\\' => {}
            b'\n' if previous == b'\\' => {}
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => {
                (digits, inside_word) = (0, false);
            }
            _ => (digits, inside_word) = (0, true),
        }
        previous = byte;
    }
    false
}

#[cfg(test)]
mod tests;
