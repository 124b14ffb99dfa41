//! `waypost checkpoint`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::documents::plan::PlanStatus;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::tracks::build::{self, Built, SeenCheckpoint};
use waypost_app::view::View;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// Show the checkpoints of a build, and say how far it has come
///
/// They stand in the session's plan.json, whose statuses follow what is said here. Without a
/// subcommand: `list`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  waypost checkpoint              all of them, and where work is
  waypost checkpoint init         begins a build with the plan's checkpoints
  waypost checkpoint start 2
  waypost checkpoint complete 2"
)]
pub(super) struct CheckpointArgs {
    #[command(subcommand)]
    command: Option<CheckpointCommand>,
    #[command(flatten)]
    list: CheckpointListArgs,
}

#[derive(Debug, Subcommand)]
enum CheckpointCommand {
    List(CheckpointListArgs),
    Init(CheckpointInitArgs),
    Start(OneCheckpointArgs),
    Complete(OneCheckpointArgs),
}

/// List the checkpoints
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost checkpoint list
  waypost checkpoint list --json")]
struct CheckpointListArgs {
    #[command(flatten)]
    at: CheckpointPlaceArgs,
}

/// Begin a build
///
/// Refused while another is under way, and where the plan has another number of checkpoints.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost checkpoint init      with as many checkpoints as plan.json has
  waypost checkpoint init 3    where there is no plan")]
struct CheckpointInitArgs {
    /// How many checkpoints it has; without it: as many as the plan
    total: Option<String>,
    #[command(flatten)]
    at: CheckpointPlaceArgs,
}

/// Say that a checkpoint begins or is complete, in any order
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost checkpoint start 2
  waypost checkpoint complete 2 --json")]
struct OneCheckpointArgs {
    /// Its number, from one
    number: u64,
    #[command(flatten)]
    at: CheckpointPlaceArgs,
}

/// How many checkpoints somebody wants.
fn number_of(text: &str) -> Result<u64, AppError> {
    text.parse().map_err(|error| {
        AppError::configuration(format!("`{}` is not a number", ui::on_one_line(text)))
            .because(error)
            .hint("for example: 3")
    })
}

/// Which session, and how to answer.
#[derive(Debug, Args)]
pub(super) struct CheckpointPlaceArgs {
    #[command(flatten)]
    pub(super) session: WhichSession,
    /// Give JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl CheckpointArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command.unwrap_or(CheckpointCommand::List(self.list)) {
            CheckpointCommand::List(list) => list.run(&view),
            CheckpointCommand::Init(CheckpointInitArgs { total, at }) => {
                let (session, total) = at.session.or_first(total.as_deref());
                let built = build::init(&view, session, total.map(number_of).transpose()?)?;
                tell(&built, "build begun", at.json)
            }
            CheckpointCommand::Start(OneCheckpointArgs { number, at }) => {
                let built = build::start_checkpoint(&view, at.session.named(), number)?;
                tell(&built, &format!("checkpoint {number} is under way"), at.json)
            }
            CheckpointCommand::Complete(OneCheckpointArgs { number, at }) => {
                let built = build::complete_checkpoint(&view, at.session.named(), number)?;
                tell(&built, &format!("checkpoint {number} is complete"), at.json)
            }
        }
    }
}

impl CheckpointListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, progress, seen) = build::list(view, self.at.session.named())?;
        if self.at.json {
            ui::json(&json!({
                "session_id": session,
                "build_progress": progress,
                "checkpoints": seen,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        if seen.is_empty() {
            ui::note(format!("{session} has no checkpoints: neither in a plan nor in a build"));
        } else if progress.checkpoints_total.is_none() {
            ui::note("no build has begun; `waypost checkpoint init` begins it");
        }
        seen.iter().for_each(show);
        Ok(ExitCode::SUCCESS)
    }
}

fn show(seen: &SeenCheckpoint) {
    let title = seen.title.as_deref().map(ui::on_one_line).unwrap_or_default();
    let tasks = match seen.tasks_total {
        0 => String::new(),
        total => format!(", {} of {total} tasks", seen.tasks_completed),
    };
    let mark = if seen.current { ">" } else { " " };
    let status = format!("{:<11}", shown(&seen.status));
    ui::line(format!(
        "{} {:>3}  {}  {}{}",
        ui::paint(BOLD, mark),
        seen.checkpoint,
        ui::paint(style(&seen.status), status),
        ui::paint(BOLD, if title.is_empty() { "(not in the plan)".to_owned() } else { title }),
        ui::paint(DIM, tasks)
    ));
}

/// A status on one line.
pub(super) fn shown(status: &PlanStatus) -> String {
    ui::on_one_line(status.name())
}

/// How a status looks.
pub(super) fn style(status: &PlanStatus) -> anstyle::Style {
    match status {
        PlanStatus::Completed => GOOD,
        PlanStatus::InProgress => WARN,
        PlanStatus::Blocked => BAD,
        PlanStatus::Pending | PlanStatus::Skipped | PlanStatus::Other(_) => DIM,
    }
}

/// Says what was done and how far the build has come.
pub(super) fn tell(built: &Built, done: &str, json: bool) -> CommandOutcome {
    ui::warnings(&built.warnings);
    let progress = &built.progress;
    if json {
        ui::json(&json!({
            "session_id": built.session,
            "version": built.version,
            "build_progress": progress,
            "warnings": built.warnings,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = done.to_owned();
    if let Some(total) = progress.checkpoints_total {
        let completed = progress.checkpoints_completed.len();
        text.push_str(&format!("; {completed} of {total} checkpoints are complete"));
        if let Some(current) = progress.current_checkpoint {
            text.push_str(&format!(", work is at checkpoint {current}"));
        }
    }
    ui::line(text);
    Ok(ExitCode::SUCCESS)
}
