//! Calls of a program anywhere in a command line, through whatever carries them: wrappers, shells, lists
//! of words, scripts of interpreters, texts that something runs.
//!
//! A text that is only printed, searched for, committed or kept in a file is no call. Nothing is run and
//! nothing is decided here: whoever asks says what a call may not say.

use waypost_core::glob;
use waypost_core::shell::{self, Analysis, Document, Simple, Word};

use super::code_text::Language;
use super::programs;
use super::readings::Reading;

/// Programs that take words for what they are: they print, keep, search or move them.
const TEXTUAL: &str = "[ ack ag basename bat cat cd chmod chown cmp column comm cp curl cut declare diff dirname du \
    echo exit export expr file fold gh glab grep egrep fgrep head hexdump jq less ln local logger ls mkdir \
    more mv nl notify-send od paste pbcopy popd printf pushd pwd read readlink realpath return rg rm rmdir \
    say sed set sleep sort stat strings tac tail tee test touch tr tree type uniq unset wc wget whereis \
    which wl-copy xclip xxd yq zgrep [[ :";
/// Programs that keep versions: what they are told is text, but for some of their settings and commands.
const VERSIONING: &str = "bzr darcs fossil git hg jj sl svn";
/// Options whose value is a text, of whatever program that does not run others.
const MESSAGES: &str = "-m --body --comment --desc --description --message --msg --note --notes --reason \
    --subject --summary --text --title";
/// Programs that give something another name.
const NAMING: &str = "cp install link ln mv";
/// Programs that say where another is.
const FINDING: &str = "readlink realpath type whereis which";
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
    /// Other names that the line gives to it.
    names: Vec<String>,
    /// Names that the line gives to what another command finds.
    names_elsewhere: Vec<String>,
    /// Whether the line asks where the program is.
    asks_where: bool,
}

impl Found {
    /// Whether a call of something else may be one of the program: by another name that the line gives it, or through
    /// something in the line that calls it with whatever it is given.
    pub(super) fn may_be_it(&self, call: &Called, is_program: &dyn Fn(&str) -> bool) -> bool {
        let is_open = |text: &str| ["$@", "$*", "$1", "${"].iter().any(|one| text.contains(one));
        let is_name = |name: &String| name == base(&call.program.text);
        let finds = self.asks_where || !self.calls.is_empty();
        let hands_on = |call: &Called| call.args.iter().any(|arg| !arg.known && is_open(&arg.text));
        !call.program.known
            || self.names.iter().any(is_name)
            || (finds && self.names_elsewhere.iter().any(is_name))
            || self.calls.iter().any(hands_on)
            || self
                .texts
                .iter()
                .any(|text| is_open(text) && tokens(text).into_iter().any(is_program))
    }
}

/// What is done with what others print or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Heard {
    /// Nothing.
    Not,
    /// It is run as code.
    Code(Language),
    /// It is run as a command line, or may be.
    Lines,
}

