//! Lines that start a harness without Waypost's hooks, or bring it code that could swallow them.
//!
//! What does so is data of each harness (`Switches`). A harness that is started as usual is nobody's
//! business here: its own hooks see what its agents do.

use std::path::Path;

use serde_json::Value;
use waypost_core::shell::Analysis;
use waypost_store::{files, look};

use super::Call;
use super::carried::{self, Called, Found, Search, Term, base, tokens};
use super::readings::Reading;
use super::target::Target;
use crate::harness::{Facts, Local, Takes};
use crate::machine::place;
use crate::view::View;

/// Settings are not longer than this.
const MAX_SETTINGS: u64 = 1024 * 1024;
/// How many words of a script may stand between a program and its option.
const NEAR: usize = 16;

/// Why an agent may not run the line; `None` if it may.
pub(super) fn from_running(
    view: &View<'_>,
    call: &Call,
    line: &str,
    analysis: &Analysis,
) -> Option<String> {
    let harnesses = view.host.harnesses.iter().map(Local::facts);
    harnesses.into_iter().find_map(|facts| {
        // Nearly every line ends here.
        if !may_start(facts, line, analysis) {
            return None;
        }
        let (cwd, home, values) = (call.cwd.as_path(), view.host.home.as_path(), analysis.values());
        let reading = Reading { cwd, home, values, prints_here: false };
        let starting = Starting { facts, cwd };
        let is_program = |word: &str| starting.is_program(word);
        let found = Search { reading, is_program: &is_program }.of(line, analysis);
        let what = starting.silences(&found)?;
        Some(denied(facts, &what))
    })
}

fn speaks_of(facts: &Facts, line: &str) -> bool {
    facts.programs.iter().any(|name| line.contains(name))
}

/// Whether the line could start the harness otherwise than usual.
fn may_start(facts: &Facts, line: &str, analysis: &Analysis) -> bool {
    // Short ones are every program's.
    let long = || facts.switches.options.iter().filter(|one| one.name.starts_with("--"));
    let is_switch = |text: &str| long().any(|one| text.starts_with(one.name));
    speaks_of(facts, line)
        || analysis.commands.iter().any(|simple| {
            simple.words.first().is_some_and(|first| !first.literal)
                || simple.words.iter().skip(1).any(|word| is_switch(&word.text))
        })
}

fn denied(facts: &Facts, what: &str) -> String {
    let title = facts.title;
    format!(
        "Waypost: with {what}, {title} starts without Waypost's hooks, or with code that can silence them; agents may \
         not do that.\nNext: start it without {what}, or ask the user to run the line."
    )
}

struct Starting<'a> {
    facts: &'static Facts,
    cwd: &'a Path,
}

