//! What the plan and the workflow say is to be done now.

use waypost_core::brief::InBuild;
use waypost_core::course::Course;
use waypost_core::session::SessionState;
use waypost_core::standing::CurrentTask;
use waypost_core::story::Story;

use crate::documents::plan::{self, Checkpoint, Plan, Task};
use crate::tracks::workflow;
use crate::view::{Session, View};

/// How many verification steps and files to read are told.
const MAX_STEPS: usize = 5;

/// What is to be done now.
#[derive(Debug, Default)]
pub struct Planned {
    /// How far building has come.
    pub build: Option<InBuild>,
    /// The task.
    pub task: Option<CurrentTask>,
}

impl Planned {
    pub(crate) fn of(view: &View<'_>, session: &Session, story: &Story) -> Self {
        let (state, course) = (&*session.state, &story.course);
        let build = &state.build;
        // A plan that cannot be read is told by whoever publishes it.
        let plan = plan::now(view, session).ok().flatten().unwrap_or_default();
        let checkpoint = build.current().and_then(|number| plan.checkpoint(number));
        let task = checkpoint.and_then(|checkpoint| in_plan(&plan, checkpoint, state));
        Self {
            build: (build.total > 0).then(|| InBuild {
                total: build.total,
                completed: build.done(),
                current: build.current(),
                title: checkpoint.map(|checkpoint| checkpoint.title.clone()),
                verify: checkpoint.map(verify).unwrap_or_default(),
            }),
            task: task.or_else(|| in_phase(state, course)),
        }
    }
}

fn verify(checkpoint: &Checkpoint) -> Vec<String> {
    checkpoint.testing.verification_steps.iter().take(MAX_STEPS).cloned().collect()
}

/// The task in focus, else the first one of the checkpoint that nothing stands before.
fn in_plan(plan: &Plan, checkpoint: &Checkpoint, state: &SessionState) -> Option<CurrentTask> {
    let open =
        |task: &&Task| !task.status.is_completed() && task.status != plan::PlanStatus::Skipped;
    let done = |id: &String| plan.task(id).is_none_or(|before| !open(&before));
    let focused = state.focus.task.as_deref().and_then(|id| plan.task(id)).filter(open);
    let free = || checkpoint.tasks().filter(open).find(|task| task.depends_on.iter().all(done));
    let task = focused.or_else(free).or_else(|| checkpoint.tasks().find(open))?;
    let read = task.read_before.iter().take(MAX_STEPS).map(|reading| match &reading.lines {
        Some(lines) => format!("{}:{lines}", reading.file),
        None => reading.file.clone(),
    });
    Some(CurrentTask {
        id: task.id.clone(),
        title: task.title.clone(),
        file: task.file_path.clone(),
        description: task.description.clone(),
        read_before: read.collect(),
    })
}

/// The first task of the workflow's phase that is not done.
fn in_phase(state: &SessionState, course: &Course) -> Option<CurrentTask> {
    let current = course.current().filter(|_| course.completed_at.is_none())?;
    let phase = course.definition()?.phase(&current.phase)?;
    let tasks = workflow::look::tasks(phase, current.number, &state.build);
    let task = tasks.into_iter().find(|task| !task.completed)?;
    Some(CurrentTask {
        id: task.id,
        title: task.task.name,
        file: None,
        description: Some(task.task.text).filter(|text| !text.is_empty()),
        read_before: Vec::new(),
    })
}