impl Heard {
    /// Whether something of a text is run as a program.
    fn runs(self, text: &str) -> bool {
        match self {
            Self::Not => false,
            Self::Code(language) => language.runs_others(text),
            Self::Lines => true,
        }
    }
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
            let (reader, text) = (document.reader.as_deref().unwrap_or_default(), &document.text);
            if programs::is_interpreter_named(reader) {
                return heard.max(Heard::Code(Language::of(reader))).runs(text);
            }
            let carries_code = is_in(CARRIERS, reader) && heard != Heard::Not;
            let is_text =
                is_in(TEXTUAL, reader) || is_in(VERSIONING, reader) || reader == "waypost";
            heard.runs(text) || !(is_text || carries_code)
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
        self.note_names(name, args, found);
        if is_in(TEXTUAL, name) {
            let text = joined(args);
            if is_in(PRINTERS, name) && told.heard.runs(&text) {
                found.texts.push(text);
            }
            return;
        }
        found.others.push(Called { program: program.clone(), args: args.to_vec() });
        if is_in(VERSIONING, name) {
            return self.versioning(args, told, depth, found);
        }
        if programs::is_interpreter_named(name) {
            let script = joined(args);
            if Language::of(name).runs_others(&script) {
                found.texts.push(script);
            }
            return;
        }
        if name == "find" {
            return self.find(args, told, depth, found);
        }
        let carries = is_in(CARRIERS, name);
        if carries && ends_in_text(&as_words(words)) {
            return;
        }
        if !told.strict || carries {
            let adds = matches!(name, "xargs" | "parallel");
            let args = if carries { args.to_vec() } else { without_messages(args) };
            self.words(&args, Told { adds: told.adds || adds, ..told }, depth, found);
        }
    }

    /// The commands that `find` is told to run; all else is text to it.
    fn find(&self, args: &[Term], told: Told, depth: usize, found: &mut Found) {
        let runs = |arg: &Term| {
            matches!(arg.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") || !arg.known
        };
        for at in (0..args.len()).filter(|at| runs(&args[*at])) {
            let ends = |arg: &&Term| !matches!(arg.text.as_str(), ";" | "\\;" | "+");
            let words = args[at + 1..]
                .iter()
                .take_while(ends)
                .map(|arg| Term { known: arg.known && arg.text != "{}", ..arg.clone() });
            self.command(&words.collect::<Vec<_>>(), told, depth, found);
        }
    }

    /// Notes the names that a command gives to the program.
    fn note_names(&self, command: &str, args: &[Term], found: &mut Found) {
        let is_it = |text: &str| tokens(text).into_iter().any(self.is_program);
        if is_in(FINDING, command) {
            found.asks_where |= args.iter().any(|arg| (self.is_program)(&arg.text));
        }
        if is_in(NAMING, command) {
            let given: Vec<&Term> = args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
            let [sources @ .., name] = given.as_slice() else { return };
            let name = base(&name.text).to_owned();
            if sources.iter().any(|one| (self.is_program)(&one.text)) {
                found.names.push(name);
            } else if sources.iter().any(|one| !one.known) {
                found.names_elsewhere.push(name);
            }
        } else if command == "alias" {
            let given = args.iter().filter_map(|arg| arg.text.split_once('='));
            let given = given.filter(|(_, value)| is_it(value));
            found.names.extend(given.map(|(name, _)| name.to_owned()));
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

    /// Git and its like run what aliases and some of their settings and commands say; all else is text to them.
    fn versioning(&self, args: &[Term], told: Told, depth: usize, found: &mut Found) {
        let is = |word: &&str| args.iter().any(|arg| arg.text == *word);
        if ["bisect", "foreach", "exec"].iter().any(is) {
            self.words(&without_messages(args), told, depth, found);
        }
        let is_running = |key: &str| {
            let key = key.to_ascii_lowercase();
            ["editor", "pager", "command", "cmd", "helper", "tool"]
                .iter()
                .any(|one| key.contains(one))
        };
        for (at, arg) in args.iter().enumerate() {
            let (key, value) = arg.text.split_once('=').unwrap_or((&arg.text, ""));
            if arg.text.starts_with('!')
                || value.starts_with('!')
                || (!value.is_empty() && is_running(key))
            {
                found.texts.push(arg.text.clone());
            }
            let next = args
                .get(at + 1)
                .filter(|_| value.is_empty() && key.starts_with('-') && is_running(key));
            found.texts.extend(next.map(|next| next.text.clone()));
        }
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
    /// What is done with what is printed or written.
    heard: Heard,
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

/// What the line does with what others in it print or write.
fn hears(read: &Analysis) -> Heard {
    let written: Vec<&str> = read.writes().iter().map(|write| base(&write.path)).collect();
    let heard = read.commands.iter().map(|simple| {
        let Some(first) = simple.words.first() else { return Heard::Not };
        let name = programs::name(simple).unwrap_or_default();
        let names_written = |word: &Word| written.contains(&base(&word.text));
        let is_substituted = !first.literal && first.text.contains(['(', '`']);
        let is_hearer = is_in(HEARERS, name) && !ends_in_text(&simple.words);
        let reads_written = !is_in(TEXTUAL, name)
            && !is_in(VERSIONING, name)
            && simple.words.iter().any(names_written);
        if is_hearer || is_substituted || names_written(first) {
            Heard::Lines
        } else if programs::is_interpreter_named(name) {
            let hears = reads_written || programs::runs_its_input(simple);
            if hears { Heard::Code(Language::of(name)) } else { Heard::Not }
        } else if reads_written {
            Heard::Lines
        } else {
            Heard::Not
        }
    });
    // What code prints may be a line for a shell.
    match heard.max().unwrap_or(Heard::Not) {
        Heard::Code(_) if read.commands.iter().any(programs::is_shell_that_reads) => Heard::Lines,
        heard => heard,
    }
}

/// Whether what runs others runs in the end a program that takes words for what they are.
fn ends_in_text(words: &[Word]) -> bool {
    let mut words = words;
    for _ in 0..MAX_DEPTH {
        let inner = match words.first() {
            Some(first) if base(&first.text) == "xargs" => programs::behind_options(&words[1..]),
            _ => shell::carried(words),
        };
        if inner.len() == words.len() {
            break;
        }
        words = inner;
    }
    words.first().is_some_and(|first| first.literal && is_in(TEXTUAL, base(&first.text)))
}

fn as_words(terms: &[Term]) -> Vec<Word> {
    terms.iter().map(|term| Word { text: term.text.clone(), literal: term.known }).collect()
}

/// The words without those that are a message by the option before them, or in it.
fn without_messages(args: &[Term]) -> Vec<Term> {
    let is_message = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| args.get(before));
        let (option, value) = args[at].text.split_once('=').unwrap_or_default();
        before.is_some_and(|before| is_in(MESSAGES, &before.text))
            || (!value.is_empty() && is_in(MESSAGES, option))
    };
    (0..args.len()).filter(|at| !is_message(*at)).map(|at| args[at].clone()).collect()
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
