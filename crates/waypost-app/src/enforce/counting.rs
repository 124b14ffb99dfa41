//! Which command lines count as a run that a gate waits for.

use std::path::Path;

use serde::Serialize;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::proof::ran::WatchedRun;
use waypost_core::gate::{Gate, Proof};
use waypost_core::next_step::{NextStep, Running};
use waypost_core::runner::{self, Argument, Awaited, Profile, Reach};
use waypost_core::shell::{self, Analysis, FoundRun, Simple};

use crate::error::AppError;
use crate::machine::place;
use crate::view::View;

/// What a line is worth.
#[derive(Debug, Serialize)]
pub struct Worth {
    /// The line.
    pub command: String,
    /// Whether it counts as a run that a gate waits for.
    pub counts: bool,
    /// The gate that waits for it, or would.
    pub gate: Option<String>,
    /// Why it counts or not.
    pub why: String,
    /// What would count, where it does not.
    pub next: NextStep,
}

/// What decides whether a run counts.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The top folder of the project.
    pub root: &'a Path,
    /// The project's own runners.
    pub own: &'a [Profile],
}

impl<'a> Terms<'a> {
    /// Which commands are meant.
    pub fn awaited(&self, watched: &'a WatchedRun) -> Awaited<'a> {
        let awaited = Awaited::by(&watched.pattern, self.own);
        if watched.narrowed { awaited.with_parts() } else { awaited }
    }

    /// The runs in a line of anything that is watched for, as far as the line alone tells.
    pub fn runs_in<'w>(
        &self,
        line: &Analysis,
        watched: &'w [WatchedRun],
    ) -> Vec<(&'w WatchedRun, FoundRun)>
    where
        'w: 'a,
    {
        let found = |one: &'w WatchedRun| Some((one, shell::ran(line, &self.awaited(one))?));
        watched.iter().filter_map(found).collect()
    }

    /// Whether a line that begins in `cwd` is a run of what is watched for: `None` if not, else whether it
    /// counts, or why not.
    pub fn counts(
        &self,
        cwd: &Path,
        line: &Analysis,
        watched: &WatchedRun,
    ) -> Option<Result<(), String>> {
        let awaited = self.awaited(watched);
        let found = shell::ran(line, &awaited)?;
        Some(found.counts.and_then(|reach| {
            let folder = place::folder_after(cwd, &line.commands[..found.at]);
            let folder = folder.ok_or_else(|| "where it ran cannot be told".to_owned())?;
            self.placed(&folder, watched, &awaited, &reach)
        }))
    }

    /// The test runner that a command calls, as a pattern that means all of it, if it is a known one.
    pub fn runner_of(&self, command: &Simple) -> Option<String> {
        let words = command.words.iter();
        let words: Vec<Argument<'_>> =
            words.map(|word| Argument { text: &word.text, literal: word.literal }).collect();
        runner::called(&words, self.own).map(str::to_owned)
    }

    /// Whether a line has a run in it that tests everything, whatever the rest of the line makes of it. Of a
    /// command that nobody knows, every run does.
    pub fn is_whole(&self, line: &Analysis, watched: &WatchedRun) -> bool {
        let awaited = self.awaited(watched);
        awaited.runner().is_none() || shell::has_whole_run(line, &awaited)
    }

    /// The same for a command that is run as it is, without a shell. `variables` are the names of those that
    /// were set for it.
    pub fn counts_alone(
        &self,
        cwd: &Path,
        words: &[String],
        variables: &[String],
        watched: &WatchedRun,
    ) -> Option<Result<(), String>> {
        let words: Vec<Argument<'_>> = words.iter().map(|word| Argument::plain(word)).collect();
        let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
        let awaited = self.awaited(watched);
        let counts = awaited.fits(&words, &variables)?;
        Some(counts.and_then(|reach| self.placed(cwd, watched, &awaited, &reach)))
    }

    fn placed(
        &self,
        folder: &Path,
        watched: &WatchedRun,
        awaited: &Awaited<'_>,
        reach: &Reach,
    ) -> Result<(), String> {
        let known = awaited.runner().map(|_| reach);
        place::objection(self.root, folder, watched, known).map_or(Ok(()), Err)
    }
}

/// What each line would be worth here, alone, as a run of what the gates in force wait for.
pub fn of_lines(view: &View<'_>, lines: &[String]) -> Result<Vec<Worth>, AppError> {
    let policy = &view.policy_for_caller()?.policy;
    Ok(lines.iter().map(|line| worth(view, line, policy)).collect())
}

/// A run that a gate waits for.
struct Waiting<'p> {
    gate: &'p Gate,
    watched: WatchedRun,
    next: NextStep,
}

