//! Running a new project's test command once, and telling what it shows.

use std::time::Duration;

use waypost_app::enforce::probe;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::machine::project::Project;
use waypost_app::setup::init::{self, FirstRun, InitOutcome, Outcome, Preset, TestGate};
use waypost_app::setup::project_record;
use waypost_app::view::View;
use waypost_core::text::spoken::count;

use crate::ui::{self, BAD, BOLD, GOOD, WARN};

/// How many failing tests are named.
const MAX_NAMED: usize = 5;

/// Runs the commands of the gates that were just written, and writes the gates anew by what they show.
pub(super) fn run(
    host: &Host,
    project: &Project,
    preset: Option<Preset>,
    outcome: &mut InitOutcome,
) -> Result<(), AppError> {
    let view = View::with(host, project.clone(), host.keyring()?);
    let mut probed = Vec::new();
    for gate in &outcome.gates {
        let (command, place) = (ui::paint(BOLD, &gate.command), place(gate));
        ui::aside(format!(
            "Running {command}{place} (Ctrl-C ends it; the project is set up already) …"
        ));
        let ran = probe::run(&view, gate);
        tell(gate, &ran.first);
        let is_ended = ran.first.outcome == Outcome::Ended;
        probed.push(ran);
        if is_ended {
            break;
        }
    }
    let runs: Vec<FirstRun> = probed.iter().map(|one| one.first.clone()).collect();
    let written = init::settle(project, preset, outcome, &runs)?;
    let view = View::with(host, project.clone(), host.keyring()?);
    if written.is_some() {
        let compiled = project_record::record(&view, written.as_deref())?;
        ui::warnings(&compiled.warnings);
    }
    probe::keep(&view, probed)
}

/// Says which programs are not here that agents would need.
pub(super) fn tell_missing(view: &View<'_>, gates: &[TestGate]) {
    let mut told = Vec::new();
    for (gate, program) in gates.iter().filter_map(|gate| Some((gate, probe::missing(view, gate)?)))
    {
        if !told.contains(&program) {
            let command = &gate.command;
            ui::note(format!(
                "{program} was not found here: install it, or agents cannot run `{command}`"
            ));
            told.push(program);
        }
    }
}

fn place(gate: &TestGate) -> String {
    gate.folder.as_ref().map_or_else(String::new, |folder| format!(" in {folder}"))
}

fn tell(gate: &TestGate, run: &FirstRun) {
    let what = format!("{}{}", ui::paint(BOLD, &gate.command), place(gate));
    let took = seconds(run.took);
    let (style, mark, said) = match &run.outcome {
        Outcome::Green(Some(tests)) => {
            (GOOD, "✓", format!("green: {} in {took}", count(tests.passed, "test")))
        }
        Outcome::Green(None) => {
            (GOOD, "✓", format!("green in {took}; how many tests ran, its output does not say"))
        }
        Outcome::NoTests => (
            WARN,
            "!",
            "no tests yet, so no gate asks for them: waypost.toml says how to add it".to_owned(),
        ),
        Outcome::Red { tests, failed } => {
            (WARN, "!", red(tests.failed, tests.executed(), failed, &took))
        }
        Outcome::Broken(status) => (
            BAD,
            "✗",
            format!(
                "status {status} after {took}, and no failing test is named: the gate only warns until it runs"
            ),
        ),
        Outcome::Ended => {
            (WARN, "!", "ended before it was done; the gate stays as it is".to_owned())
        }
        Outcome::Missing(why) => {
            (BAD, "✗", format!("cannot be run: {why}. Install it before agents need it"))
        }
    };
    ui::line(format!("{} {what}: {said}", ui::paint(style, mark)));
}

fn red(failed: u64, all: u64, names: &[String], took: &str) -> String {
    let verb = if failed == 1 { "fails" } else { "fail" };
    let mut said = format!(
        "red: {failed} of {} {verb} after {took}, and only new failures will count",
        count(all, "test")
    );
    for name in names.iter().take(MAX_NAMED) {
        said.push_str("\n    ");
        said.push_str(&ui::on_one_line(name));
    }
    if names.len() > MAX_NAMED {
        said.push_str(&format!("\n    and {} more", names.len() - MAX_NAMED));
    }
    said
}

fn seconds(took: Duration) -> String {
    if took.as_secs() < 10 {
        format!("{:.1} s", took.as_secs_f64())
    } else {
        format!("{} s", took.as_secs())
    }
}
