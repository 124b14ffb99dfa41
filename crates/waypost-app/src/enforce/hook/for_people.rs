//! Commands of Waypost that are people's words: approving, switching off, taking out, trusting, keys; and those that are
//! an agent's word as long as it says them itself, and would pass for a person's if another program did.
//!
//! Each refuses an agent by itself, as far as it can tell who is calling. An agent that takes pains to
//! look like somebody at a terminal has to say the words first, in a line that is read here.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::Value;
use waypost_core::shell::{Analysis, Simple, Word};
use waypost_store::look;

use super::Call;
use super::carried::{self, Called, Found, Search, Term, base, tokens};
use super::readings::Reading;
use super::target::Target;
use crate::harness::SERVER;
use crate::view::View;

/// A command for people: its words in order, and what one of those behind them has to be.
struct Form {
    words: &'static [&'static str],
    /// One of these has to stand among its arguments; empty if they do not matter.
    among: &'static [&'static str],
}

const fn form(words: &'static [&'static str]) -> Form {
    Form { words, among: &[] }
}

const FORMS: &[Form] = &[
    form(&["gate", "approve"]),
    form(&["gate", "pause"]),
    form(&["gate", "unpause"]),
    Form { words: &["mode"], among: &["disabled"] },
    Form { words: &["session", "set-state"], among: &["disabled"] },
    Form { words: &["init"], among: &["--remove"] },
    form(&["trust", "config"]),
    form(&["trust", "copy"]),
    form(&["trust", "key"]),
    form(&["trust", "loss"]),
    form(&["key", "approval"]),
    form(&["key", "export"]),
    form(&["key", "rotate"]),
    form(&["verdict", "resolve"]),
    form(&["restore"]),
];

/// What an agent may say for itself, and only by itself: at a terminal of its own making it would be an approval.
const OWN_WORDS: &[Form] = &[
    form(&["gate", "satisfy"]),
    form(&["gate", "clear"]),
    form(&["verdict", "record"]),
    form(&["handoff", "accept"]),
    form(&["session", "set-state"]),
    // Its screen approves by a key.
    form(&["watch"]),
];

/// Programs that run something so that it is no longer below the agent, or at a terminal that they make.
const DETACHING: &str = "at batch crontab daemonize dtach expect screen script setsid socat ssh start-stop-daemon \
    systemd-run tmux unbuffer zellij";

/// Words without which no line says any of that.
const SIGNS: [&str; 21] = [
    "approve",
    "pause",
    "unpause",
    "disabled",
    "--remove",
    "config",
    "copy",
    "key",
    "loss",
    "approval",
    "export",
    "rotate",
    "trust",
    "resolve",
    "satisfy",
    "clear",
    "record",
    "accept",
    "set-state",
    "watch",
    "restore",
];

/// How many words of a script may stand between the words of a command and what it is told.
const NEAR: usize = 8;

/// Why an agent may not run the line; `None` if it may.
pub(super) fn from_running(
    view: &View<'_>,
    call: &Call,
    line: &str,
    analysis: &Analysis,
) -> Option<String> {
    if !may_speak(line, analysis) {
        return None;
    }
    let own = Own { view, cwd: &call.cwd };
    let is_program = |word: &str| own.is_program(word);
    let (cwd, home, values) = (call.cwd.as_path(), view.host.home.as_path(), analysis.values());
    let reading = Reading { cwd, home, values, prints_here: false };
    let found = Search { reading, is_program: &is_program }.of(line, analysis);
    let denied = spoken(&found, &is_program).map(|said| said.denied());
    denied.or_else(|| carried_words(&found, analysis))
}

/// Why an agent may not let another program say its own words for it.
fn carried_words(found: &Found, analysis: &Analysis) -> Option<String> {
    let own = |args: &[Term]| said_by(OWN_WORDS, args, false);
    let is_detaching = |simple: &Simple| {
        let program = simple.words.first().map(|word| base(&word.text));
        program.is_some_and(|program| DETACHING.split_whitespace().any(|known| known == program))
    };
    let detaches = analysis.commands.iter().any(is_detaching);
    let is_itself = |call: &&Called| {
        let words = || std::iter::once(&call.program).chain(&call.args).map(|term| &term.text);
        let is_it = |simple: &Simple| simple.words.iter().map(|word| &word.text).eq(words());
        !detaches && analysis.commands.iter().any(is_it)
    };
    let carried = found.calls.iter().filter(|call| !is_itself(call));
    let called = carried.chain(&found.others).find_map(|call| own(&call.args));
    let called = called.filter(|_| !found.calls.is_empty());
    let text = || found.texts.iter().find_map(|text| in_text(OWN_WORDS, text));
    let words = called.or_else(text)?;
    Some(format!(
        "Waypost: `{words}`, said by another program, would pass for a person's word.\n\
         Next: run it by itself, as a command of its own."
    ))
}

/// Whether the line could say any of it: nearly every line ends here.
fn may_speak(line: &str, analysis: &Analysis) -> bool {
    let says = |word: &Word| SIGNS.contains(&word.text.as_str());
    line.contains(SERVER)
        || analysis.opaque.is_some()
        || analysis.commands.iter().any(|simple| {
            simple.words.first().is_some_and(|first| !first.literal)
                || simple.words.iter().skip(1).any(says)
        })
}

