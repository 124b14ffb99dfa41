//! Building in a session: its checkpoints, and the tasks of its plan.

mod follow;
mod view;

use serde::Serialize;
use waypost_core::command::{BuildCommand, Command};
use waypost_core::id::SessionId;
use waypost_core::session::Build;

pub use self::view::{Seen, SeenTask, list, task, tasks};
use crate::error::{AppError, Kind};
use crate::publish;
use crate::workflow::look;
use crate::workspace::{Executed, Session, Workspace};

/// How far building has come, in the words of `state.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// How many checkpoints there are; none before a build began.
    pub checkpoints_total: Option<u64>,
    /// Those that are completed, in order.
    pub checkpoints_completed: Vec<u64>,
    /// The one that work is at; none when all are completed.
    pub current_checkpoint: Option<u64>,
    /// How many tasks of the plan are completed.
    pub tasks_completed: u64,
}

impl Progress {
    pub(crate) fn of(build: &Build) -> Self {
        Self {
            checkpoints_total: (build.total > 0).then_some(build.total),
            checkpoints_completed: build.completed.iter().copied().collect(),
            current_checkpoint: build.current(),
            tasks_completed: build.tasks_completed,
        }
    }
}

/// A build, after something was said of it.
#[derive(Debug)]
pub struct Built {
    /// The session.
    pub session: SessionId,
    /// The last record.
    pub version: u64,
    /// How far it has come.
    pub progress: Progress,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Begins a build with this many checkpoints, or with as many as the plan has. Refused while another
/// is under way, and where the plan has another number.
pub fn init(
    workspace: &Workspace<'_>,
    session: Option<&str>,
    checkpoints_total: Option<u64>,
) -> Result<Built, AppError> {
    let session = workspace.session(session)?;
    let total = follow::total(workspace, &session, checkpoints_total)?;
    let executed = execute(workspace, &session, BuildCommand::Begin { total })?;
    built(workspace, session, executed.warnings, publish::after)
}

/// Says that work on a checkpoint begins, or goes on there.
pub fn start_checkpoint(
    workspace: &Workspace<'_>,
    session: Option<&str>,
    checkpoint: u64,
) -> Result<Built, AppError> {
    said(workspace, session, BuildCommand::StartCheckpoint { checkpoint })
}

/// Says that a checkpoint is done, whether it was started or not.
pub fn complete_checkpoint(
    workspace: &Workspace<'_>,
    session: Option<&str>,
    checkpoint: u64,
) -> Result<Built, AppError> {
    said(workspace, session, BuildCommand::CompleteCheckpoint { checkpoint })
}

/// Says that a task of the plan is done. There need be no checkpoints for it.
pub fn complete_task(
    workspace: &Workspace<'_>,
    session: Option<&str>,
    task: &str,
) -> Result<Built, AppError> {
    said(workspace, session, BuildCommand::CompleteTask { task: task.to_owned() })
}

fn said(
    workspace: &Workspace<'_>,
    session: Option<&str>,
    command: BuildCommand,
) -> Result<Built, AppError> {
    let session = workspace.session(session)?;
    let plan = follow::plan(workspace, &session);
    let mut warnings = Vec::new();
    let mut state = session.state.build.clone();
    if let Some(plan) = &plan {
        follow::check(plan, &command).or_else(|refused| match &command {
            // The phases of a workflow have tasks of their own.
            BuildCommand::CompleteTask { task } if look::has_task(workspace, &session, task) => {
                Ok(())
            }
            _ => Err(refused),
        })?;
        if let Some(total) = follow::grown(plan, &state) {
            warnings.extend(extend(workspace, &session, total)?);
            state.total = total;
        }
    }
    let told = plan.map(|plan| follow::warnings(&plan, &state, &command)).unwrap_or_default();
    // There are many tasks to a checkpoint: the copy follows with the next of those.
    let is_task = matches!(command, BuildCommand::CompleteTask { .. });
    let publish = if is_task { publish::plan_after } else { publish::after };
    warnings.extend(execute(workspace, &session, command)?.warnings);
    warnings.extend(told);
    built(workspace, session, warnings, publish)
}

/// Lets the build grow with its plan, unless another process just did.
fn extend(
    workspace: &Workspace<'_>,
    session: &Session,
    total: u64,
) -> Result<Vec<String>, AppError> {
    match execute(workspace, session, BuildCommand::Extend { total }) {
        Ok(grown) => {
            let told = format!("the plan has grown: the build has {total} checkpoints now");
            Ok(grown.warnings.into_iter().chain([told]).collect())
        }
        Err(error) if error.kind == Kind::Refused => {
            let is_done = workspace.load(&session.id)?.build.total >= total;
            if is_done { Ok(Vec::new()) } else { Err(error) }
        }
        Err(error) => Err(error),
    }
}

fn execute(
    workspace: &Workspace<'_>,
    session: &Session,
    command: BuildCommand,
) -> Result<Executed, AppError> {
    workspace.execute(&session.id, &workspace.actor(), Command::Build(command))
}

fn built(
    workspace: &Workspace<'_>,
    session: Session,
    mut warnings: Vec<String>,
    publish: fn(&Workspace<'_>, &SessionId) -> Vec<String>,
) -> Result<Built, AppError> {
    warnings.extend(publish(workspace, &session.id));
    let state = workspace.load(&session.id)?;
    let progress = Progress::of(&state.build);
    Ok(Built { session: session.id, version: state.version, progress, warnings })
}
