//! `waypost protocol`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::error::{AppError, Kind};
use waypost_app::machine::host::Host;
use waypost_app::tracks::protocol::show::{self, ShownPhase, ShownProtocol, ShownStep};
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};

/// Look at the session protocol that agents follow here
///
/// It is the built-in one, or a file of the project that waypost.toml names: `protocol = "…"` below
/// [project]. `[protocol]` and `[[protocol.step]]` there change single steps.
#[derive(Debug, Args)]
pub(super) struct ProtocolArgs {
    #[command(subcommand)]
    command: ProtocolCommand,
}

#[derive(Debug, Subcommand)]
enum ProtocolCommand {
    Show(ProtocolShowArgs),
    Check(ProtocolCheckArgs),
}

/// Show the protocol: its phases, their steps, and what shows that each is done
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost protocol show
  waypost protocol show --json
  waypost protocol show .agents/SESSION-PROTOCOL.md    a file that nobody follows yet")]
struct ProtocolShowArgs {
    /// A file, instead of the protocol that the project follows
    file: Option<PathBuf>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Tell whether the protocol can be followed as it is written
///
/// Ends with 0 if it can, with 1 if something could not be understood; each problem is told with its
/// file and line.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost protocol check
  waypost protocol check --json
  waypost protocol check .agents/SESSION-PROTOCOL.md    a file that nobody follows yet")]
struct ProtocolCheckArgs {
    /// A file, instead of the protocol that the project follows
    file: Option<PathBuf>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl ProtocolArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        match self.command {
            ProtocolCommand::Show(show) => {
                let shown = find(host, show.file)?;
                if show.json {
                    ui::json(&shown)?;
                } else {
                    tell(&shown);
                    shown.problems.iter().for_each(ui::warning);
                }
                Ok(ExitCode::SUCCESS)
            }
            ProtocolCommand::Check(check) => check.run(host),
        }
    }
}

impl ProtocolCheckArgs {
    fn run(self, host: &Host) -> CommandOutcome {
        let mut next = Vec::new();
        let shown = match find(host, self.file) {
            Ok(shown) => shown,
            // One that cannot be read is what this is asked for; where there is none, nothing can be wrong.
            Err(error) if error.kind == Kind::Configuration => {
                next.clone_from(&error.hints);
                let problems = vec![error.message];
                ShownProtocol { problems, ..ShownProtocol::default() }
            }
            Err(error) => return Err(error),
        };
        let ok = shown.problems.is_empty();
        if self.json {
            let mut checked = serde_json::to_value(&shown)
                .map_err(|error| AppError::refused(error.to_string()))?;
            checked["ok"] = json!(ok);
            ui::json(&checked)?;
        } else if ok {
            let steps: usize = shown.phases.iter().map(|phase| phase.steps.len()).sum();
            let phases = shown.phases.len();
            ui::line(format!("{}: {phases} phases, {steps} steps, nothing wrong", shown.source));
        } else {
            shown.problems.iter().for_each(|problem| ui::error(problem, &next));
        }
        Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn find(host: &Host, file: Option<PathBuf>) -> Result<ShownProtocol, AppError> {
    match file {
        Some(file) => show::of_file(&file),
        None => show::of_project(&View::open(host)?),
    }
}

fn tell(shown: &ShownProtocol) {
    let version = shown.version.as_deref().unwrap_or_default();
    let head = format!("{} {version}", ui::paint(BOLD, ui::on_one_line(&shown.title)));
    let source = ui::paint(DIM, format!("({})", shown.source));
    ui::line(format!("{}  {source}", head.trim_end()));
    let mut section = "";
    for phase in &shown.phases {
        if phase.section != section {
            section = &phase.section;
            ui::line("");
            ui::line(ui::on_one_line(section));
        }
        tell_phase(phase);
    }
    if !shown.outside.is_empty() {
        ui::line("");
        ui::line(
            "Outside of phases, or with its key word in small letters, so nobody is followed step by step there:",
        );
        for outside in &shown.outside {
            let source = ui::paint(DIM, &outside.source);
            let text = ui::on_one_line(&outside.requirement);
            ui::line(format!("  {:6} {text}  {source}", outside.level.to_string()));
        }
    }
}

fn tell_phase(phase: &ShownPhase) {
    ui::line("");
    let named = phase.label.is_empty() || phase.name.starts_with(&phase.label);
    let label = if named { String::new() } else { format!("{}: ", phase.label) };
    let name = ui::paint(BOLD, format!("{label}{}", ui::on_one_line(&phase.name)));
    let condition = phase.condition.as_deref().unwrap_or_default();
    let level = format!("{} {condition}", phase.level);
    ui::line(format!("{name}  {}", ui::on_one_line(&level)));
    if phase.steps.is_empty() {
        ui::line("  nothing that is followed");
    }
    phase.steps.iter().for_each(tell_step);
}

fn tell_step(step: &ShownStep) {
    let ShownStep { id, level, requirement, proof, applies, source, .. } = step;
    let source = ui::paint(DIM, source);
    ui::line(format!("  {:6} {}  {source}", level.to_string(), ui::paint(BOLD, id)));
    ui::line(format!("{:9}{}", "", ui::on_one_line(requirement)));
    let applies = applies.as_ref().map_or_else(String::new, |text| format!(" ({text})"));
    ui::line(format!("{:9}→ {}", "", ui::on_one_line(&format!("{proof}{applies}"))));
}
