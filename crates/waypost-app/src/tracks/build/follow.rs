//! A build follows its plan: how many checkpoints there are, which tasks, and what comes before what.
//!
//! It only looks. A plan that cannot be read holds nothing up: publishing tells of it.

use waypost_core::command::{BuildCommand, MAX_TASK};
use waypost_core::next_step::{Look, NextStep, does, to};
use waypost_core::session::{Build, MAX_CHECKPOINTS};
use waypost_core::text::{did_you_mean, one_line, shortened};

use crate::documents::plan::{self, Checkpoint, Plan, PlanStatus};
use crate::error::AppError;
use crate::view::{Session, View};

/// The plan of a session that is built in this work tree, if there is one that can be read.
pub(super) fn plan(view: &View<'_>, session: &Session) -> Option<Plan> {
    let is_here = session.state.worktree == view.project.worktree();
    if is_here { plan::of(view, &session.id).ok().flatten() } else { None }
}

/// How many checkpoints a build begins with.
pub(super) fn total(
    view: &View<'_>,
    session: &Session,
    given: Option<u64>,
) -> Result<u64, AppError> {
    let planned = plan(view, session).map(|plan| plan.total()).filter(|total| *total > 0);
    match (given, planned) {
        (Some(given), Some(planned)) if given != planned => {
            let plural = if planned == 1 { "" } else { "s" };
            Err(AppError::refused(format!(
                "{} has {planned} checkpoint{plural}, not {given}",
                plan::FILE
            ))
            .hint(format!("begin with {planned}, or change the plan first")))
        }
        (Some(total), _) | (None, Some(total)) => Ok(total),
        (None, None) => {
            // Why it cannot be read is the better answer.
            plan::of(view, &session.id)?;
            Err(AppError::refused(
                "there is no plan with checkpoints, so their number is not known",
            )
            .hint(to("give it", NextStep::BeginBuild(Some(3))))
            .hint(format!("or write the checkpoints into {}", plan::FILE)))
        }
    }
}

/// Refuses what is not in the plan.
pub(super) fn check(plan: &Plan, command: &BuildCommand) -> Result<(), AppError> {
    let BuildCommand::CompleteTask { task } = command else { return Ok(()) };
    let task = one_line(task);
    if task.is_empty() || plan.tasks().next().is_none() || plan.task(&task).is_some() {
        return Ok(());
    }
    Err(no_such_task(plan, &task))
}

/// Says that a plan has no such task, and which one was probably meant.
pub(super) fn no_such_task(plan: &Plan, task: &str) -> AppError {
    let task = shortened(task, 60);
    let error = AppError::refused(format!("{} has no task `{task}`", plan::FILE));
    // Comparing takes time and room by the length of both.
    let ids = plan.tasks().map(|task| task.id.as_str());
    let known: Vec<&str> = ids.filter(|id| id.len() <= MAX_TASK).collect();
    match did_you_mean(&task, &known) {
        Some(meant) => error.hint(format!("did you mean {}?", one_line(meant))),
        None => error.hint(does(Look::Tasks, "shows them")),
    }
}

/// How many checkpoints the plan has by now, if those are more than the build knows.
pub(super) fn grown(plan: &Plan, build: &Build) -> Option<u64> {
    let total = plan.total();
    let grown = build.total > 0 && total > build.total && total <= MAX_CHECKPOINTS;
    (grown && plan.is_numbered()).then_some(total)
}

/// What the plan has to say about a command.
pub(super) fn warnings(plan: &Plan, build: &Build, command: &BuildCommand) -> Vec<String> {
    let warning = match command {
        BuildCommand::StartCheckpoint { checkpoint } => {
            plan.checkpoint(*checkpoint).and_then(|checkpoint| too_early(plan, build, checkpoint))
        }
        BuildCommand::CompleteCheckpoint { checkpoint } => {
            plan.checkpoint(*checkpoint).and_then(|checkpoint| unreported(build, checkpoint))
        }
        _ => None,
    };
    warning.into_iter().collect()
}

fn too_early(plan: &Plan, build: &Build, checkpoint: &Checkpoint) -> Option<String> {
    let is_open = |id: &&String| {
        let before = plan.checkpoints.iter().find(|before| before.id == **id);
        before.is_some_and(|before| !build.completed.contains(&before.number))
    };
    let open: Vec<String> = checkpoint.prerequisites.iter().filter(is_open).cloned().collect();
    let are = if open.len() == 1 { "is" } else { "are" };
    (!open.is_empty()).then(|| {
        let named = plan::named("checkpoint", &open);
        format!("checkpoint {} comes after {named}, which {are} not completed", checkpoint.number)
    })
}

fn unreported(build: &Build, checkpoint: &Checkpoint) -> Option<String> {
    // Only the last tasks are remembered: where some were forgotten, nobody knows.
    if build.tasks_completed > u64::try_from(build.tasks.len()).unwrap_or(u64::MAX) {
        return None;
    }
    let open: Vec<String> = checkpoint
        .tasks()
        .filter(|task| {
            task.status != PlanStatus::Skipped && !build.tasks.contains(&one_line(&task.id))
        })
        .map(|task| task.id.clone())
        .collect();
    (!open.is_empty()).then(|| {
        let named = plan::named("task", &open);
        let stay = if open.len() == 1 { "it stays" } else { "they stay" };
        format!("nobody reported {named} of checkpoint {}: {stay} open", checkpoint.number)
    })
}
