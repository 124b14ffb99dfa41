//! `waypost task`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::tracks::build::{self, SeenTask};
use waypost_app::view::View;

use super::CommandOutcome;
use super::checkpoint::{CheckpointPlaceArgs, shown, style, tell};
use crate::ui::{self, BOLD, DIM};

/// Look at the tasks of the plan, and say that one is complete
#[derive(Debug, Args)]
pub(super) struct TaskArgs {
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Debug, Subcommand)]
enum TaskCommand {
    List(TaskListArgs),
    Show(OneTaskArgs),
    Complete(OneTaskArgs),
}

/// List the tasks of the plan
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost task list
  waypost task list --json")]
struct TaskListArgs {
    #[command(flatten)]
    at: CheckpointPlaceArgs,
}

/// One task of the plan
///
/// `show` tells all that the plan says of it. `complete` says that it is done: plan.json and plan.md
/// follow.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost task show 1.2.3
  waypost task complete 1.2.3")]
struct OneTaskArgs {
    /// The task's id in the plan
    task: String,
    #[command(flatten)]
    at: CheckpointPlaceArgs,
}

impl TaskArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            TaskCommand::List(list) => list.run(&view),
            TaskCommand::Show(one) => one.show(&view),
            TaskCommand::Complete(OneTaskArgs { task, at }) => {
                let built = build::complete_task(&view, at.session.named(), &task)?;
                let done = format!("task {} is complete", ui::on_one_line(&task));
                tell(&built, &done, at.json)
            }
        }
    }
}

impl TaskListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, tasks) = build::tasks(view, self.at.session.named())?;
        if self.at.json {
            ui::json(&json!({"session_id": session, "tasks": tasks}))?;
            return Ok(ExitCode::SUCCESS);
        }
        if tasks.is_empty() {
            ui::note(format!("the plan of {session} has no tasks"));
        }
        let widest = tasks.iter().map(|seen| seen.task.id.chars().count()).max().unwrap_or(0);
        for SeenTask { task, .. } in &tasks {
            let id = format!("{:<widest$}", ui::on_one_line(&task.id));
            let status = format!("{:<11}", shown(&task.status));
            let file = task.file_path.as_deref().map(ui::on_one_line).unwrap_or_default();
            ui::line(format!(
                "{}  {}  {}  {}",
                ui::paint(BOLD, id),
                ui::paint(style(&task.status), status),
                ui::on_one_line(&task.title),
                ui::paint(DIM, file)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl OneTaskArgs {
    fn show(self, view: &View<'_>) -> CommandOutcome {
        let (session, seen) = build::task(view, self.at.session.named(), &self.task)?;
        if self.at.json {
            ui::json(&with_session(&seen, session.as_str())?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let task = &seen.task;
        let title = format!("{} {}", task.id, ui::on_one_line(&task.title));
        ui::line(ui::paint(BOLD, ui::on_one_line(&title)));
        ui::field_in(style(&task.status), "status", shown(&task.status));
        ui::field("checkpoint", seen.checkpoint);
        let texts =
            [("group", &seen.group), ("file", &task.file_path), ("what", &task.description)];
        for (name, text) in texts {
            if let Some(text) = text {
                ui::field(name, text);
            }
        }
        for reading in &task.read_before {
            let lines = reading.lines.as_ref().map(|lines| format!(" ({lines})"));
            let purpose = reading.purpose.as_ref().map(|purpose| format!(": {purpose}"));
            let (lines, purpose) = (lines.unwrap_or_default(), purpose.unwrap_or_default());
            ui::field("read first", format!("{}{lines}{purpose}", reading.file));
        }
        for (name, list) in [("related", &task.related_files), ("after", &task.depends_on)] {
            if !list.is_empty() {
                ui::field(name, list.join(", "));
            }
        }
        for action in &task.actions {
            let file = action.file.as_ref().map(|file| format!(" ({file})")).unwrap_or_default();
            ui::field_in(style(&action.status), "action", format!("{}{file}", action.command));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn with_session(seen: &SeenTask, session: &str) -> Result<Value, AppError> {
    let mut value = serde_json::to_value(seen).map_err(|error| {
        AppError::refused(format!("cannot be written as JSON: {error}")).because(error)
    })?;
    value["session_id"] = session.into();
    Ok(value)
}
