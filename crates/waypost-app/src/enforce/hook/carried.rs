//! Calls of a program anywhere in a command line, through whatever carries them: wrappers, shells, lists
//! of words, scripts of interpreters, texts that something runs.
//!
//! A text that is only printed, searched for, committed or kept in a file is no call. Nothing is run and
//! nothing is decided here: whoever asks says what a call may not say.

use waypost_core::glob;
use waypost_core::shell::{self, Analysis, Document, Simple, Word};

use super::programs;
use super::readings::Reading;

/// Programs that take words for what they are: they print, keep, search or move them.
const TEXTUAL: &str = "[ ag basename cat cd chmod chown cp curl declare diff dirname du echo exit export file \
    gh glab grep egrep fgrep head jq less ln local ls mkdir more mv popd printf pushd pwd read readlink \
    realpath return rg rm rmdir sed set sort stat tail tee test touch tr tree type unset wc wget whereis \
    which yq [[ :";
/// Programs that run the command in their words, so that it may stand in a text of somebody else's.
const CARRIERS: &str = "at batch bunx busybox bwrap capsh cgexec chroot chrt command daemonize direnv doas docker \
    dtach entr env exec expect faketime firejail flock hyperfine ionice kubectl ltrace mise nice nohup \
    npx nsenter parallel pnpm podman poetry prlimit proot runuser screen script setarch setpriv setsid \
    socat spawn ssh start-stop-daemon stdbuf strace su sudo systemd-run taskset time timeout tmux \
    unbuffer unshare uv watch xargs xvfb-run yarn zellij";
/// Programs that run what they read. Shells are not among them: what those read is read with the line.
const HEARERS: &str = "at batch crontab expect parallel socat ssh xargs";
/// Programs whose words others may read.
const PRINTERS: &str = "cat echo printf tee";
/// What scripts say where they run other programs.
const RUNNING: [&str; 13] = [
    "system",
    "exec",
    "spawn",
    "popen",
    "Popen",
    "subprocess",
    "pty",
    "qx",
    "`",
    "run(",
    "call(",
    "check_output",
    "|",
];
/// No more readings of a command than this are looked at.
const MAX_READINGS: usize = 8;
/// Texts within texts are read this far.
const MAX_DEPTH: usize = 4;

/// A word of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) text: String,
    /// Whether this is what it says, and nobody can make it something else.
    pub(super) known: bool,
}

/// A program with its words.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) program: Term,
    pub(super) args: Vec<Term>,
}

/// What may be a call of the program that is looked for.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Calls of it.
    pub(super) calls: Vec<Called>,
    /// Calls of what is called otherwise, but may be a link to it, a copy, or a name for it.
    pub(super) others: Vec<Called>,
    /// Scripts and other texts that are run as a whole.
    pub(super) texts: Vec<String>,
    /// The variables that the line sets.
    pub(super) variables: Vec<(String, String)>,
}

/// Looks for calls of a program.
pub(super) struct Search<'a> {
    pub(super) reading: Reading<'a>,
    /// Whether a word is the program.
    pub(super) is_program: &'a dyn Fn(&str) -> bool,
}