fn waiting(policy: &Policy) -> Vec<Waiting<'_>> {
    let mut waiting = Vec::new();
    for gate in &policy.gates {
        gate.proof.each(&mut |proof| {
            if let Proof::Ran(ran) = proof {
                let watched = WatchedRun::of(gate, ran);
                waiting.push(Waiting { gate, watched, next: ran.next(gate) });
            }
        });
    }
    waiting
}

/// The step that would count as a run of what is watched for.
pub fn step_for(policy: &Policy, watched: &WatchedRun) -> NextStep {
    let all = waiting(policy);
    let found = all.into_iter().find(|waiting| waiting.watched.name() == watched.name());
    found.map_or_else(|| NextStep::Run(Running::of("COMMAND")), |found| found.next)
}

/// The first gate that waits for it by this one command alone.
pub fn gate_for<'p>(policy: &'p Policy, watched: &WatchedRun) -> Option<&'p Gate> {
    let is_it = |gate: &&Gate| match &gate.proof {
        Proof::Ran(ran) => WatchedRun::of(gate, ran).name() == watched.name(),
        _ => false,
    };
    policy.gates.iter().find(is_it)
}

/// What Waypost is told to run by a line: a gate's own command, or one that is given.
enum OwnRun<'a> {
    Gate(&'a str),
    Command(Vec<String>),
}

impl<'a> OwnRun<'a> {
    /// The first in a line. How the line ends does not matter: Waypost sees how the run does.
    fn in_line(line: &'a Analysis) -> Option<Self> {
        line.commands.iter().filter(|simple| simple.name() == Some("waypost")).find_map(|simple| {
            let words: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
            match words.get(1..)? {
                ["run", "--gate", gate] => Some(Self::Gate(gate)),
                ["run", "--", command @ ..] if !command.is_empty() => {
                    Some(Self::Command(command.iter().map(|word| (*word).to_owned()).collect()))
                }
                _ => None,
            }
        })
    }
}

impl Terms<'_> {
    /// Whether what Waypost is told to run by a line is a run of what a gate waits for.
    fn counts_as_own(
        &self,
        cwd: &Path,
        own: &OwnRun<'_>,
        waiting: &Waiting<'_>,
    ) -> Option<Result<(), String>> {
        match own {
            OwnRun::Gate(gate) => (waiting.gate.id == *gate).then_some(Ok(())),
            OwnRun::Command(words) => self.counts_alone(cwd, words, &[], &waiting.watched),
        }
    }
}

fn worth(view: &View<'_>, command: &str, policy: &Policy) -> Worth {
    let line = shell::analyse(command);
    let terms = Terms { root: &view.project.root, own: &policy.runners };
    let waiting = waiting(policy);
    let own = OwnRun::in_line(&line);
    let mut objection = None;
    for waiting in &waiting {
        let Waiting { gate, watched, next } = waiting;
        let told = |counts, why: String, next| Worth {
            command: command.to_owned(),
            counts,
            gate: Some(gate.id.clone()),
            why,
            next,
        };
        let counts = match &own {
            Some(own) => terms.counts_as_own(&view.host.cwd, own, waiting),
            None => terms.counts(&view.host.cwd, &line, watched),
        };
        match counts {
            Some(Ok(())) => {
                let why = match terms.awaited(watched).runner() {
                    Some(runner) if watched.narrowed => format!("it is a run of {runner}"),
                    Some(runner) => format!("it is a whole run of {runner}"),
                    None => format!("it is a run of `{}`", watched.pattern),
                };
                return told(true, why, NextStep::Nothing);
            }
            Some(Err(why)) if objection.is_none() => {
                objection = Some(told(false, why, next.clone()));
            }
            Some(Err(_)) | None => {}
        }
    }
    objection.unwrap_or_else(|| {
        let why = match &line.opaque {
            Some(why) => format!("the line cannot be read: {why}"),
            None => "no gate waits for it".to_owned(),
        };
        let steps: Vec<NextStep> = waiting.into_iter().map(|waiting| waiting.next).collect();
        let next = if steps.is_empty() { NextStep::Nothing } else { NextStep::Any(steps) };
        Worth { command: command.to_owned(), counts: false, gate: None, why, next }
    })
}
