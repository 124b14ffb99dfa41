//! `waypost init`

use std::process::ExitCode;

use clap::Args;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::machine::project::{self, Project};
use waypost_app::setup::init::{self, Options, Preset};
use waypost_app::setup::project_record;
use waypost_app::view::View;
use waypost_app::view::human;

use waypost_core::next_step::Voice;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM, GOOD};
use crate::wiring;

/// Set a project up: configuration, key, hooks, MCP server
///
/// Looks at the project, proposes its test command, writes waypost.toml and registers Waypost's
/// hooks and MCP server beside those that are there. Running it again changes nothing; `--remove` puts everything
/// back as it was.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost init                      gates as strict as they should be
  waypost init --preset relaxed     the test gate only warns
  waypost init --test-command 'make check'
  waypost init --shared             also for everyone who works on this project
  waypost init --git-hooks          git itself asks before commits and pushes too
  waypost init --remove             takes it all out again")]
#[expect(clippy::struct_excessive_bools, reason = "flags that have nothing to do with each other")]
pub(super) struct InitArgs {
    /// The harnesses to register with
    #[arg(long, value_delimiter = ',', default_values = wiring::harness_facts().map(|one| one.name))]
    harness: Vec<String>,
    /// How strict the first gates are: strict, relaxed or minimal
    #[arg(long)]
    preset: Option<String>,
    /// The command that runs the project's tests [default: what the project's files propose]
    #[arg(long, value_name = "COMMAND")]
    test_command: Option<String>,
    /// Also register in the project's shared settings, through a wrapper that is committed
    #[arg(long)]
    shared: bool,
    /// Also let git ask before every commit and push; hooks that are there run first
    #[arg(long)]
    git_hooks: bool,
    /// Let agents run `waypost run --gate ID` of these gates without asking you
    #[arg(long)]
    allow_run: bool,
    /// Take Waypost's entries out again
    #[arg(long, conflicts_with_all = ["preset", "shared", "test_command", "git_hooks", "allow_run"])]
    remove: bool,
}

impl InitArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let project = project::find_or_here(&host.cwd)?;
        if self.remove {
            human::only(host, "taking Waypost out")?;
            return Ok(show(&project, &init::remove(host, &project)?));
        }
        let options = self.options(&project)?;
        let outcome = init::run(host, &project, &options)?;
        let view = View::with(host, project.clone(), host.keyring()?);
        let compiled = project_record::record(&view, outcome.config.as_deref())?;
        let code = show(&project, &outcome);
        for warning in &compiled.warnings {
            ui::warning(warning);
        }
        if let Some(command) = &outcome.test_command {
            ui::line(format!(
                "The agent is held until this ran after its last change: {}",
                ui::paint(BOLD, command)
            ));
        }
        ui::line(format!("Next: {} sees that it works.", ui::paint(BOLD, "waypost doctor")));
        Ok(code)
    }

    fn options(self, project: &Project) -> Result<Options, AppError> {
        let preset: Option<Preset> = self.preset.map(|name| name.parse()).transpose()?;
        let mut test_command = self.test_command;
        let is_new = !project.config_file().exists();
        if test_command.is_none() && is_new && preset != Some(Preset::Minimal) && ui::can_ask() {
            let proposed = init::proposed_test_commands(&project.root);
            let default = proposed.first().map_or("none", |proposal| proposal.command.as_str());
            test_command =
                ui::ask("Which command runs the tests?", default).filter(|answer| answer != "none");
        }
        let mut allow_run = self.allow_run;
        if is_new && !allow_run && ui::can_ask() {
            let question = "May agents have Waypost run the tests without asking you (yes or no)?";
            allow_run =
                ui::ask(question, "yes").is_some_and(|answer| answer.starts_with(['y', 'Y']));
        }
        let (harnesses, shared, git_hooks) = (self.harness, self.shared, self.git_hooks);
        Ok(Options { harnesses, preset, shared, git_hooks, allow_run, test_command })
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
