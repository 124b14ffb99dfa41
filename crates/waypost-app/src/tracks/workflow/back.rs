//! Trying a phase again, going back to an earlier one, leaving one out.

use waypost_core::command::Command;
use waypost_core::id::SessionId;
use waypost_core::next_step::{NextStep, to};

use super::Workflow;
use crate::error::AppError;
use crate::view::View;

/// A workflow that was moved.
#[derive(Debug)]
pub struct Moved {
    /// The session.
    pub session: SessionId,
    /// The phase that it was in.
    pub from: String,
    /// The phase that it is in now; the last one where it is complete.
    pub to: String,
    /// Phases that were completed and are to be done again; how they went is kept.
    pub taken_back: Vec<String>,
    /// What somebody should be told about how the session is kept.
    pub warnings: Vec<String>,
}

/// Begins a phase once more whose completion failed.
pub fn retry(
    view: &View<'_>,
    session: Option<&str>,
    phase: Option<&str>,
    reset_evidence: bool,
) -> Result<Moved, AppError> {
    let workflow = Workflow::of(view, session)?;
    let phase = workflow.current(phase)?.name.clone();
    let reset = reset_evidence.then(|| workflow.gate_names(&phase));
    let command = Command::RetryPhase { phase: phase.clone(), reset };
    moved(view, workflow, command, phase, Vec::new())
}

/// Goes back to an earlier phase. What was completed since is to be done again.
pub fn roll_back(
    view: &View<'_>,
    session: Option<&str>,
    to: &str,
    reason: &str,
) -> Result<Moved, AppError> {
    let workflow = Workflow::of(view, session)?;
    workflow.running()?;
    let to = workflow.phase(Some(to))?.name.clone();
    let anew: Vec<String> =
        workflow.definition.names().into_iter().skip_while(|name| *name != to).collect();
    let reset = anew.iter().flat_map(|phase| workflow.gate_names(phase)).collect();
    let done: Vec<&str> = workflow.course.done().map(|passage| passage.phase.as_str()).collect();
    let taken_back = anew.into_iter().filter(|name| done.contains(&name.as_str())).collect();
    let command = Command::RollBack { to: to.clone(), reason: reason.to_owned(), reset };
    moved(view, workflow, command, to, taken_back)
}

/// Leaves the phase out that the workflow is in, if its definition says that it may be.
pub fn skip(
    view: &View<'_>,
    session: Option<&str>,
    phase: Option<&str>,
    reason: &str,
) -> Result<Moved, AppError> {
    let workflow = Workflow::of(view, session)?;
    let current = workflow.current(phase)?;
    let phase = current.name.clone();
    if !current.is_skippable() {
        return Err(AppError::refused(format!(
            "phase {phase} of the workflow {} may not be skipped",
            workflow.definition.name
        ))
        .hint(to("complete it", NextStep::Complete(phase))));
    }
    let extended = workflow.unfold(view, &phase)?.map(Box::new);
    let next = workflow.next_after(extended.as_deref().unwrap_or(&workflow.definition), &phase);
    let to = next.to.unwrap_or_else(|| phase.clone());
    let (reason, skipped) = (reason.to_owned(), next.skipped);
    let command = Command::SkipPhase { phase, reason, extended, skipped };
    moved(view, workflow, command, to, Vec::new())
}

fn moved(
    view: &View<'_>,
    workflow: Workflow,
    command: Command,
    to: String,
    taken_back: Vec<String>,
) -> Result<Moved, AppError> {
    let from = workflow.running()?.phase.clone();
    let session = workflow.session.id;
    let warnings = view.execute(&session, &view.actor(), command)?.warnings;
    Ok(Moved { session, from, to, taken_back, warnings })
}

impl Workflow {
    fn gate_names(&self, phase: &str) -> Vec<String> {
        self.definition.gates_of(phase).into_iter().map(|gate| gate.id.clone()).collect()
    }
}
