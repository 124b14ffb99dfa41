//! `waypost init`

mod asking;
mod probing;

use std::process::ExitCode;

use clap::Args;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::machine::project::{self, Project};
use waypost_app::setup::init::{self, Chosen, GitHooks, InitOutcome, Options, Preset};
use waypost_app::setup::project_record;
use waypost_app::view::View;
use waypost_app::view::human;

use waypost_core::next_step::Voice;

use super::{CommandOutcome, audit};
use crate::ui::{self, BOLD, DIM, GOOD};

/// Set a project up: configuration, key, hooks, MCP server
///
/// Finds the project's test command by its files, writes waypost.toml and registers Waypost's hooks and MCP server
/// beside those that are there. Nothing of the project is run unless you say so. Running it again changes nothing;
/// `--remove` puts everything back as it was.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost init                      gates as strict as they should be
  waypost init --preset relaxed     the test gate only warns
  waypost init --test-command 'make check'
  waypost init --probe              runs the tests once, and asks only for what they can do
  waypost init --shared             also for everyone who works on this project
  waypost init --git-hooks          git itself asks before commits and pushes too
  waypost init --no-git-hooks       git never calls Waypost
  waypost init --remove             takes it all out again")]
#[expect(clippy::struct_excessive_bools, reason = "flags that have nothing to do with each other")]
pub(super) struct InitArgs {
    /// The harnesses to register with; auto: those that are on this machine
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    harness: Vec<String>,
    /// How strict the first gates are: strict, relaxed or minimal
    #[arg(long)]
    preset: Option<String>,
    /// The command that runs the project's tests, or none [default: what the project's files propose]
    #[arg(long, value_name = "COMMAND")]
    test_command: Option<String>,
    /// Run the test command once, to see whether it is green, red, slow or without tests
    #[arg(long)]
    probe: bool,
    /// Also register in the project's shared settings, through a wrapper that is committed
    #[arg(long)]
    shared: bool,
    /// Also let git ask before every commit and push; hooks that are there run first
    #[arg(long)]
    git_hooks: bool,
    /// Keep git from calling Waypost at all, not even to tell it of commits
    #[arg(long, conflicts_with = "git_hooks")]
    no_git_hooks: bool,
    /// Let agents run `waypost run --gate ID` of these gates without asking you
    #[arg(long)]
    allow_run: bool,
    /// Take Waypost's entries out again
    #[arg(
        long,
        conflicts_with_all = ["preset", "shared", "test_command", "probe", "git_hooks", "no_git_hooks", "allow_run"],
    )]
    remove: bool,
    /// With --remove: also delete the records of sessions and their published copies
    #[arg(long, requires = "remove")]
    all: bool,
}

impl InitArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let project = project::find_or_here(&host.cwd)?;
        if self.remove {
            return self.take_out(host, &project);
        }
        let (preset, probe) = (self.preset(), self.probe);
        let preset = preset?;
        let options = self.options(&project, preset);
        let mut outcome = init::run(host, &project, &options)?;
        let view = View::with(host, project.clone(), host.keyring()?);
        let compiled = project_record::record(&view, outcome.config.as_deref())?;
        let code = show(&project, &outcome);
        ui::warnings(&compiled.warnings);
        let has_gates = !outcome.gates.is_empty();
        if has_gates && (probe || (ui::can_ask() && asking::probe(&outcome.gates))) {
            probing::run(host, &project, preset, &mut outcome)?;
        } else if has_gates {
            probing::tell_missing(&view, &outcome.gates);
        } else if probe && outcome.config.is_none() {
            ui::note(
                "waypost.toml was there already, so nothing was run: `waypost run --gate ID` runs a gate's command",
            );
        }
        tell_gates(&outcome);
        audit::tell_short(host, &project);
        ui::line(format!("Next: check that it works with {}", ui::paint(BOLD, "waypost doctor")));
        Ok(code)
    }

    /// What `waypost init` is called with where nobody says more.
    pub(super) fn usual() -> Self {
        Self {
            harness: Vec::new(),
            preset: None,
            test_command: None,
            probe: false,
            shared: false,
            git_hooks: false,
            no_git_hooks: false,
            allow_run: false,
            remove: false,
            all: false,
        }
    }

    fn preset(&self) -> Result<Option<Preset>, AppError> {
        self.preset.as_ref().map(|name| name.parse()).transpose()
    }

    fn options(self, project: &Project, preset: Option<Preset>) -> Options {
        let has_choice = asking::has_choice(project, preset);
        let tests = match self.test_command {
            Some(command) if command.trim() == "none" => Chosen::Nothing,
            Some(command) => Chosen::Command(command),
            None if has_choice => asking::tests(project),
            None => Chosen::Proposed,
        };
        let asks = has_choice && tests != Chosen::Nothing;
        let allow_run = self.allow_run || (asks && asking::allow_run());
        let (harnesses, shared) = (self.harness, self.shared);
        let git_hooks = match (self.git_hooks, self.no_git_hooks) {
            (true, _) => GitHooks::Asking,
            (false, true) => GitHooks::Declined,
            (false, false) => GitHooks::Telling,
        };
        Options { harnesses, preset, shared, git_hooks, allow_run, tests }
    }

    fn take_out(&self, host: &Host, project: &Project) -> CommandOutcome {
        human::only(host, "taking Waypost out")?;
        // Where copies lie is said by the configuration, which goes.
        let left = init::left(project);
        if let Err(error) = project_record::removed(host, project) {
            ui::warning(format!("that could not be recorded: {}", error.message));
        }
        let code = show(project, &init::remove(host, project)?);
        let Some(left) = left else { return Ok(code) };
        if self.all || (ui::can_ask() && asking::delete(&left.words(project))) {
            for folder in left.delete()? {
                ui::line(format!(
                    "{} {} {}",
                    ui::paint(GOOD, "✓"),
                    project.relative(&folder),
                    ui::paint(DIM, "deleted")
                ));
            }
        } else {
            ui::note(format!(
                "{} stay; `waypost init --remove --all` deletes them",
                left.words(project)
            ));
        }
        Ok(code)
    }
}

/// What agents are held for from now on.
fn tell_gates(outcome: &InitOutcome) {
    for gate in outcome.gates.iter().filter(|gate| gate.in_force) {
        let when = if gate.at_stop { "stops or commits" } else { "commits or pushes" };
        let what = if gate.must { "has to run" } else { "is reminded to run" };
        let place = gate.folder.as_ref().map_or_else(String::new, |folder| format!(" in {folder}"));
        let command = ui::paint(BOLD, &gate.command);
        ui::line(format!(
            "Before it {when}, an agent {what} this after its last change{place}: {command}"
        ));
    }
}

fn show(project: &Project, outcome: &init::InitOutcome) -> ExitCode {
    for change in &outcome.changes {
        let path = project.relative(&change.path);
        ui::line(format!("{} {path} {}", ui::paint(GOOD, "✓"), ui::paint(DIM, &change.what)));
    }
    for note in &outcome.notes {
        ui::note(note.words(Voice::PERSON));
    }
    ExitCode::SUCCESS
}
