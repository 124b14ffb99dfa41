//! What records tell of a session as far as its manifest shows it.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use std::collections::BTreeMap;

use super::details::Gathered;
use super::{DESCRIPTION, shown_as};
use crate::course::Course;
use crate::event::{Event, Known, SessionStarted};
use crate::record::Record;
use crate::session::SessionState;
use crate::session::basics::{Basics, SessionCommit};
use crate::text::one_line;
use crate::time::Timestamp;

/// What records tell of a session as far as its manifest shows it: the records are looked at one
/// after the other and need not be kept.
#[derive(Debug, Default)]
pub struct Account {
    pub(super) state: SessionState,
    pub(super) course: Course,
    pub(super) basics: Basics,
    pub(super) gathered: Gathered,
    pub(super) tells_of_checkpoints: bool,
}

impl Account {
    /// The session's state after the records so far.
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// The files beside the copy as they were last looked at.
    pub fn artifacts(&self) -> &BTreeMap<String, String> {
        &self.gathered.artifacts
    }

    /// Takes one more record into account.
    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    pub fn add(&mut self, record: &Record) {
        self.state.apply(record);
        self.course.apply(record);
        let Event::Known(event) = &record.event else { return };
        let (basics, time) = (&mut self.basics, record.time);
        match event {
            Known::SessionStarted(started) => basics.start(started, time),
            Known::SessionNamed { objective, .. } => basics.topic = one_line(objective),
            Known::TrackStarted(track) if track.conversation.is_none() => {
                shown_as(&track.definition.name).clone_into(&mut basics.session_type);
            }
            Known::SessionImported(imported) => {
                *basics = Basics::read(&imported.manifest);
                basics.created_at = self.state.started_at;
                self.gathered.import(&imported.past, time);
            }
            Known::SessionAdopted { worktree, .. } => basics.git.worktree.clone_from(worktree),
            Known::SessionRestored(restored) => *basics = Basics::read(&restored.basics),
            Known::GitChanged(changed) => basics.git.change(changed),
            Known::SessionEnded(_) => basics.end(time),
            Known::SessionResumed { .. } => basics.resume(),
            Known::NoteAdded { note_kind, text } if note_kind == DESCRIPTION => {
                basics.description = Some(text.clone());
            }
            Known::CommitAdded(commit) => {
                match basics.commits.iter_mut().find(|known| known.sha == commit.sha) {
                    Some(known) => known.checkpoint = commit.checkpoint.or(known.checkpoint),
                    None => basics.commits.push(SessionCommit::new(commit, time)),
                }
            }
            Known::BuildStarted { .. }
            | Known::BuildExtended { .. }
            | Known::CheckpointStarted { .. }
            | Known::CheckpointCompleted { .. } => self.tells_of_checkpoints = true,
            Known::ArtifactsChanged { files } => self.gathered.artifacts.extend(files.clone()),
            Known::ViolationRecorded(missed) => self.gathered.violate(missed, time),
            // Of these state and course tell, or a manifest tells nothing: neither of a
            // conversation's protocol nor of any other note.
            Known::TrackStarted(_)
            | Known::NoteAdded { .. }
            | Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::SessionPaused { .. }
            | Known::SessionArchived { .. }
            | Known::TaskCompleted { .. }
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
            | Known::ViolationRecovered { .. }
            | Known::PhaseEntered { .. }
            | Known::PhaseChecked(_)
            | Known::PhaseSkipped { .. }
            | Known::PhaseRetried { .. }
            | Known::RolledBack { .. }
            | Known::TrackExtended(_)
            | Known::TrackCompleted { .. }
            | Known::StopAllowed { .. }
            | Known::TailCut(_)
            | Known::LossAccepted { .. }
            | Known::CopySetAside { .. }
            | Known::CurrentChosen { .. }
            | Known::ProjectRemoved { .. }
            | Known::GatesSwitched { .. }
            | Known::CopyTrusted { .. } => {}
        }
    }
}

impl Basics {
    fn start(&mut self, started: &SessionStarted, time: Timestamp) {
        self.topic = started.objective.as_deref().map(one_line).unwrap_or_default();
        shown_as(&started.workflow).clone_into(&mut self.session_type);
        self.created_at = Some(time);
        self.git.branch.clone_from(&started.branch);
        self.git.worktree.clone_from(&started.worktree);
        // Without a workflow of its own a session is all building.
        "build".clone_into(&mut self.current_phase);
        self.phase_history.build_started_at = Some(time);
    }

    fn end(&mut self, time: Timestamp) {
        if self.current_phase == "build" {
            self.phase_history.build_completed_at = Some(time);
        }
        self.resumes_in = Some(std::mem::replace(&mut self.current_phase, "complete".into()));
    }

    fn resume(&mut self) {
        if let Some(phase) = self.resumes_in.take() {
            if phase == "build" {
                self.phase_history.build_completed_at = None;
            }
            self.current_phase = phase;
        }
    }
}
