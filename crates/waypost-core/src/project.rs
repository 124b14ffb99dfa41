//! The project's state: the fold of its events.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Event, Known, PolicyLost, SharedFact};
use crate::ledger::{Apart, EvidenceOrigin, Ledger};
use crate::loss::Loss;
use crate::record::Record;

/// How many branches are remembered: those with the latest evidence.
const MAX_BRANCHES: usize = 500;

/// The fold of a project's events.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ProjectState {
    /// The last record's sequence number.
    pub version: u64,
    /// The hash of the policy that was compiled last.
    pub policy: Option<String>,
    /// That the policy before could not be read any more, until a human was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<PolicyLost>,
    /// Which acknowledged records are gone, until a human accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// The hash of the configuration file whose commands may be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_config: Option<String>,
    /// What counts beyond sessions, by branch; below the empty name, what counts everywhere.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    shared: BTreeMap<String, Ledger>,
}

impl ProjectState {
    /// Takes one more record into account.
    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    pub fn apply(&mut self, record: &Record) {
        self.version = record.seq;
        let Event::Known(event) = &record.event else { return };
        match event {
            Known::PolicyCompiled(compiled) => {
                self.policy = Some(compiled.policy.clone());
                if compiled.present {
                    self.lost = None;
                }
            }
            Known::PolicyLost(lost) => {
                self.policy = Some(lost.made.clone());
                self.lost = Some(lost.clone());
            }
            Known::TailCut(cut) => self.loss = Loss::after_cut(self.loss, record.seq, cut),
            Known::LossAccepted { .. } => self.loss = None,
            Known::ConfigTrusted { sha256 } => self.trusted_config = Some(sha256.clone()),
            Known::Shared(shared) => self.share(record, &shared.branch, &shared.what),
            // These tell of a session, or of what nothing is decided by.
            Known::ProjectInitialised { .. }
            | Known::SessionStarted(_)
            | Known::SessionNamed { .. }
            | Known::SessionPaused { .. }
            | Known::SessionResumed {}
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
            | Known::SubagentStarted { .. }
            | Known::SubagentEnded { .. }
            | Known::CommandRan(_)
            | Known::EvidenceRecorded(_)
            | Known::GateMarked(_)
            | Known::GateCleared { .. }
            | Known::GatesPassed { .. }
            | Known::ModeSet { .. }
            | Known::RulingMade(_)
            | Known::ViolationRecorded(_)
            | Known::ViolationRecovered { .. }
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
            | Known::SessionAdopted { .. }
            | Known::SessionImported(_)
            | Known::ArtifactsChanged { .. }
            | Known::CopySetAside { .. }
            | Known::CopyTrusted { .. } => {}
        }
    }

    /// What counts beyond sessions, by branch.
    pub fn all_shared(&self) -> impl Iterator<Item = (&str, &Ledger)> {
        self.shared.iter().map(|(branch, ledger)| (branch.as_str(), ledger))
    }

    /// What counts on a branch, or with an empty name everywhere.
    pub fn shared(&self, branch: &str) -> Option<&Ledger> {
        self.shared.get(branch)
    }

    fn share(&mut self, record: &Record, branch: &str, what: &SharedFact) {
        let ledger = self.shared.entry(branch.to_owned()).or_default();
        let from = EvidenceOrigin { seq: record.seq, time: record.time, actor: &record.actor };
        match what {
            SharedFact::Run(run) => ledger.add_run(from, run, Apart::None),
            SharedFact::Evidence(evidence) => ledger.add_evidence(from, evidence, Apart::None),
            SharedFact::Mark(mark) => ledger.add_mark(from, mark),
            SharedFact::Cleared(gate) => ledger.spend(gate, None, record.seq),
            SharedFact::Proven(proven) => ledger.add_proven(record.seq, proven),
            SharedFact::Failing(failing) => ledger.add_failing(record.seq, failing),
        }
        if self.shared.len() > MAX_BRANCHES {
            let oldest = self.shared.iter().filter(|(name, _)| !name.is_empty());
            let oldest =
                oldest.min_by_key(|(_, ledger)| ledger.last()).map(|(name, _)| name.clone());
            if let Some(oldest) = oldest {
                self.shared.remove(&oldest);
            }
        }
    }
}
