//! Looking at a workflow: its phases, the tasks in them, what went wrong.

use serde::Serialize;
use waypost_core::course::{Course, Passage, PhaseFailure};
use waypost_core::gate::Before;
use waypost_core::gate::ruling::GateFinding;
use waypost_core::id::SessionId;
use waypost_core::next_step::{Look, amid};
use waypost_core::session::Build;
use waypost_core::standing::{GateStanding, ShownGate};
use waypost_core::track::{Phase, PhaseTask};

use super::Workflow;
use crate::config::workflow::COMPLETE;
use crate::documents::plan;
use crate::error::AppError;
use crate::foreign::praxis::template;
use crate::rulings::judge::Rules;
use crate::view::{Session, View};

/// The phase whose tasks are those of the plan, unless it names its own.
const BUILD: &str = "build";

/// A phase, and how far it is done.
#[derive(Debug, Serialize)]
pub struct LookedPhase {
    /// The session.
    pub session_id: SessionId,
    /// The session's last record.
    pub version: u64,
    /// The workflow.
    pub workflow: String,
    /// How many phases there are, as far as they are known.
    pub total_phases: usize,
    /// Whether the workflow is in this phase.
    pub is_current: bool,
    /// What it is for.
    pub purpose: String,
    /// How it is done, at length.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether it may be left out.
    pub skippable: bool,
    /// How it went so far.
    #[serde(flatten)]
    pub passage: Passage,
    /// What is to be done in it.
    pub tasks: Vec<LookedTask>,
    /// What has to hold before it is complete, and whether it does; only of the current one.
    pub gates: Vec<ShownGate>,
}

/// A workflow and how all of its phases went.
#[derive(Debug, Serialize)]
pub struct LookedWorkflow {
    /// The session.
    pub session_id: SessionId,
    /// The session's last record.
    pub version: u64,
    /// The workflow.
    pub workflow: String,
    /// Which version of it.
    pub workflow_version: Option<String>,
    /// The number of its first phase.
    pub first_phase: u64,
    /// Whether more phases follow that are not known yet.
    pub dynamic: bool,
    /// What it is about.
    pub target: Option<String>,
    /// The phase that it is in: the last one once it is complete.
    pub current_phase: String,
    /// Whether it is complete.
    pub workflow_complete: bool,
    /// How it went.
    #[serde(flatten)]
    pub course: Course,
}

/// A task of a phase.
#[derive(Debug, Clone, Serialize)]
pub struct LookedTask {
    /// Its number in its phase: from 1, unless its author counts otherwise.
    pub number: usize,
    /// The name by which it is completed.
    pub id: String,
    /// What it is about.
    #[serde(flatten)]
    pub task: PhaseTask,
    /// Whether it is done.
    pub completed: bool,
}

/// The workflow as a whole.
pub fn whole(view: &View<'_>, session: Option<&str>) -> Result<LookedWorkflow, AppError> {
    let Workflow { session, course, definition } = Workflow::of(view, session)?;
    let track = session.state.track.as_deref();
    let current = course.current().map(|current| current.phase.clone());
    Ok(LookedWorkflow {
        version: session.state.version,
        workflow: definition.name,
        workflow_version: definition.version,
        first_phase: definition.first,
        dynamic: definition.phases_from.is_some(),
        target: track.and_then(|track| track.target.clone()),
        current_phase: current.unwrap_or_default(),
        workflow_complete: course.completed_at.is_some(),
        session_id: session.id,
        course,
    })
}

/// A phase of the workflow: the one that is named, else the one that it is in.
pub fn phase(
    view: &View<'_>,
    session: Option<&str>,
    named: Option<&str>,
) -> Result<LookedPhase, AppError> {
    let workflow = Workflow::of(view, session)?;
    let phase = workflow.phase(named)?;
    let passage = workflow.passage(phase)?.clone();
    let track = workflow.session.state.track.as_deref();
    let is_current = track.is_some_and(|track| track.is_running() && track.phase == phase.name);
    let found = if is_current { workflow.findings(view)? } else { Vec::new() };
    let voice = view.voice();
    let gates = found.iter().map(|found| GateStanding::of(found, &[]).shown(voice)).collect();
    Ok(LookedPhase {
        session_id: workflow.session.id.clone(),
        version: workflow.session.state.version,
        workflow: workflow.definition.name.clone(),
        total_phases: workflow.definition.phases.len(),
        is_current,
        purpose: phase.purpose.clone(),
        text: template::phase(&workflow.definition, phase),
        skippable: phase.is_skippable(),
        tasks: workflow.tasks(view, phase, passage.number),
        passage,
        gates,
    })
}

