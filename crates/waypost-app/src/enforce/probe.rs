//! The first run of the commands that a new configuration asks for: what it shows decides what the gates are, and is
//! what later failures are compared with.
//!
//! Only a command is run that `init` has just written, never one that a repository brought along in a configuration of
//! its own; whoever calls this has somebody's yes. It is recorded for the project, since no session has begun.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use waypost_core::command::ProjectCommand;
use waypost_core::event::SharedFact;
use waypost_core::evidence::baseline::Failing;
use waypost_core::evidence::{Run, TestCount, Tree};
use waypost_core::gate::proof::ran::WatchedRun;
use waypost_core::runner::Awaited;
use waypost_core::runner::tally::Counted;
use waypost_core::shell;
use waypost_store::look;

use super::run::{self, Called};
use super::spelling;
use crate::error::AppError;
use crate::setup::init::{FirstRun, Outcome, TestGate};
use crate::view::View;

/// A status from here on means that the command was killed.
const KILLED: i32 = 128;
/// The status of a shell that did not find a command.
const NOT_FOUND: i32 = 127;

/// What a first run showed, and what is recorded of it.
#[derive(Debug)]
pub struct Probed {
    /// What it showed.
    pub first: FirstRun,
    /// The run itself; none if it could not be started.
    run: Option<(Run, Counted)>,
}

/// The program that a gate's command needs and that is not here, if so.
pub fn missing(view: &View<'_>, gate: &TestGate) -> Option<String> {
    let folder = folder_of(view, gate);
    let argv = spelling::here(view.host, &view.project.root, &folder, &shell::words(&gate.command));
    let program = argv.first()?;
    let is_there = if program.contains('/') {
        look::is_file(folder.join(program))
    } else {
        view.host.finds(program)
    };
    (!is_there).then(|| program.clone())
}

fn folder_of(view: &View<'_>, gate: &TestGate) -> PathBuf {
    view.project.root.join(gate.folder.as_deref().unwrap_or_default())
}

/// Runs a gate's command in its folder, as it has to be called here and in such a way that every failing test is named.
pub fn run(view: &View<'_>, gate: &TestGate) -> Probed {
    let root = &view.project.root;
    let folder = folder_of(view, gate);
    let pattern = format!("{}*", gate.command);
    let awaited = Awaited::by(&pattern, &[]);
    let mut words = shell::words(&gate.command);
    run::tell_all(&mut words, awaited.in_full());
    let argv = spelling::here(view.host, root, &folder, &words);
    let argv = argv.into_iter().map(OsString::from).collect();
    let watched = WatchedRun { folder: gate.folder.clone(), ..WatchedRun::new(pattern.clone()) };
    let called = Called { words, argv, folder, own: None };
    let began = Instant::now();
    let ran = run::start(view, &called, &[watched.name()], &awaited, &mut |_| {});
    let took = began.elapsed();
    let outcome = match &ran {
        Ok((run, counted)) => outcome(run.status, counted),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Outcome::Missing(format!("{} was not found", called.argv[0].to_string_lossy()))
        }
        Err(error) => Outcome::Missing(error.to_string()),
    };
    Probed { first: first(gate, outcome, took), run: ran.ok() }
}

fn first(gate: &TestGate, outcome: Outcome, took: Duration) -> FirstRun {
    FirstRun { gate: gate.id.clone(), outcome, took }
}

fn outcome(status: i32, counted: &Counted) -> Outcome {
    match counted.tests {
        _ if status > KILLED => Outcome::Ended,
        Some(tests) if tests.failed > 0 => Outcome::Red { tests, failed: counted.failed.clone() },
        // Runners end in their own ways where there is nothing to test, but never as if a command were missing.
        Some(tests) if tests.executed() == 0 && status != NOT_FOUND => Outcome::NoTests,
        tests if status == 0 => Outcome::Green(tests),
        _ => Outcome::Broken(status),
    }
}

/// Records what first runs showed, for the content that is there now: nothing has changed since but the configuration,
/// which Waypost itself has written.
pub fn keep(view: &View<'_>, probed: Vec<Probed>) -> Result<(), AppError> {
    let runs: Vec<(Run, Counted)> = probed.into_iter().filter_map(|probed| probed.run).collect();
    let last = runs.last().map(|(run, _)| run.tree_after.clone());
    let now = view.tree_again();
    for (mut run, counted) in runs {
        run.tests = counted.tests;
        // What changed the content itself says nothing about the one of now.
        let is_last = |tree: &Tree| tree.id().is_some() && Some(tree) == last.as_ref();
        if is_last(&run.tree_before) && is_last(&run.tree_after) {
            (run.tree_before, run.tree_after) = (now.clone(), now.clone());
        }
        let Some(what) = run.patterns.first().cloned() else { continue };
        if let Some(failing) = Failing::of(&what, &run, &counted) {
            share(view, String::new(), SharedFact::Failing(failing))?;
        }
        if let (Some(tests), Some(branch)) = (run.proven(), view.branch()) {
            share(view, branch, SharedFact::Proven(TestCount { what, tests }))?;
        }
    }
    Ok(())
}

fn share(view: &View<'_>, branch: String, what: SharedFact) -> Result<(), AppError> {
    view.execute_for_project(&view.actor(), ProjectCommand::Share { branch, what })
}