impl Search<'_> {
    /// Whatever may be a call in the line.
    pub(super) fn of(&self, line: &str, analysis: &Analysis) -> Found {
        let mut found = Found::default();
        self.line(line, analysis, false, 0, &mut found);
        found
    }

    /// `strict`: the line is a text of somebody else's, and may be no line at all.
    fn line(&self, line: &str, read: &Analysis, strict: bool, depth: usize, found: &mut Found) {
        if read.opaque.is_some() {
            found.texts.push(line.to_owned());
        }
        found.variables.extend(read.values().iter().cloned());
        let heard = hears(read);
        for simple in &read.commands {
            let given = simple.assigned.iter().map(|name| (name.clone(), String::new()));
            found.variables.extend(given);
            for words in self.readings(simple) {
                self.command(&words, Told { strict, heard, adds: false }, depth, found);
            }
        }
        let is_run = |document: &&Document| {
            let reader = document.reader.as_deref().unwrap_or_default();
            heard || !(is_in(TEXTUAL, reader) || matches!(reader, "git" | "waypost"))
        };
        let documents = read.documents().iter().filter(is_run);
        found.texts.extend(documents.map(|document| document.text.clone()));
    }

    fn command(&self, words: &[Term], told: Told, depth: usize, found: &mut Found) {
        let Some((program, args)) = words.split_first() else { return };
        let name = base(&program.text);
        if (self.is_program)(&program.text) {
            found.calls.push(Called { program: program.clone(), args: args.to_vec() });
            if args.first().is_some_and(|first| first.text == "run") {
                self.words(args, told, depth, found);
            }
            return;
        }
        if is_in(TEXTUAL, name) {
            if told.heard && is_in(PRINTERS, name) {
                found.texts.push(joined(args));
            }
            return;
        }
        found.others.push(Called { program: program.clone(), args: args.to_vec() });
        if name == "git" {
            return self.git(args, told, depth, found);
        }
        if programs::is_interpreter_named(name) {
            let script = joined(args);
            if RUNNING.iter().any(|one| script.contains(one)) {
                found.texts.push(script);
            }
            return;
        }
        if !told.strict || is_in(CARRIERS, name) {
            let adds = matches!(name, "xargs" | "parallel");
            self.words(args, Told { adds: told.adds || adds, ..told }, depth, found);
        }
    }

    /// The words of something that may run them.
    fn words(&self, words: &[Term], told: Told, depth: usize, found: &mut Found) {
        for (at, word) in words.iter().enumerate() {
            if (self.is_program)(&word.text) {
                let mut args = words[at + 1..].to_vec();
                args.extend(told.adds.then(|| Term { text: "{}".to_owned(), known: false }));
                found.calls.push(Called { program: word.clone(), args });
            }
            if depth < MAX_DEPTH && word.text.contains([' ', '\t', '\n', ';', '|', '&']) {
                let inner = shell::analyse(&word.text);
                if inner.opaque.is_none() {
                    self.line(&word.text, &inner, true, depth + 1, found);
                }
            }
        }
        // The words of a carrier in a carrier begin somewhere.
        let carrier = words.iter().position(|word| is_in(CARRIERS, base(&word.text)));
        if let Some(at) = carrier.filter(|_| told.strict && depth < MAX_DEPTH) {
            self.words(&words[at + 1..], told, depth + 1, found);
        }
    }

    /// Git runs what aliases and some of its commands say; all else is text to it.
    fn git(&self, args: &[Term], told: Told, depth: usize, found: &mut Found) {
        let is = |word: &&str| args.iter().any(|arg| arg.text == *word);
        if ["bisect", "foreach"].iter().any(is) {
            self.words(args, told, depth, found);
        }
        let runs = args.iter().filter(|arg| {
            arg.text.starts_with('!')
                || arg.text.contains("=!")
                || (arg.text.contains('=')
                    && ["editor", "pager", "command", "cmd", "helper"]
                        .iter()
                        .any(|key| arg.text.to_ascii_lowercase().contains(key)))
        });
        found.texts.extend(runs.map(|arg| arg.text.clone()));
    }

    /// What the words of a command may be.
    fn readings(&self, simple: &Simple) -> Vec<Vec<Term>> {
        if simple.words.iter().all(|word| word.literal) {
            return vec![simple.words.iter().map(known).collect()];
        }
        let each: Vec<Vec<Term>> = simple.words.iter().map(|word| self.terms(word)).collect();
        let most = each.iter().map(Vec::len).max().unwrap_or(1).min(MAX_READINGS);
        let nth = |at: usize| each.iter().map(move |terms| &terms[at.min(terms.len() - 1)]);
        let mut all = Vec::new();
        for at in 0..most {
            let whole: Vec<Term> = nth(at).cloned().collect();
            let split: Vec<Term> =
                nth(at).zip(&simple.words).flat_map(|(term, word)| parted(term, word)).collect();
            if split != whole {
                all.push(split);
            }
            all.push(whole);
        }
        all
    }

    fn terms(&self, word: &Word) -> Vec<Term> {
        if word.literal {
            return vec![known(word)];
        }
        let texts = self.reading.texts(&word.text, false);
        let terms = texts.into_iter().map(|text| {
            let text = match text.strip_prefix("~/") {
                Some(below) => self.reading.home.join(below).to_string_lossy().into_owned(),
                None => text,
            };
            let known = !text.contains(['$', '`', '*', '?', '[']);
            Term { text, known }
        });
        let terms: Vec<Term> = terms.collect();
        let unread = || vec![Term { text: word.text.clone(), known: false }];
        if terms.is_empty() { unread() } else { terms }
    }
}

/// How the words of a line are to be taken.
#[derive(Clone, Copy)]
struct Told {
    strict: bool,
    /// Whether what is printed or written may be run.
    heard: bool,
    /// Whether words are added that are read from elsewhere.
    adds: bool,
}

fn known(word: &Word) -> Term {
    Term { text: word.text.clone(), known: true }
}

/// The words that a variable, or a list in braces, becomes.
fn parted(term: &Term, word: &Word) -> Vec<Term> {
    let is_list = term.text.starts_with('{') && term.text.contains(',');
    if word.literal || !(is_list || term.text.contains(char::is_whitespace)) {
        return vec![term.clone()];
    }
    let separates = |c: char| c.is_whitespace() || (is_list && "{},".contains(c));
    let parts = term.text.split(separates).filter(|part| !part.is_empty());
    parts.map(|part| Term { text: part.to_owned(), known: term.known || is_list }).collect()
}

/// Whether something in the line may run what others print or write.
fn hears(read: &Analysis) -> bool {
    let written: Vec<&str> = read.writes().iter().map(|write| base(&write.path)).collect();
    read.commands.iter().any(|simple| {
        let Some(first) = simple.words.first() else { return false };
        let name = programs::name(simple).unwrap_or_default();
        let names_written = |word: &Word| written.contains(&base(&word.text));
        let is_substituted = !first.literal && first.text.contains(['(', '`']);
        is_in(HEARERS, name)
            || is_substituted
            || programs::runs_its_input(simple)
            || names_written(first)
            || (!is_in(TEXTUAL, name) && name != "git" && simple.words.iter().any(names_written))
    })
}

/// The tokens of a text that something runs, as far as names and options go.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./@".contains(c);
    text.split(|c| !is_part(c)).filter(|token| !token.is_empty()).collect()
}

/// The last part of a path, without what runners put before it.
pub(super) fn base(word: &str) -> &str {
    let name = word.rsplit(['/', '!', ':', '=']).next().unwrap_or_default();
    name.trim_matches(['"', '\'', '(', ')'])
}

/// Whether a word is a name, or a pattern that it fits.
pub(super) fn is_named(word: &str, name: &str) -> bool {
    let base = base(word);
    base == name || (base.contains(['*', '?']) && base.len() > 2 && glob::matches(base, name))
}

fn joined(words: &[Term]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    words.join(" ")
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}
