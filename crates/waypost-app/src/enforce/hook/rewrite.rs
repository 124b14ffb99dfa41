//! Running a gate's command in the place of one that would prove nothing only because of what stands around it:
//! a pipe, a redirection, something that follows. An honest agent then needs no second run.
//!
//! The user's own permissions decide. Where they might say anything else about the new line than about the
//! old one, the line stays as it is.

use waypost_core::gate::policy::Policy;
use waypost_core::gate::proof::ran::WatchedRun;
use waypost_core::glob;
use waypost_core::runner::{self, Argument, Awaited, Parts};
use waypost_core::session::SessionState;
use waypost_core::shell::{self, Analysis, FoundRun, HiddenRun, Simple};
use waypost_core::text::shell_word;
use waypost_store::{files, look};

use super::Call;
use crate::enforce::counting::Terms;
use crate::enforce::{counting, spelling};
use crate::error::AppError;
use crate::harness::{self, Answer, Does, Given, Permit, Rewriting, Tool};
use crate::machine::{place, process};
use crate::setup::init::{self, MAX_FILE};
use crate::view::View;
use crate::view::registry::Registration;

/// Programs that run a command as it is, and may as well run Waypost.
const KEPT: &[&str] = &["ionice", "nice", "nohup", "stdbuf", "time", "timeout"];
/// Arguments that only change what is shown, so that nobody misses them.
const SHOWING: &[&str] = &[
    "-q",
    "-qq",
    "-v",
    "-vv",
    "-x",
    "-s",
    "--quiet",
    "--silent",
    "--verbose",
    "--color*",
    "--tb=*",
    "--no-header",
    "--no-summary",
    "-ra",
    "-rA",
    "-rf",
    "--no-fail-fast",
    "--reporter=*",
];

/// A tool call for which another line may be better.
pub(super) struct Place<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) call: &'a Call,
    pub(super) registration: &'a Registration,
    pub(super) state: &'a SessionState,
    pub(super) terms: Terms<'a>,
}

