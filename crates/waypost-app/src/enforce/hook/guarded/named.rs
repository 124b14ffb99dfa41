//! Commands that are given the name of one of Waypost's files.
//!
//! A name is judged as the path that it is: one like that of a harness' settings means Waypost's only where
//! the harness looks for it. Where that cannot be told, it is taken for Waypost's.

use std::path::{Component, Path, PathBuf};

use waypost_core::shell::{Document, Simple, Word};
use waypost_store::look;

use super::super::programs::{self, hands_on, is_interpreter, only_reads, runs_its_input};
use super::super::readings::{PossiblePath, Reading};
use super::super::target::Target;
use super::super::{protect, script};
use super::{Bases, Guard};

/// Programs that take a text for what it is.
const DATA: &[&str] = &["gh", "git", "glab", "grep", "jq", "wc"];

impl Guard<'_> {
    /// Why it may not have the name of one of Waypost's files.
    pub(super) fn names(&self, line: &str) -> Option<String> {
        let commands = &self.analysis.commands;
        let named = commands.iter().find_map(|simple| self.touches(simple));
        let named = named.or_else(|| self.handed_on(line)).or_else(|| self.in_document())?;
        Some(self.denied(&named))
    }

    /// The name in a line that nobody can read, or whose words are given to commands that change files.
    fn handed_on(&self, line: &str) -> Option<String> {
        if self.analysis.opaque.is_some() {
            return self.spellings().find(|name| line.contains(name)).map(str::to_owned);
        }
        let commands = &self.analysis.commands;
        let is_fed = !self.analysis.documents().is_empty();
        let hands = |one: &Simple| hands_on(one) || (!is_fed && runs_its_input(one));
        let hands = commands.iter().any(hands);
        if !hands && !self.writes_what_is_printed() {
            return None;
        }
        let bases = self.everywhere();
        let words = commands.iter().flat_map(|one| &one.words).map(|word| word.text.as_str());
        let values = self.analysis.values().iter().map(|(_, value)| value.as_str());
        words.chain(values).find_map(|text| self.own_name(text, &bases))
    }

    /// The name in the text of a here-document that an interpreter runs, or may.
    fn in_document(&self) -> Option<String> {
        let interpreters: Vec<&Simple> =
            self.analysis.commands.iter().filter(|one| is_interpreter(one)).collect();
        let bases = self.everywhere();
        let may_write = |document: &&Document| {
            let reads = |one: &&Simple| {
                programs::name(one).is_some_and(|name| script::only_reads(name, &document.text))
            };
            let is_kept = document.reader.as_deref().is_some_and(|name| !DATA.contains(&name));
            is_kept && !interpreters.is_empty() && !interpreters.iter().all(reads)
        };
        let mut documents = self.analysis.documents().iter().filter(may_write);
        documents.find_map(|document| self.own_name(&document.text, &bases))
    }

    /// All folders that commands of the line run in.
    fn everywhere(&self) -> Bases {
        let mut all = Bases { folders: vec![self.reading.cwd.to_owned()], are_all: true };
        for simple in &self.analysis.commands {
            let bases = self.bases(simple);
            all.folders.extend(bases.folders);
            all.are_all &= bases.are_all;
        }
        all.folders.sort();
        all.folders.dedup();
        all
    }

    /// Whether it writes or removes files whose names another command prints.
    fn writes_what_is_printed(&self) -> bool {
        self.analysis.writes().iter().any(|write| write.path.contains("$()"))
    }

    /// The file of Waypost's that a command is given although it may write anything.
    fn touches(&self, simple: &Simple) -> Option<String> {
        let bases = self.bases(simple);
        if only_reads(simple, &self.view.host.exe) {
            let is_sed = matches!(programs::name(simple), Some("sed" | "gsed"));
            return if is_sed { self.written_by_sed(simple) } else { None };
        }
        let runs_text = is_interpreter(simple);
        let mut before = "";
        for word in &simple.words {
            let is_script = runs_text && announces_script(before);
            before = &word.text;
            for text in self.reading.texts(&word.text, word.literal) {
                // A text that only speaks of it is no name.
                let is_name = !text.contains(char::is_whitespace);
                let reads = || {
                    let name = programs::name(simple).unwrap_or_default();
                    is_script && script::only_reads(name, &text)
                };
                if (!is_name && !runs_text) || reads() {
                    continue;
                }
                let own = self.own_name(&text, &bases);
                let own = own.or_else(|| self.own_path(&text, word, &bases).filter(|_| is_name));
                if own.is_some() {
                    return own;
                }
            }
        }
        None
    }

    /// The file of Waypost's that one of the scripts of `sed` writes: `w` stands before its name.
    fn written_by_sed(&self, simple: &Simple) -> Option<String> {
        let is_written = |text: &str, name: &str| {
            let before =
                text.find(name).map(|at| text[..at].trim_end_matches(['.', '/']).trim_end());
            before.is_some_and(|before| before.ends_with(['w', 'W']))
        };
        let mut texts = simple
            .words
            .iter()
            .skip(1)
            .flat_map(|word| self.reading.texts(&word.text, word.literal));
        texts
            .find_map(|text| self.spellings().find(|name| is_written(&text, name)))
            .map(str::to_owned)
    }

    /// The path of Waypost's that a word is, whatever it is called.
    fn own_path(&self, text: &str, word: &Word, bases: &Bases) -> Option<String> {
        let path = text.rsplit('=').next().unwrap_or_default();
        let literal = word.literal || path.len() < text.len();
        let is_own = |spelt: PossiblePath| {
            let file = spelt.target();
            file.is_some_and(|file| protect::from_writing(self.view, file).is_some())
        };
        let paths = |cwd: &PathBuf| Reading { cwd, ..self.reading }.paths(path, literal);
        let is_named = !path.is_empty() && bases.folders.iter().flat_map(paths).any(is_own);
        is_named.then(|| path.to_owned())
    }

    /// The file of Waypost's that a text speaks of, if it does or may.
    fn own_name(&self, text: &str, bases: &Bases) -> Option<String> {
        self.spelt_in(text, bases).or_else(|| self.code_in(text, bases))
    }

    /// The code of a client that a text names. Beside that lie texts that agents write, so that a name which
    /// is not spelt out is none.
    fn code_in(&self, text: &str, bases: &Bases) -> Option<String> {
        let mut folders = self.protected().map(|files| files.sign);
        folders.find_map(|name| {
            let mut at = text.match_indices(name).map(|(at, _)| at);
            at.find_map(|at| {
                let path = path_around(text, at, name.len());
                self.is_own(path, bases).then(|| path.to_owned())
            })
        })
    }

    fn spelt_in(&self, text: &str, bases: &Bases) -> Option<String> {
        self.spellings().find_map(|name| {
            let at = text.match_indices(name).map(|(at, _)| at);
            at.into_iter().find_map(|at| {
                let path = path_around(text, at, name.len());
                (!bases.are_all || self.may_be_own(path, bases)).then(|| path.to_owned())
            })
        })
    }

    /// Whether a path is that of one of Waypost's files, or may be.
    fn may_be_own(&self, path: &str, bases: &Bases) -> bool {
        // What follows an option's letter may be its value.
        let path =
            path.strip_prefix('-').map_or(path, |option| option.get(1..).unwrap_or_default());
        if path.contains(['$', '`', '{', '*', '?', '[']) {
            return true;
        }
        let spelt = self.at_home(path);
        self.is_own(path, bases) || !bases.folders.iter().any(|cwd| leads_somewhere(cwd, &spelt))
    }

    fn at_home(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.reading.home.join(rest),
            None => PathBuf::from(path),
        }
    }

    /// Whether a path is that of one of Waypost's files, from any of the folders.
    fn is_own(&self, path: &str, bases: &Bases) -> bool {
        let path = self.at_home(path);
        let is_own =
            |cwd: &PathBuf| protect::from_writing(self.view, &Target::of(cwd, &path)).is_some();
        bases.folders.iter().any(is_own)
    }
}

/// Whether an interpreter's script stands behind the option.
fn announces_script(option: &str) -> bool {
    let short = option.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    short.is_some_and(|rest| rest.ends_with(['c', 'e', 'p']))
        || matches!(option, "--eval" | "--print")
}

/// Whether a path begins with a folder that is there: one that does not may be meant from elsewhere.
fn leads_somewhere(cwd: &Path, path: &Path) -> bool {
    let mut names = path.components().filter(|name| !matches!(name, Component::CurDir));
    let first = names.next();
    let is_last = names.next().is_none();
    path.is_absolute() || is_last || first.is_some_and(|first| look::is_folder(cwd.join(first)))
}

/// The path in a text of which a part is known.
fn path_around(text: &str, at: usize, length: usize) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || "._-/~+@${}*?[]`".contains(c);
    let start = text[..at]
        .rfind(|c| !is_part(c))
        .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
    let rest = &text[at + length..];
    let end = at + length + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    &text[start..end]
}
