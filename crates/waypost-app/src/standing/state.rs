//! Where a session stands in the words of session protocols: the status, and beside it the phases that
//! are passed, the checklists, and what each gate finds. One shape for every surface that gives it.

use std::collections::BTreeMap;

use serde::Serialize;
use waypost_core::standing::{GateStatus, Looked};

use crate::error::AppError;
use crate::standing::status::SessionStatus;
use crate::standing::{self, Stand};
use crate::tracks::protocol::Protocol;
use crate::tracks::protocol::checklist::Checklist;
use crate::view::View;

/// Where a session stands.
#[derive(Debug, Serialize)]
pub struct ToldState {
    /// The status.
    #[serde(flatten)]
    pub status: SessionStatus,
    /// The commit that it began at.
    pub starting_commit: Option<String>,
    /// The phase of the protocol that the conversation is in; without one, that of the workflow.
    pub current_phase: String,
    /// The gates of the protocol that are behind it.
    pub phases_completed: Vec<String>,
    /// What the protocol asks for, and what is done of it.
    pub checklist: Checklist,
    /// What each gate of the protocol finds, by its name.
    pub evidence: BTreeMap<String, GateEvidence>,
}

/// What a gate finds.
#[derive(Debug, Serialize)]
pub struct GateEvidence {
    /// Whether it holds.
    pub status: GateStatus,
    /// What shows it, or what is missing.
    pub evidence: String,
}

/// Where one session stands.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<ToldState, AppError> {
    Ok(ToldState::of(view, standing::of(view, session)?))
}

impl ToldState {
    /// Of a session that stands like this.
    pub fn of(view: &View<'_>, stand: Stand) -> Self {
        let starting_commit = stand.session.state.commit.clone();
        let following = stand.protocol.as_ref();
        let current_phase = following.map(|protocol| protocol.phase().1.to_owned());
        let phases_completed = following.map(passed).unwrap_or_default();
        let checklist = Checklist::of(&stand.looked, stand.voice);
        let found = |gate: &Looked| {
            let found = GateEvidence { status: gate.status, evidence: gate.evidence() };
            (gate.gate.clone(), found)
        };
        let evidence = stand.looked.iter().map(found).collect();
        let status = SessionStatus::of(view, stand);
        Self {
            starting_commit,
            current_phase: current_phase.unwrap_or_else(|| status.phase.clone()),
            phases_completed,
            checklist,
            evidence,
            status,
        }
    }
}

/// The gates between the first phase and the one that the conversation is in.
fn passed(protocol: &Protocol) -> Vec<String> {
    let Some(track) = protocol.track() else { return Vec::new() };
    let phases = &protocol.definition.phases;
    let here = phases.iter().position(|phase| phase.name == track.phase);
    let here = if track.is_running() { here.unwrap_or_default() } else { phases.len() };
    let behind = phases.iter().take(here + 1).filter_map(|phase| phase.entry.as_ref());
    behind.map(|entry| entry.gate.clone()).collect()
}
