//! A workflow's progress in the words of workflow session files: numbered phases, explicit flags,
//! nothing that has to be calculated.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::course::{Course, Passage, PhaseResult};
use crate::id::SessionId;
use crate::session::{Lifecycle, SessionState};
use crate::time::Timestamp;

/// A session as a workflow session file tells it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionFile {
    /// The session.
    pub session_id: SessionId,
    /// The workflow.
    pub workflow_type: String,
    /// What it is about.
    pub target_file: Option<String>,
    /// The contract that it began with.
    pub workflow_structure: Structure,
    /// What the phases are called, by number.
    pub phase_names: BTreeMap<u64, String>,
    /// The number of the phase that it is in: always a real one.
    pub current_phase: u64,
    /// The numbers of the phases that are done with.
    pub completed_phases: Vec<u64>,
    /// When phases began and ended, by number.
    pub phase_timing: BTreeMap<u64, PhaseTiming>,
    /// Explicit flags, each set by an event.
    pub lifecycle: Flags,
    /// What was given and made in phases, by number.
    pub phase_artifacts: BTreeMap<u64, Artifact>,
    /// What became of phases, by number.
    pub checkpoints: BTreeMap<u64, PhaseResult>,
    /// When the session began.
    pub created_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// What else there is to say.
    pub metadata: Metadata,
}

/// The contract that a workflow began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Structure {
    /// How many phases there are.
    pub total_phases: usize,
    /// Whether more follow that are not known yet.
    pub dynamic: bool,
    /// The number of the first.
    pub starting_phase: u64,
    /// `zero_based` or `one_based`.
    pub indexing_scheme: &'static str,
    /// Which version of the workflow.
    pub workflow_version: Option<String>,
}

/// When a phase began and ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseTiming {
    /// When it was entered, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// How long it took from then to then, pauses included; none while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<i64>,
    /// For how long it was worked on.
    pub active_seconds: i64,
    /// For how long it rested.
    pub paused_seconds: i64,
    /// How often somebody tried to complete it.
    pub attempts: u32,
}

/// Explicit flags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flags {
    /// Whether the workflow is complete.
    pub completed: bool,
    /// Since when.
    pub completed_at: Option<Timestamp>,
    /// How long that took since the session began, pauses included; none while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_duration_seconds: Option<i64>,
    /// Whether work rests.
    pub paused: bool,
    /// Since when.
    pub paused_at: Option<Timestamp>,
    /// Why.
    pub paused_reason: Option<String>,
    /// What was being worked on.
    pub paused_context: Option<String>,
    /// When it was last taken up again.
    pub resumed_at: Option<Timestamp>,
    /// How often.
    pub resume_count: u64,
    /// What last went wrong.
    pub last_error: Option<String>,
    /// When.
    pub last_error_at: Option<Timestamp>,
}

/// What was given and made in a phase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Artifact {
    /// The phase.
    pub phase_number: u64,
    /// Its name.
    pub phase_name: String,
    /// What was given as evidence.
    pub evidence: Map<String, Value>,
    /// The files beside the published copy that changed in it.
    pub outputs: Vec<String>,
    /// The commands that ran in it.
    pub commands_executed: Vec<String>,
    /// When it was completed.
    pub timestamp: Option<Timestamp>,
}

/// What else there is to say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metadata {
    /// What it is about.
    pub spec_path: Option<String>,
    /// What whoever began it chose.
    pub user_options: Map<String, Value>,
}

impl SessionFile {
    /// What `course` tells of a session; `None` if it follows no workflow.
    pub fn of(id: &SessionId, state: &SessionState, course: &Course) -> Option<Self> {
        let (track, definition) = (state.track.as_deref()?, course.definition()?);
        let each = |passage: &Passage| passage.number;
        Some(Self {
            session_id: id.clone(),
            workflow_type: track.name.clone(),
            target_file: track.target.clone(),
            workflow_structure: Structure {
                total_phases: definition.phases.len(),
                dynamic: track.unfolding,
                starting_phase: definition.first,
                indexing_scheme: if definition.first == 0 { "zero_based" } else { "one_based" },
                workflow_version: definition.version.clone(),
            },
            phase_names: course.phases.iter().map(|one| (one.number, one.phase.clone())).collect(),
            current_phase: course.current().map(each)?,
            completed_phases: course.done().map(each).collect(),
            phase_timing: course.phases.iter().filter_map(timing).collect(),
            lifecycle: Flags::of(state, course),
            phase_artifacts: course.phases.iter().filter_map(artifact).collect(),
            checkpoints: course.phases.iter().map(|one| (one.number, one.checkpoint)).collect(),
            created_at: state.started_at,
            updated_at: state.updated_at,
            metadata: Metadata {
                spec_path: track.target.clone(),
                user_options: course.options.clone(),
            },
        })
    }
}

impl Flags {
    fn of(state: &SessionState, course: &Course) -> Self {
        let pause = state.pause.as_ref().filter(|_| state.lifecycle == Lifecycle::Paused);
        let failure = course.failures.last();
        Self {
            completed: course.completed_at.is_some(),
            completed_at: course.completed_at,
            total_duration_seconds: seconds_between(state.started_at, course.completed_at),
            paused: pause.is_some(),
            paused_at: pause.map(|pause| pause.since),
            paused_reason: pause.map(|pause| pause.reason.clone()),
            paused_context: pause.and_then(|pause| pause.context.clone()),
            resumed_at: course.resumed_at,
            resume_count: state.resumed,
            last_error: failure.map(|failure| failure.errors.join("; ")),
            last_error_at: failure.map(|failure| failure.time),
        }
    }
}

fn seconds_between(start: Option<Timestamp>, end: Option<Timestamp>) -> Option<i64> {
    Some((end?.as_millis() - start?.as_millis()).max(0) / 1000)
}

fn timing(passage: &Passage) -> Option<(u64, PhaseTiming)> {
    passage.started_at.or(passage.completed_at)?;
    let timing = PhaseTiming {
        started_at: passage.started_at,
        completed_at: passage.completed_at,
        duration_seconds: seconds_between(passage.started_at, passage.completed_at),
        active_seconds: passage.active_ms / 1000,
        paused_seconds: passage.paused_ms / 1000,
        attempts: passage.attempts,
    };
    Some((passage.number, timing))
}

fn artifact(passage: &Passage) -> Option<(u64, Artifact)> {
    if passage.attempts == 0 && passage.artifacts.is_empty() && passage.commands.is_empty() {
        return None;
    }
    let artifact = Artifact {
        phase_number: passage.number,
        phase_name: passage.phase.clone(),
        evidence: passage.evidence.clone(),
        outputs: passage.artifacts.clone(),
        commands_executed: passage.commands.clone(),
        timestamp: passage.completed_at,
    };
    Some((passage.number, artifact))
}
