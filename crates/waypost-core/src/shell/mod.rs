//! What a shell command line would do, read with a real shell grammar.
//!
//! `echo git push` is not a push and `cat x && git push` is one. What is too long, too deep or not
//! parsable is *opaque*: it has to be taken for anything that it could be.

mod git;
mod standing;
mod walk;

pub use standing::{Standing, is_idle, ran};

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
    pub standing: Standing,
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

/// What a command line was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Every simple command in it, nested ones too, in order.
    pub commands: Vec<Simple>,
    /// Why it could not be read, in which case it may do anything.
    pub opaque: Option<String>,
}

impl Analysis {
    /// Whether it commits, or could.
    pub fn commits(&self) -> bool {
        self.opaque.is_some() || self.commands.iter().any(|command| git::does(command, "commit"))
    }

    /// Whether it pushes, or could.
    pub fn pushes(&self) -> bool {
        self.opaque.is_some() || self.commands.iter().any(|command| git::does(command, "push"))
    }

    /// Whether it is Waypost's own command and nothing else, save changing the folder for it.
    pub fn is_waypost_alone(&self) -> bool {
        let mut names = self.commands.iter().map(Simple::name);
        self.opaque.is_none()
            && names.clone().any(|name| name == Some("waypost"))
            && names.all(|name| matches!(name, Some("waypost" | "cd")))
    }
}

/// Reads a command line.
pub fn analyse(line: &str) -> Analysis {
    if let Some(reason) = too_much(line) {
        return Analysis { commands: Vec::new(), opaque: Some(reason) };
    }
    let mut walker = walk::Walker::default();
    walker.line(line, 0, Standing::Own);
    Analysis { commands: walker.commands, opaque: walker.opaque }
}

fn too_much(line: &str) -> Option<String> {
    if line.len() > MAX_BYTES {
        return Some(format!("it is longer than {} KB", MAX_BYTES / 1024));
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

#[cfg(test)]
mod tests;
