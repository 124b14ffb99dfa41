//! Sessions in the words of memories and notes.

use waypost_core::agents::AgentWork;
use waypost_core::course::{Course, PhaseResult};
use waypost_core::event::InvocationStatus;
use waypost_core::mirror::{notes, serena};
use waypost_core::session::Lifecycle;

use super::gathering::Gathered;
use crate::rulings::violations::RecordedViolation;
use crate::standing::{self, Stand};
use crate::tracks::protocol::checklist::{Checklist, ChecklistItem};
use crate::tracks::protocol::{GateStatus, StepStatus};
use crate::view::View;

/// The session that goes on, as Serena's memory has it.
pub(super) fn current(view: &View<'_>, session: &Gathered) -> serena::Current {
    let state = &session.held.state;
    let id = session.held.session.to_string();
    // What cannot be found out of its gates is left out: the rest is shown all the same.
    let stand = standing::of(view, Some(&id)).ok();
    let protocol = stand.as_ref().and_then(|stand| stand.protocol.as_ref());
    let phase =
        protocol.map_or_else(|| state.phase().to_owned(), |found| found.phase().1.to_owned());
    let (phases, lists) = match &stand {
        Some(stand) if protocol.is_some() => {
            (gates(stand), Checklist::of(&stand.looked, stand.voice))
        }
        Some(_) | None => {
            (of_workflow(&session.story.course), Checklist { start: Vec::new(), end: Vec::new() })
        }
    };
    serena::Current {
        id,
        objective: state.objective.clone().unwrap_or_default(),
        branch: state.branch.clone(),
        commit: state.commit.as_deref().map(short),
        started_at: state.started_at,
        phase,
        phases,
        start: lists.start.iter().map(step).collect(),
        end: lists.end.iter().map(step).collect(),
    }
}

fn gates(stand: &Stand) -> Vec<(String, String, String)> {
    let each = stand.looked.iter().map(|gate| {
        let status = match gate.status {
            GateStatus::Pass => "COMPLETE",
            GateStatus::Skipped => "SKIPPED",
            GateStatus::Fail => "PENDING",
        };
        (gate.gate.clone(), status.to_owned(), gate.evidence())
    });
    each.collect()
}

fn of_workflow(course: &Course) -> Vec<(String, String, String)> {
    let is_now = |at: usize| at == course.current && course.completed_at.is_none();
    let each = course.phases.iter().enumerate().map(|(at, passage)| {
        let status = match passage.checkpoint {
            PhaseResult::Passed => "COMPLETE",
            PhaseResult::Skipped => "SKIPPED",
            PhaseResult::Failed => "FAILED",
            PhaseResult::Pending if is_now(at) => "IN_PROGRESS",
            PhaseResult::Pending => "PENDING",
        };
        let shown = passage.skipped.clone();
        let shown = shown.or_else(|| passage.completed_at.map(|time| format!("at {time}")));
        (passage.phase.clone(), status.to_owned(), shown.unwrap_or_default())
    });
    each.collect()
}

fn step(item: &ChecklistItem) -> serena::Step {
    let done = item.status == StepStatus::Done;
    serena::Step {
        level: item.req.clone(),
        asks: item.requirement.trim_end_matches('.').to_owned(),
        done,
        evidence: if item.status == StepStatus::Open {
            String::new()
        } else {
            item.evidence.clone()
        },
    }
}

/// A session among the last ones.
pub(super) fn past(session: &Gathered) -> serena::Past {
    let state = &session.held.state;
    serena::Past {
        id: session.held.session.to_string(),
        objective: state.objective.clone().unwrap_or_default(),
        outcome: outcome(state.lifecycle).to_owned(),
        commit: state.commits.last().map(|commit| short(commit)),
        decisions: session.decisions(),
        next_notes: session.story.next_notes.clone(),
    }
}

fn outcome(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::Completed => "COMPLETE",
        Lifecycle::Failed => "FAILED",
        Lifecycle::Paused => "PAUSED",
        Lifecycle::Archived => "ARCHIVED",
        Lifecycle::Active | Lifecycle::Abandoned | Lifecycle::Unstarted => "IN_PROGRESS",
    }
}

/// What was missed in a session.
pub(super) fn missed(session: &Gathered) -> serena::Missed {
    let row = |missed: &RecordedViolation| serena::MissedRow {
        time: Some(missed.time),
        phase: missed.violation.phase.clone().unwrap_or_else(|| missed.violation.gate.clone()),
        requirement: missed.violation.requirement.trim_end_matches('.').to_owned(),
        severity: missed.violation.severity.clone(),
        recovery: missed.recovery.clone(),
    };
    serena::Missed {
        id: session.held.session.to_string(),
        rows: session.missed.iter().map(row).collect(),
    }
}

/// A session's note, with the titles of those that belong to it.
pub(super) fn note(session: &Gathered, relations: Vec<String>) -> notes::Session {
    let (state, story) = (&session.held.state, &session.story);
    let said = |kind: &'static str, all: &[waypost_core::story::Said]| {
        let each = all.iter().map(move |said| (kind.to_owned(), said.text.clone()));
        each.collect::<Vec<_>>()
    };
    let mut observations: Vec<(String, String)> =
        session.decisions().into_iter().map(|text| ("decision".to_owned(), text)).collect();
    observations.extend(said("goal", &story.goals));
    observations.extend(said("problem", &story.blockers));
    observations.extend(said("question", &story.questions));
    notes::Session {
        id: session.held.session.to_string(),
        objective: state.objective.clone().unwrap_or_default(),
        status: outcome(state.lifecycle).to_owned(),
        branch: state.branch.clone(),
        starting_commit: state.commit.clone(),
        started_at: state.started_at,
        updated_at: state.updated_at,
        phase: state.phase().to_owned(),
        mode: state.mode.clone().unwrap_or_default(),
        observations,
        commits: session.commits.clone(),
        summary: story.summary.clone(),
        next_notes: story.next_notes.clone(),
        relations,
    }
}

/// What an agent did. What it was asked stays here.
pub(super) fn work(work: &AgentWork) -> notes::Work {
    let output = work.output.as_ref();
    notes::Work {
        agent: work.agent.clone(),
        status: match work.status {
            InvocationStatus::InProgress => "in progress",
            InvocationStatus::Completed => "completed",
            InvocationStatus::Failed => "failed",
            InvocationStatus::Blocked => "blocked",
        }
        .to_owned(),
        started_at: Some(work.started_at),
        completed_at: work.completed_at,
        summary: output.map(|output| output.summary.clone()).filter(|told| !told.is_empty()),
        blockers: output.map(|output| output.blockers.clone()).unwrap_or_default(),
    }
}

fn short(commit: &str) -> String {
    commit.chars().take(7).collect()
}
