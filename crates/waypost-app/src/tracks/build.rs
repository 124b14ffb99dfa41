//! Building in a session: its checkpoints, and the tasks of its plan.

mod follow;
mod seen;

use serde::Serialize;
use waypost_core::command::{BuildCommand, Command};
use waypost_core::id::SessionId;
use waypost_core::session::Build;
use waypost_core::text::spoken::count;

pub use self::seen::{SeenCheckpoint, SeenTask, list, task, tasks};
use crate::error::{AppError, Kind};
use crate::tracks::workflow::look;
use crate::view::{Executed, Session, View};

/// How far building has come, in the words of `state.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuildProgress {
    /// How many checkpoints there are; none before a build began.
    pub checkpoints_total: Option<u64>,
    /// Those that are completed, in order.
    pub checkpoints_completed: Vec<u64>,
    /// The one that work is at; none when all are completed.
    pub current_checkpoint: Option<u64>,
    /// How many tasks of the plan are completed.
    pub tasks_completed: u64,
}

impl BuildProgress {
    /// Of a build.
    pub fn of(build: &Build) -> Self {
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
    pub progress: BuildProgress,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Begins a build with this many checkpoints, or with as many as the plan has. Refused while another
/// is under way, and where the plan has another number.
pub fn init(
    view: &View<'_>,
    session: Option<&str>,
    checkpoints_total: Option<u64>,
) -> Result<Built, AppError> {
    let session = view.session(session)?;
    let total = follow::total(view, &session, checkpoints_total)?;
    let executed = execute(view, &session, BuildCommand::Begin { total })?;
    built(view, session, executed.warnings)
}

/// Says that work on a checkpoint begins, or goes on there.
pub fn start_checkpoint(
    view: &View<'_>,
    session: Option<&str>,
    checkpoint: u64,
) -> Result<Built, AppError> {
    said(view, session, BuildCommand::StartCheckpoint { checkpoint })
}

/// Says that a checkpoint is done, whether it was started or not.
pub fn complete_checkpoint(
    view: &View<'_>,
    session: Option<&str>,
    checkpoint: u64,
) -> Result<Built, AppError> {
    said(view, session, BuildCommand::CompleteCheckpoint { checkpoint })
}

/// Says that a task of the plan is done. There need be no checkpoints for it.
pub fn complete_task(
    view: &View<'_>,
    session: Option<&str>,
    task: &str,
) -> Result<Built, AppError> {
    said(view, session, BuildCommand::CompleteTask { task: task.to_owned() })
}

fn said(view: &View<'_>, session: Option<&str>, command: BuildCommand) -> Result<Built, AppError> {
    let session = view.session(session)?;
    let plan = follow::plan(view, &session);
    let mut warnings = Vec::new();
    let mut state = session.state.build.clone();
    if let Some(plan) = &plan {
        follow::check(plan, &command).or_else(|refused| match &command {
            // The phases of a workflow have tasks of their own.
            BuildCommand::CompleteTask { task } if look::has_task(view, &session, task) => Ok(()),
            _ => Err(refused),
        })?;
        if let Some(total) = follow::grown(plan, &state) {
            warnings.extend(extend(view, &session, total)?);
            state.total = total;
        }
    }
    let told = plan.map(|plan| follow::warnings(&plan, &state, &command)).unwrap_or_default();
    warnings.extend(execute(view, &session, command)?.warnings);
    warnings.extend(told);
    built(view, session, warnings)
}

/// Lets the build grow with its plan, unless another process just did.
fn extend(view: &View<'_>, session: &Session, total: u64) -> Result<Vec<String>, AppError> {
    match execute(view, session, BuildCommand::Extend { total }) {
        Ok(grown) => {
            let told =
                format!("the plan has grown: the build has {} now", count(total, "checkpoint"));
            Ok(grown.warnings.into_iter().chain([told]).collect())
        }
        Err(error) if error.kind == Kind::Refused => {
            let is_done = view.load(&session.id)?.build.total >= total;
            if is_done { Ok(Vec::new()) } else { Err(error) }
        }
        Err(error) => Err(error),
    }
}

fn execute(
    view: &View<'_>,
    session: &Session,
    command: BuildCommand,
) -> Result<Executed, AppError> {
    view.execute(&session.id, &view.actor(), Command::Build(command))
}

fn built(view: &View<'_>, session: Session, warnings: Vec<String>) -> Result<Built, AppError> {
    let state = view.load(&session.id)?;
    let progress = BuildProgress::of(&state.build);
    Ok(Built { session: session.id, version: state.version, progress, warnings })
}