/// A task of a phase, by its number.
pub fn task(
    view: &View<'_>,
    session: Option<&str>,
    named: Option<&str>,
    number: usize,
) -> Result<(SessionId, String, LookedTask), AppError> {
    let workflow = Workflow::of(view, session)?;
    let phase = workflow.phase(named)?;
    let number_of_phase = workflow.passage(phase)?.number;
    let tasks = workflow.tasks(view, phase, number_of_phase);
    let (id, name, count) = (workflow.session.id.clone(), phase.name.clone(), tasks.len());
    let number_of = |task: Option<&LookedTask>| task.map_or(0, |task| task.number);
    let (first, last) = (number_of(tasks.first()), number_of(tasks.last()));
    let found = tasks.into_iter().find(|task| task.number == number);
    found.map(|task| (id, name.clone(), task)).ok_or_else(|| {
        let error = AppError::refused(format!("phase {name} has no task {number}"));
        match count {
            0 => error.hint(amid(
                "the workflow names no tasks for it: ",
                Look::Phase(None),
                " tells its purpose",
            )),
            _ => error.hint(format!("its tasks are {first} to {last}")),
        }
    })
}

/// Everything that went wrong in the workflow, the latest last.
pub fn errors(
    view: &View<'_>,
    session: Option<&str>,
) -> Result<(SessionId, Vec<PhaseFailure>), AppError> {
    let workflow = Workflow::of(view, session)?;
    Ok((workflow.session.id, workflow.course.failures))
}

impl Workflow {
    fn passage(&self, phase: &Phase) -> Result<&Passage, AppError> {
        let found = self.course.phases.iter().find(|passage| passage.phase == phase.name);
        found.ok_or_else(|| super::none_in(&self.session.id))
    }

    /// What stands between the phase that it is in and the next, looked at.
    fn findings(&self, view: &View<'_>) -> Result<Vec<GateFinding>, AppError> {
        let rules = Rules::of_gates(self.open_gates(), &self.session.id);
        let mut found = rules.examine(view, &self.session.state, &view.asker())?;
        let track = self.running()?;
        if let Some(phase) = self.definition.phase(&track.phase) {
            let next = self.next_after(&self.definition, &track.phase).to;
            let to = Before::Phase(next.unwrap_or_else(|| COMPLETE.to_owned()));
            found.extend(self.ask_project(view, phase, &to)?.findings);
        }
        Ok(found)
    }
}

impl Workflow {
    /// The tasks of a phase: its own, else those of the session's plan where it is the one to build in.
    fn tasks(&self, view: &View<'_>, phase: &Phase, number: u64) -> Vec<LookedTask> {
        let mut own = tasks(phase, number, &self.session.state.build);
        for looked in &mut own {
            let text = template::task(&self.definition, phase, looked.number, &looked.task);
            looked.task.text = text;
        }
        if !own.is_empty() || phase.name != BUILD {
            return own;
        }
        // A plan that cannot be read is told by whoever publishes it.
        let plan = plan::now(view, &self.session).ok().flatten().unwrap_or_default();
        (1..).zip(plan.tasks()).map(planned).collect()
    }
}

fn planned((number, task): (usize, &plan::Task)) -> LookedTask {
    let (name, text) = (task.title.clone(), task.description.clone().unwrap_or_default());
    LookedTask {
        number,
        id: task.id.clone(),
        task: PhaseTask { name, text, ..PhaseTask::default() },
        completed: task.status.is_completed(),
    }
}

/// The tasks of a phase, and which of them are done.
pub fn tasks(phase: &Phase, number: u64, build: &Build) -> Vec<LookedTask> {
    let task = |(place, task): (usize, &PhaseTask)| {
        let place = task.number.unwrap_or(place);
        let id = format!("{number}.{place}");
        LookedTask { number: place, completed: build.tasks.contains(&id), id, task: task.clone() }
    };
    (1..).zip(&phase.tasks).map(task).collect()
}

/// Whether the workflow of a session has a task that is completed by this name.
pub fn has_task(view: &View<'_>, session: &Session, id: &str) -> bool {
    let Ok(workflow) = Workflow::in_session(view, session.clone()) else { return false };
    let numbered = (workflow.definition.first..).zip(&workflow.definition.phases);
    let mut all = numbered.flat_map(|(number, phase)| tasks(phase, number, &session.state.build));
    all.any(|task| task.id == id)
}
