//! The musts that were missed in a session.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use serde::Serialize;
use waypost_core::event::{Event, Known, PastViolation, Violation};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Record;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::view::View;

/// A violation with its place in the stream.
#[derive(Debug, Serialize)]
pub struct RecordedViolation {
    /// The record.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// The same, under the name that logs of violations have it by.
    pub timestamp: Timestamp,
    /// What was missed.
    #[serde(flatten)]
    pub violation: Violation,
    /// How it came to hold after all, if it did.
    pub recovery: Option<String>,
}

/// All violations of a session, in order.
pub fn of(
    view: &View<'_>,
    session: Option<&str>,
) -> Result<(SessionId, Vec<RecordedViolation>), AppError> {
    let session = view.session(session)?;
    let records = view.log.records(&StreamId::Session(session.id.clone()))?;
    let mut found = Vec::new();
    for record in &records {
        note(&mut found, record);
    }
    Ok((session.id, found))
}

/// What was missed before the session was kept here.
fn past_violation(record: &Record, missed: &PastViolation) -> RecordedViolation {
    let time = missed.time.unwrap_or(record.time);
    let phase = missed.phase.clone().unwrap_or_default();
    let violation = Violation {
        conversation: None,
        gate: phase.clone(),
        requirement: missed.requirement.clone(),
        severity: missed.severity.clone(),
        reason: "it was missed before the session was imported".to_owned(),
        phase: Some(phase),
        forced: false,
    };
    let recovery = missed.recovery.clone();
    RecordedViolation { seq: record.seq, time, timestamp: time, violation, recovery }
}

/// The violations of one session among others.
#[derive(Debug, Serialize)]
pub struct SessionViolations {
    /// The session.
    pub session_id: SessionId,
    /// What it was for.
    pub objective: Option<String>,
    /// What was missed in it, in order.
    pub violations: Vec<RecordedViolation>,
}

/// The violations of all sessions of the project that have any, the oldest session first. One whose
/// records cannot be read is told of as far as they can.
pub fn of_all(view: &View<'_>) -> Result<Vec<SessionViolations>, AppError> {
    let mut entries = view.sessions()?;
    entries.retain(|entry| entry.violations > 0 || entry.damage.is_some());
    entries.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
    let mut sessions = Vec::new();
    for entry in entries {
        let mut found = Vec::new();
        let stream = StreamId::Session(entry.id.clone());
        let read = view.log.each(&stream, |record| note(&mut found, &record));
        if let Err(error) = read
            && entry.damage.is_none()
        {
            return Err(error.into());
        }
        if !found.is_empty() {
            let objective = entry.objective(view);
            let violations = found;
            sessions.push(SessionViolations { session_id: entry.id, objective, violations });
        }
    }
    Ok(sessions)
}

/// Takes into account what a record tells of violations, if it does.
#[expect(clippy::too_many_lines, reason = "one match over all events")]
pub fn note(found: &mut Vec<RecordedViolation>, record: &Record) {
    let Event::Known(event) = &record.event else { return };
    match event {
        Known::ViolationRecorded(violation) => {
            let (seq, time) = (record.seq, record.time);
            let mut violation = violation.clone();
            // Outside of a protocol, the gate is where it was missed.
            violation.phase.get_or_insert_with(|| violation.gate.clone());
            found.push(RecordedViolation { seq, time, timestamp: time, violation, recovery: None });
        }
        Known::ViolationRecovered { conversation, gate, recovery } => {
            let same = |known: &&mut RecordedViolation| {
                known.violation.gate == *gate && known.violation.conversation == *conversation
            };
            for known in found.iter_mut().filter(same).filter(|known| known.recovery.is_none()) {
                known.recovery = Some(format!("{}: {recovery}", record.time));
            }
        }
        Known::SessionImported(imported) => {
            // What was imported before is replaced.
            found.clear();
            let past = imported.past.violations.iter();
            found.extend(past.map(|missed| past_violation(record, missed)));
        }
        // No must is missed or met after all by these.
        Known::ProjectInitialised { .. }
        | Known::PolicyCompiled(_)
        | Known::PolicyLost(_)
        | Known::SessionStarted(_)
        | Known::SessionNamed { .. }
        | Known::SessionPaused { .. }
        | Known::SessionResumed { .. }
        | Known::SessionEnded(_)
        | Known::CommitAdded(_)
        | Known::SessionArchived { .. }
        | Known::BuildStarted { .. }
        | Known::BuildExtended { .. }
        | Known::CheckpointStarted { .. }
        | Known::CheckpointCompleted { .. }
        | Known::TaskCompleted { .. }
        | Known::GitChanged(_)
        | Known::FocusSet(_)
        | Known::ConversationAttached(_)
        | Known::ConversationDetached { .. }
        | Known::PolicyPinned { .. }
        | Known::TurnStarted { .. }
        | Known::EditObserved { .. }
        | Known::EditsFound { .. }
        | Known::WorktreeEntered { .. }
        | Known::DebtHandedOn { .. }
        | Known::SubagentStarted { .. }
        | Known::SubagentEnded { .. }
        | Known::UsageCounted(_)
        | Known::SubagentCalled(_)
        | Known::AgentInvoked(_)
        | Known::AgentCompleted(_)
        | Known::DecisionRecorded(_)
        | Known::DecisionReviewed { .. }
        | Known::VerdictGiven(_)
        | Known::VerdictResolved { .. }
        | Known::HandoffCreated(_)
        | Known::HandoffAccepted(_)
        | Known::HistoryCompacted(_)
        | Known::CommandRan(_)
        | Known::EvidenceRecorded(_)
        | Known::GateMarked(_)
        | Known::GateCleared { .. }
        | Known::GatesPaused(_)
        | Known::GatesUnpaused { .. }
        | Known::CarriedOver(_)
        | Known::GatesPassed { .. }
        | Known::ModeSet { .. }
        | Known::Shared(_)
        | Known::ConfigTrusted { .. }
        | Known::RulingMade(_)
        | Known::TrackStarted(_)
        | Known::PhaseEntered { .. }
        | Known::PhaseChecked(_)
        | Known::PhaseSkipped { .. }
        | Known::PhaseRetried { .. }
        | Known::RolledBack { .. }
        | Known::TrackExtended(_)
        | Known::TrackCompleted { .. }
        | Known::StopAllowed { .. }
        | Known::NoteAdded { .. }
        | Known::TailCut(_)
        | Known::LossAccepted { .. }
        | Known::SessionAdopted { .. }
        | Known::SessionRestored(_)
        | Known::ArtifactsChanged { .. }
        | Known::CopySetAside { .. }
        | Known::CurrentChosen { .. }
        | Known::ProjectRemoved { .. }
        | Known::GatesSwitched { .. }
        | Known::CopyTrusted { .. } => {}
    }
}
