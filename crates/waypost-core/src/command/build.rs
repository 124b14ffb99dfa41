//! Building: how many checkpoints there are, which are under way or done, and which tasks are.

use super::{Refusal, check, check_open};
use crate::event::Known;
use crate::session::{Build, Lifecycle, MAX_CHECKPOINTS, SessionState};
use crate::text::{one_line, shortened};

/// The longest name of a task, in bytes: the state holds many.
pub const MAX_TASK: usize = 64;

/// What somebody says of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildCommand {
    /// It begins.
    Begin {
        /// With this many checkpoints.
        total: u64,
    },
    /// Its plan has grown.
    Extend {
        /// To this many checkpoints.
        total: u64,
    },
    /// Work on a checkpoint begins, or goes on there.
    StartCheckpoint {
        /// Its number, from one.
        checkpoint: u64,
    },
    /// A checkpoint is done.
    CompleteCheckpoint {
        /// Its number, from one.
        checkpoint: u64,
    },
    /// A task is done.
    CompleteTask {
        /// The plan's name for it.
        task: String,
    },
}

/// Why what somebody says of a build is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildRefusal {
    /// Nobody said how many checkpoints there are.
    #[error("no build has begun in the session: nobody said how many checkpoints it has")]
    NotBegun,
    /// No build can have that many.
    #[error("a build has 1 to {MAX_CHECKPOINTS} checkpoints, not {0}")]
    Total(u64),
    /// There is a build already that is not done.
    #[error("a build is under way: {done} of its {total} checkpoints are completed")]
    UnderWay {
        /// How many are completed.
        done: u64,
        /// How many there are.
        total: u64,
    },
    /// A build only grows.
    #[error("the build has {total} checkpoints already, so it does not grow to {wanted}")]
    NotMore {
        /// How many it was to have.
        wanted: u64,
        /// How many there are.
        total: u64,
    },
    /// The number is none of the build's.
    #[error("there is no checkpoint {checkpoint}: the build has 1 to {total}")]
    NoSuchCheckpoint {
        /// The number.
        checkpoint: u64,
        /// How many there are.
        total: u64,
    },
    /// The checkpoint is what work is at already.
    #[error("checkpoint {0} is under way already")]
    Started(u64),
    /// The checkpoint is done.
    #[error("checkpoint {checkpoint} is completed already{}", then(*.current))]
    Completed {
        /// The number.
        checkpoint: u64,
        /// The one that work is at.
        current: Option<u64>,
    },
    /// The task is done.
    #[error("task {0} is completed already")]
    TaskCompleted(String),
}

fn then(current: Option<u64>) -> String {
    match current {
        Some(current) => format!("; work is at checkpoint {current}"),
        None => ", and so are all others".to_owned(),
    }
}

pub(super) fn decide(state: &SessionState, command: BuildCommand) -> Result<Vec<Known>, Refusal> {
    check_open(state)?;
    let build = &state.build;
    let event = match command {
        BuildCommand::Begin { total } => {
            check_working(state)?;
            begin(build, total)?
        }
        BuildCommand::Extend { total } => extend(build, total)?,
        BuildCommand::StartCheckpoint { checkpoint } => {
            check_working(state)?;
            check_unfinished(build, checkpoint)?;
            // One that waits behind another may be gone back to.
            if build.under_way.last() == Some(&checkpoint) {
                return Err(BuildRefusal::Started(checkpoint).into());
            }
            Known::CheckpointStarted { checkpoint }
        }
        BuildCommand::CompleteCheckpoint { checkpoint } => {
            check_unfinished(build, checkpoint)?;
            Known::CheckpointCompleted { checkpoint }
        }
        BuildCommand::CompleteTask { task } => complete_task(build, &task)?,
    };
    Ok(vec![event])
}

/// Refuses to begin something while work rests. What is done already is taken down all the same.
fn check_working(state: &SessionState) -> Result<(), Refusal> {
    if state.lifecycle == Lifecycle::Paused { Err(Refusal::Paused) } else { Ok(()) }
}

fn begin(build: &Build, total: u64) -> Result<Known, BuildRefusal> {
    if !(1..=MAX_CHECKPOINTS).contains(&total) {
        return Err(BuildRefusal::Total(total));
    }
    // Before anything was done a wrong number can be put right.
    if !build.is_complete() && !build.is_untouched() {
        return Err(BuildRefusal::UnderWay { done: build.done(), total: build.total });
    }
    Ok(Known::BuildStarted { total })
}

fn extend(build: &Build, wanted: u64) -> Result<Known, BuildRefusal> {
    let total = build.total;
    if total == 0 {
        return Err(BuildRefusal::NotBegun);
    }
    if wanted > MAX_CHECKPOINTS {
        return Err(BuildRefusal::Total(wanted));
    }
    if wanted <= total {
        return Err(BuildRefusal::NotMore { wanted, total });
    }
    Ok(Known::BuildExtended { total: wanted })
}

fn check_unfinished(build: &Build, checkpoint: u64) -> Result<(), BuildRefusal> {
    let total = build.total;
    if total == 0 {
        return Err(BuildRefusal::NotBegun);
    }
    if !(1..=total).contains(&checkpoint) {
        return Err(BuildRefusal::NoSuchCheckpoint { checkpoint, total });
    }
    if build.completed.contains(&checkpoint) {
        return Err(BuildRefusal::Completed { checkpoint, current: build.current() });
    }
    Ok(())
}

fn complete_task(build: &Build, task: &str) -> Result<Known, Refusal> {
    check("task", task, MAX_TASK)?;
    let task = one_line(task);
    check("task", &task, MAX_TASK)?;
    if build.tasks.contains(&task) {
        return Err(BuildRefusal::TaskCompleted(shortened(&task, MAX_TASK)).into());
    }
    Ok(Known::TaskCompleted { task })
}

#[cfg(test)]
mod tests;
