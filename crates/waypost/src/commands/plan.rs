//! `waypost plan`

use std::process::ExitCode;
use waypost_core::text::spoken::count;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::documents::plan;
use waypost_app::machine::host::Host;
use waypost_app::view::View;

use super::CommandOutcome;
use super::checkpoint::CheckpointPlaceArgs;
use crate::ui::{self, BAD};

/// Check or show the session's plan.json
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    #[command(subcommand)]
    command: PlanCommand,
}

#[derive(Debug, Subcommand)]
enum PlanCommand {
    Check(PlanCheckArgs),
    Show(PlanShowArgs),
}

/// Tell what is wrong with the plan
///
/// Ids that two have or that are not numbered from one, what waits for itself or for something that is
/// not there, missing titles, unknown statuses, wrong types, and what was never filled in of a
/// template. Ends with 0 if nothing is wrong, with 1 otherwise.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost plan check
  waypost plan check --json")]
struct PlanCheckArgs {
    #[command(flatten)]
    at: CheckpointPlaceArgs,
}

/// Show the plan for people to read, with the statuses of now
///
/// The same text as plan.md, which is written whenever the session is published.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost plan show
  waypost plan show --json")]
struct PlanShowArgs {
    #[command(flatten)]
    at: CheckpointPlaceArgs,
}

impl PlanArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            PlanCommand::Check(check) => check.run(&view),
            PlanCommand::Show(show) => show.run(&view),
        }
    }
}

impl PlanCheckArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let session = view.session(self.at.session.named())?.id;
        let (plan, problems) = plan::check(view, &session)?;
        let (checkpoints, tasks) = (plan.checkpoints.len(), plan.tasks().count());
        if self.at.json {
            ui::json(&json!({
                "session_id": session,
                "pass": problems.is_empty(),
                "checkpoints": checkpoints,
                "tasks": tasks,
                "problems": problems,
            }))?;
        } else {
            for problem in &problems {
                let path = if problem.path.is_empty() { plan::FILE } else { &problem.path };
                let message = ui::on_one_line(&problem.message);
                ui::line(format!("{}: {message}", ui::paint(BAD, path)));
            }
            if problems.is_empty() {
                ui::line(format!(
                    "nothing is wrong: {}, {}",
                    count(checkpoints, "checkpoint"),
                    count(tasks, "task")
                ));
            }
        }
        Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

impl PlanShowArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let session = view.session(self.at.session.named())?;
        let plan = plan::now(view, &session)?;
        let plan = plan.ok_or_else(|| plan::none(view, &session.id))?;
        if self.at.json {
            ui::json(&plan)?;
        } else {
            ui::line(plan::markdown(&plan).trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }
}