impl<'a> Place<'a> {
    /// Another line in the place of the one that the agent gave, if there is a better one. `runs` are what
    /// was found in it of what gates wait for.
    pub(super) fn instead(
        &self,
        tool: &Tool,
        line: &Analysis,
        runs: &[(&'a WatchedRun, FoundRun)],
    ) -> Result<Option<Answer>, AppError> {
        let Does::Shell { command, background: false } = &tool.does else { return Ok(None) };
        let Some(rewriting) = self.call.rewriting else { return Ok(None) };
        let Some((watched, hidden)) = self.hidden(line, runs) else { return Ok(None) };
        let at = hidden.at;
        let policy = &self.view.policy_for(self.state, &self.call.conversation)?.policy;
        let awaited = self.terms.awaited(watched);
        let Some(found) = Found::of(self.view, policy, watched, &awaited, &line.commands[at])
        else {
            return Ok(None);
        };
        let new = match self.permitted(rewriting, command, line, at, &found) {
            Permit::Anything => found.line(command, line, at, &found.with_arguments()),
            Permit::Exactly if found.loses_nothing() && hidden.is_plain => {
                found.line(command, line, at, &found.run)
            }
            Permit::Exactly | Permit::Nothing => None,
        };
        let Some(new) = new else { return Ok(None) };
        let Found { gate, own, .. } = &found;
        let agent = format!(
            "Waypost runs this as `{new}`, which runs `{own}` and counts for gate {gate}: otherwise the rest of the line would hide how it ends."
        );
        let user = format!("Waypost runs the command of gate {gate} itself: {new}");
        Ok(Some(Answer::Rewrite { command: new, agent, user }))
    }

    /// A whole run that is waited for, of which the rest of the line hides how it ended.
    fn hidden(
        &self,
        line: &Analysis,
        runs: &[(&'a WatchedRun, FoundRun)],
    ) -> Option<(&'a WatchedRun, HiddenRun)> {
        if runs.iter().any(|(_, found)| found.counts.is_ok()) {
            return None;
        }
        runs.iter().find_map(|(watched, _)| {
            let hidden = shell::hidden_run(line, &self.terms.awaited(watched))?;
            let folder = place::folder_after(&self.call.cwd, &line.commands[..hidden.at])?;
            let objection =
                place::objection(self.terms.root, &folder, watched, Some(&hidden.reach));
            objection.is_none().then_some((*watched, hidden))
        })
    }

    /// What the user's permissions have to say.
    fn permitted(
        &self,
        rewriting: &dyn Rewriting,
        command: &str,
        line: &Analysis,
        at: usize,
        found: &Found<'_>,
    ) -> Permit {
        let process = self.registration.process;
        let Some(arguments) = process.and_then(|it| process::arguments(it.pid)) else {
            return Permit::Nothing;
        };
        let Some(settings) = self.settings(rewriting, &arguments) else { return Permit::Nothing };
        let commands = line.commands.iter().map(Simple::text);
        let concerned: Vec<String> = [command.to_owned(), found.own.clone(), found.run.clone()]
            .into_iter()
            .chain(commands)
            .collect();
        // What stands in the line besides, the client may ask about now, where it did not before.
        let others = line.commands.iter().enumerate().filter(|(number, _)| *number != at);
        let others: Vec<String> = others.map(|(_, simple)| simple.text()).collect();
        rewriting.permits(&harness::Asked {
            mode: self.call.permissions.as_deref(),
            settings: &settings,
            arguments: &arguments,
            concerned: &concerned,
            instead: &found.run,
            others: &others,
        })
    }

    /// The content of every file of settings that may count; none if one of them cannot be read.
    fn settings(&self, rewriting: &dyn Rewriting, arguments: &[String]) -> Option<Vec<Vec<u8>>> {
        let Self { view, registration, .. } = self;
        let local = view.host.harness(&registration.harness)?;
        let mut contents = Vec::new();
        for path in init::all_settings_files(view.host, local, &view.project) {
            contents.extend(files::read(&path, MAX_FILE).ok()?);
        }
        for given in rewriting.settings(arguments)? {
            contents.push(match given {
                Given::Text(text) => text.into_bytes(),
                Given::File(name) => {
                    let started_in = format!("/proc/{}/cwd", registration.process?.pid);
                    let path = look::target(started_in).ok()?.join(name);
                    files::read(&path, MAX_FILE).ok()??
                }
            });
        }
        Some(contents)
    }
}

/// A command that a gate's own can take the place of.
struct Found<'a> {
    gate: &'a str,
    /// The gate's own command, as Waypost would run it.
    own: String,
    /// `waypost run --gate ID`, as the agent's shell finds it.
    run: String,
    /// The words of the command.
    words: Vec<&'a str>,
    /// How many of them stand before the runner and are kept.
    kept: usize,
    /// The arguments that the gate's own command does not have.
    more: Vec<&'a str>,
    /// Whether variables are set for it.
    is_set_up: bool,
}

impl<'a> Found<'a> {
    fn of(
        view: &View<'_>,
        policy: &'a Policy,
        watched: &WatchedRun,
        awaited: &Awaited<'_>,
        simple: &'a Simple,
    ) -> Option<Self> {
        let gate = counting::gate_for(policy, watched).filter(|gate| gate.source.trusted)?;
        let plain = shell::words(runner::spelt_out(&watched.pattern)?);
        let root = &view.project.root;
        let folder = watched.folder.as_deref().map_or_else(|| root.clone(), |at| root.join(at));
        let own = spelling::here(view.host, root, &folder, &plain).join(" ");
        let words: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
        let arguments: Vec<Argument<'_>> = words.iter().map(|word| Argument::plain(word)).collect();
        let Parts { before: from, more } = awaited.parts(&arguments)?;
        let kept = match words[..from] {
            [first, ..] if KEPT.contains(&first) => from,
            [first, ..] if !spelling::is_finder(first) => return None,
            _ => 0,
        };
        let run = format!("{} run --gate {}", view.host.own_name(), shell_word(&gate.id));
        let is_set_up = !simple.assigned.is_empty();
        Some(Self { gate: &gate.id, own, run, words, kept, more, is_set_up })
    }

    /// Whether the bare command would do all the same.
    fn loses_nothing(&self) -> bool {
        let shows = |word: &&str| SHOWING.iter().any(|known| glob::matches(known, word));
        self.kept == 0 && !self.is_set_up && self.more.iter().all(shows)
    }

    /// What takes its place, with the arguments that the gate's own command does not have.
    fn with_arguments(&self) -> String {
        let more: Vec<String> = self.more.iter().map(|word| shell_word(word)).collect();
        if more.is_empty() {
            self.run.clone()
        } else {
            format!("{} -- {}", self.run, more.join(" "))
        }
    }

    /// The line with `run` in the place of the command.
    fn line(&self, line: &str, analysis: &Analysis, at: usize, run: &str) -> Option<String> {
        let kept = self.kept;
        // Where it stands is not known: wherever its words stand one after the other, the line is read once
        // more with others in their place, and has to be the same otherwise.
        let first = self.words.get(kept)?;
        let places = line.match_indices(first).filter_map(|(start, _)| {
            let mut rest = &line[start..];
            for word in &self.words[kept..] {
                rest = rest.trim_start_matches([' ', '\t']).strip_prefix(word)?;
            }
            let end = line.len() - rest.len();
            Some(format!("{}{run}{}", &line[..start], &line[end..]))
        });
        let fits = |new: &String| is_same_otherwise(analysis, &shell::analyse(new), at, run, kept);
        places.into_iter().find(fits)
    }
}

/// Whether a line is another one with `run` in the place of one of its commands, but for the words of it that
/// are kept.
fn is_same_otherwise(old: &Analysis, new: &Analysis, at: usize, run: &str, kept: usize) -> bool {
    let is_same = |(number, (one, two)): (usize, (&Simple, &Simple))| {
        if number != at {
            return one.words == two.words && one.assigned == two.assigned;
        }
        let words: Vec<&str> = one.words[..kept].iter().map(|word| word.text.as_str()).collect();
        let wanted = [words.join(" "), shell::analyse(run).commands[0].text()].join(" ");
        two.text() == wanted.trim_start() && one.assigned == two.assigned
    };
    new.opaque.is_none()
        && old.commands.len() == new.commands.len()
        && old.commands.iter().zip(&new.commands).enumerate().all(is_same)
}