/// The command for people that the line runs, or may.
fn spoken(found: &Found, is_program: &dyn Fn(&str) -> bool) -> Option<Said> {
    let own = found.calls.iter().find_map(|call| said(&call.args, true));
    // What is called otherwise may be a link, a copy, a function or a variable.
    let is_pieced =
        |(_, value): &(String, String)| SERVER.starts_with(value.as_str()) && !value.is_empty();
    let is_pieced = found.variables.iter().any(is_pieced);
    let other = |call: &Called| {
        said(&call.args, false).filter(|_| is_pieced || found.may_be_it(call, is_program))
    };
    let other = || found.others.iter().find_map(other);
    let text = || found.texts.iter().find_map(|text| in_text(FORMS, text));
    let text = || text().map(|words| Said { words, clearly: true });
    own.or_else(other).or_else(text)
}

/// What a line says that only people say.
struct Said {
    words: String,
    /// Whether it says so, and not only may.
    clearly: bool,
}

/// The command for people that these arguments are. `unclear`: what cannot be read counts, too.
fn said(args: &[Term], unclear: bool) -> Option<Said> {
    let clear = said_by(FORMS, args, false).map(|words| Said { words, clearly: true });
    clear.or_else(|| {
        let words = said_by(FORMS, args, true).filter(|_| unclear)?;
        Some(Said { words, clearly: false })
    })
}

fn said_by(forms: &[Form], args: &[Term], unclear: bool) -> Option<String> {
    let ends = args.iter().take_while(|arg| arg.text != "--");
    if ends.clone().any(|arg| matches!(arg.text.as_str(), "--help" | "-h")) {
        return None;
    }
    let is_word = |arg: &&Term| !arg.text.starts_with('-');
    let words: Vec<&Term> = args.iter().filter(is_word).collect();
    let fits = |form: &&Form| {
        // What cannot be read may be several words.
        let is_open = |word: &&&Term| unclear && is_whole(word);
        let spelt = words.iter().take_while(|word| !is_open(word)).count();
        let asked = form.words.len().min(spelt);
        let begins = words[..asked]
            .iter()
            .map(|word| word.text.as_str())
            .eq(form.words[..asked].iter().copied())
            && (asked == form.words.len() || words.len() > spelt);
        if begins && asked < form.words.len() {
            return true;
        }
        let is_told = |arg: &Term| {
            let says = |word: &&str| arg.text == **word || sets_mode(&arg.text, word);
            form.among.iter().any(says) || (unclear && is_whole(arg))
        };
        begins && (form.among.is_empty() || args.iter().skip(1).any(is_told))
    };
    forms.iter().find(fits).map(Form::shown)
}

/// Whether a word is a state that sets this mode, or one that cannot be read and speaks of it.
fn sets_mode(text: &str, mode: &str) -> bool {
    if !text.trim_start().starts_with('{') {
        return false;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(state) => ["mode", "currentMode"].iter().any(|field| state[field] == mode),
        Err(_) => text.contains(mode),
    }
}

/// Whether a word is nothing but what a variable or a command gives.
fn is_whole(arg: &Term) -> bool {
    !arg.known && arg.text.starts_with(['$', '`', '{'])
}

/// Which of these commands a script speaks of, where it names the program before.
fn in_text(forms: &[Form], text: &str) -> Option<String> {
    let tokens = tokens(text);
    let programs = (0..tokens.len()).filter(|at| base(tokens[*at]) == SERVER);
    programs.into_iter().find_map(|at| {
        let rest = &tokens[at + 1..tokens.len().min(at + 1 + NEAR)];
        let fits = |form: &&Form| {
            rest.starts_with(form.words)
                && (form.among.is_empty() || rest.iter().any(|token| form.among.contains(token)))
        };
        forms.iter().find(fits).map(Form::shown)
    })
}

impl Form {
    fn shown(&self) -> String {
        let words = self.words.iter().chain(self.among);
        words.fold(SERVER.to_owned(), |shown, word| format!("{shown} {word}"))
    }
}

impl Said {
    fn denied(&self) -> String {
        let words = &self.words;
        if !self.clearly {
            return format!(
                "Waypost: this could be `{words}`, which is for people; the line does not show what it \
                 would be given.\nNext: spell the command out."
            );
        }
        format!(
            "Waypost: `{words}` is for people, however it is called; agents may not run it.\n\
             Next: ask the user to run it in a terminal of their own, and go on with something else until then."
        )
    }
}

/// This program, by whatever name.
struct Own<'a> {
    view: &'a View<'a>,
    cwd: &'a Path,
}

impl Own<'_> {
    fn is_program(&self, word: &str) -> bool {
        if carried::is_named(word, SERVER) {
            return true;
        }
        // A name without a folder is looked for elsewhere, and hardly lies there under another name.
        word.contains('/') && self.is_same_file(word)
    }

    /// Whether it leads to this program: a link to it, or as good as a copy.
    fn is_same_file(&self, word: &str) -> bool {
        let exe = &self.view.host.exe;
        let target = Target::of(self.cwd, Path::new(word));
        if target.spellings().contains(&exe.as_path()) {
            return true;
        }
        let (Ok(own), Ok(other)) = (look::at(exe), look::at(target.spellings()[1])) else {
            return false;
        };
        let is_same = (own.dev(), own.ino()) == (other.dev(), other.ino());
        other.is_file() && (is_same || own.len() == other.len())
    }
}