impl Starting<'_> {
    fn is_program(&self, word: &str) -> bool {
        let Facts { programs, packages, .. } = self.facts;
        let is_name = |word: &str| programs.iter().any(|name| carried::is_named(word, name));
        if is_name(word) || packages.iter().any(|(package, _)| word.contains(package)) {
            return true;
        }
        if !word.contains('/') || word.contains(char::is_whitespace) {
            return false;
        }
        // A link may have any name; where programs are kept, a folder has theirs. The folder that the agent works in
        // may be called so, too.
        let target = Target::of(self.cwd, Path::new(word));
        let [plain, real] = target.spellings();
        let is_kept = |folder: &Path| {
            folder.file_name().is_some_and(|part| programs.iter().any(|name| part == *name))
                && !place::resolved(self.cwd).starts_with(folder)
        };
        look::is_link(plain) && look::is_file(real) && real.ancestors().any(is_kept)
    }

    /// What of the line silences hooks.
    fn silences(&self, found: &Found) -> Option<String> {
        let own = found.calls.iter().find_map(|call| self.said(&call.args));
        let is_program = |word: &str| self.is_program(word);
        // An interpreter may be given the program's own code.
        let is_given = |call: &Called| call.args.iter().any(|arg| self.is_program(&arg.text));
        let other = |call: &Called| {
            self.said(&call.args).filter(|_| is_given(call) || found.may_be_it(call, &is_program))
        };
        let other =
            || found.others.iter().filter(|call| base(&call.program.text) != "git").find_map(other);
        let set = || {
            let is_set = |(name, _): &&(String, String)| self.is_variable(name);
            let (name, _) =
                found.variables.iter().find(is_set).filter(|_| !found.calls.is_empty())?;
            Some(name.clone())
        };
        let text = || found.texts.iter().find_map(|text| self.in_text(text));
        own.or_else(set).or_else(other).or_else(text)
    }

    fn is_variable(&self, name: &str) -> bool {
        let switches = &self.facts.switches;
        switches.variables.contains(&name) || switches.places.contains(&name)
    }

    /// What of a call's arguments silences hooks.
    fn said(&self, args: &[Term]) -> Option<String> {
        let is_word = |arg: &&Term| !arg.text.starts_with('-');
        let asks_help = |arg: &Term| matches!(arg.text.as_str(), "--help" | "-h");
        let words: Vec<&str> = args.iter().filter(is_word).map(|arg| arg.text.as_str()).collect();
        let switches = &self.facts.switches;
        let command = switches.commands.iter().find(|command| words.starts_with(command));
        if let Some(command) = command.filter(|_| !args.iter().any(asks_help)) {
            return Some(format!("`{}`", command.join(" ")));
        }
        (0..args.len()).find_map(|at| self.option(&args[at..]))
    }

    /// The option that these arguments begin with, if it silences hooks.
    fn option(&self, args: &[Term]) -> Option<String> {
        let first = args.first()?;
        let (name, given) = match first.text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (first.text.as_str(), None),
        };
        let switch = self.facts.switches.options.iter().find(|switch| switch.name == name)?;
        let value =
            given.or_else(|| args.get(1).map(|next| next.text.as_str())).unwrap_or_default();
        let silences = match switch.takes {
            Takes::Anything => true,
            Takes::AllOf(all) => {
                let named: Vec<&str> = value.split(',').map(str::trim).collect();
                !all.iter().all(|one| named.contains(one))
            }
            Takes::OneOf(any) => any.iter().any(|word| value.contains(word)),
            Takes::Settings => self.are_silencing(value),
        };
        silences.then(|| name.to_owned())
    }

    /// Whether settings, or the file that they are in, silence hooks. What cannot be read may.
    fn are_silencing(&self, value: &str) -> bool {
        let text = if value.trim_start().starts_with('{') {
            value.to_owned()
        } else {
            let file = Target::of(self.cwd, Path::new(value));
            match files::read(file.spellings()[0], MAX_SETTINGS) {
                Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
                Ok(None) | Err(_) => return true,
            }
        };
        match serde_json::from_str::<Value>(&text) {
            Ok(settings) => silencing(self.facts, &settings).is_some(),
            Err(_) => true,
        }
    }

    /// The option in a script that names the program before it.
    fn in_text(&self, text: &str) -> Option<String> {
        let tokens = tokens(text);
        let options = self.facts.switches.options.iter();
        let always: Vec<&str> = options.map(|switch| switch.name).collect();
        let programs = (0..tokens.len()).filter(|at| self.is_program(tokens[*at]));
        programs.into_iter().find_map(|at| {
            let rest = &tokens[at + 1..tokens.len().min(at + 1 + NEAR)];
            let command = self.facts.switches.commands.iter().find(|words| rest.starts_with(words));
            let command = command.map(|words| format!("`{}`", words.join(" ")));
            command.or_else(|| {
                let option = rest.iter().find(|token| always.contains(token));
                option.map(|token| (*token).to_owned())
            })
        })
    }
}

/// The setting that silences hooks, or may.
pub(super) fn silencing(facts: &Facts, settings: &Value) -> Option<String> {
    let is_on = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Object(entries) => !entries.is_empty(),
        _ => true,
    };
    let switches = &facts.switches;
    let key = switches.settings.iter().find(|key| settings.get(key).is_some_and(is_on));
    let variables = settings.get(switches.variables_in);
    let is_set = |name: &&&str| variables.and_then(|all| all.get(**name)).is_some_and(is_on);
    let key = key.or_else(|| switches.variables.iter().find(is_set));
    key.map(|name| (*name).to_owned())
}
