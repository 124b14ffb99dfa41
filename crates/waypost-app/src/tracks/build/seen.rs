//! Looking at a build: its checkpoints and tasks, from the plan and from what the session knows.

use serde::Serialize;
use waypost_core::id::SessionId;
use waypost_core::session::Build;
use waypost_core::text::one_line;

use super::{BuildProgress, follow};
use crate::documents::plan::{self, Plan, PlanStatus, Task};
use crate::error::AppError;
use crate::view::{Session, View};

/// A checkpoint as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeenCheckpoint {
    /// Its number.
    pub checkpoint: u64,
    /// What the plan calls it.
    pub title: Option<String>,
    /// How far it has come.
    pub status: PlanStatus,
    /// Whether work is at it.
    pub current: bool,
    /// How many of its tasks are completed.
    pub tasks_completed: usize,
    /// How many tasks it has.
    pub tasks_total: usize,
    /// The checkpoints that come before it.
    pub prerequisites: Vec<String>,
}

/// A task and where it stands in the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeenTask {
    /// The number of its checkpoint.
    pub checkpoint: u64,
    /// Its group, if it is in one.
    pub group: Option<String>,
    /// All that the plan says of it.
    #[serde(flatten)]
    pub task: Task,
}

/// The checkpoints of a session, from its plan and its build.
pub fn list(
    view: &View<'_>,
    session: Option<&str>,
) -> Result<(SessionId, BuildProgress, Vec<SeenCheckpoint>), AppError> {
    let session = view.session(session)?;
    let build = &session.state.build;
    let plan = plan::now(view, &session)?.unwrap_or_default();
    let mut seen = planned(&plan, build);
    // A build may have begun before its plan was written, or have more than is left of it.
    for number in (1..=build.total).filter(|number| plan.checkpoint(*number).is_none()) {
        seen.push(unplanned(number, build));
    }
    seen.sort_by_key(|one| one.checkpoint);
    Ok((session.id.clone(), BuildProgress::of(build), seen))
}

fn planned(plan: &Plan, build: &Build) -> Vec<SeenCheckpoint> {
    let each = plan.checkpoints.iter().map(|checkpoint| SeenCheckpoint {
        checkpoint: checkpoint.number,
        title: Some(checkpoint.title.clone()).filter(|title| !title.is_empty()),
        status: checkpoint.status.clone(),
        current: build.current() == Some(checkpoint.number),
        tasks_completed: checkpoint.tasks().filter(|task| task.status.is_completed()).count(),
        tasks_total: checkpoint.tasks().count(),
        prerequisites: checkpoint.prerequisites.clone(),
    });
    each.collect()
}

fn unplanned(number: u64, build: &Build) -> SeenCheckpoint {
    let status = if build.completed.contains(&number) {
        PlanStatus::Completed
    } else if build.under_way.contains(&number) {
        PlanStatus::InProgress
    } else {
        PlanStatus::Pending
    };
    SeenCheckpoint {
        checkpoint: number,
        title: None,
        status,
        current: build.current() == Some(number),
        tasks_completed: 0,
        tasks_total: 0,
        prerequisites: Vec::new(),
    }
}

/// The tasks of a session's plan.
pub fn tasks(
    view: &View<'_>,
    session: Option<&str>,
) -> Result<(SessionId, Vec<SeenTask>), AppError> {
    let session = view.session(session)?;
    let plan = required(view, &session)?;
    Ok((session.id, all(&plan)))
}

/// One task of a session's plan.
pub fn task(
    view: &View<'_>,
    session: Option<&str>,
    id: &str,
) -> Result<(SessionId, SeenTask), AppError> {
    let session = view.session(session)?;
    let plan = required(view, &session)?;
    let id = one_line(id);
    let found = all(&plan).into_iter().find(|seen| seen.task.id == id);
    let found = found.ok_or_else(|| follow::no_such_task(&plan, &id))?;
    Ok((session.id, found))
}

fn required(view: &View<'_>, session: &Session) -> Result<Plan, AppError> {
    plan::now(view, session)?.ok_or_else(|| plan::none(view, &session.id))
}

fn all(plan: &Plan) -> Vec<SeenTask> {
    let groups = plan
        .checkpoints
        .iter()
        .flat_map(|checkpoint| checkpoint.task_groups.iter().map(move |group| (checkpoint, group)));
    let each = groups.flat_map(|(checkpoint, group)| {
        group.tasks.iter().map(move |task| SeenTask {
            checkpoint: checkpoint.number,
            group: Some(group.id.clone()).filter(|id| !id.is_empty()),
            task: task.clone(),
        })
    });
    each.collect()
}
