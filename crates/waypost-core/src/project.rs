//! The project's state: the fold of its events.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Event, Known, PolicyLost, SharedFact, Speaker};
use crate::id::SessionId;
use crate::ledger::{Apart, EvidenceOrigin, Ledger};
use crate::loss::Loss;
use crate::record::Record;
use crate::time::Timestamp;

/// How many branches are remembered: those with the latest evidence.
const MAX_BRANCHES: usize = 500;

/// How many work trees are remembered that have a current session: those that got theirs last.
const MAX_WORKTREES: usize = 200;

/// How many sessions are remembered whose gates were switched off: the latest.
const MAX_SWITCHED: usize = 50;

/// That enforcing was off for a while: gates switched off, or Waypost taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Since when.
    pub from: Timestamp,
    /// Until when; none while it lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Who said so, as far as that can be told.
    pub said: Speaker,
}

/// The session that new conversations in a work tree join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Current {
    session: SessionId,
    /// The record that says so.
    since: u64,
}

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
    /// When it was said that they may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<Timestamp>,
    /// When Waypost was last set up, in whichever work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set_up: Option<Timestamp>,
    /// When Waypost was taken out of each work tree, the last time; below the empty name, of the main one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    removed: BTreeMap<String, Interval>,
    /// When the gates of sessions were switched off, the last time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    switched_off: BTreeMap<SessionId, Interval>,
    /// What counts beyond sessions, by branch; below the empty name, what counts everywhere.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    shared: BTreeMap<String, Ledger>,
    /// The current session of each work tree that has one; below the empty name, of the main one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    current: BTreeMap<String, Current>,
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
            Known::ConfigTrusted { sha256 } => {
                self.trusted_config = Some(sha256.clone());
                self.trusted_at = Some(record.time);
            }
            Known::CurrentChosen { worktree, session } => {
                self.choose(record.seq, worktree.as_deref(), session.as_ref());
            }
            Known::Shared(shared) => self.share(record, &shared.branch, &shared.what),
            Known::ProjectInitialised { worktree, .. } => {
                self.set_up = Some(record.time);
                let removed = self.removed.get_mut(worktree.as_deref().unwrap_or_default());
                if let Some(removed) = removed {
                    removed.until.get_or_insert(record.time);
                }
            }
            Known::ProjectRemoved { worktree, said } => {
                let removed = Interval { from: record.time, until: None, said: *said };
                self.removed.insert(worktree.clone().unwrap_or_default(), removed);
                bound(&mut self.removed, MAX_WORKTREES);
            }
            Known::GatesSwitched { session, off, said } => {
                self.switch(session, *off, *said, record.time);
            }
            // These tell of a session, or of what nothing is decided by.
            Known::SessionStarted(_)
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
            | Known::SessionRestored(_)
            | Known::SessionImported(_)
            | Known::ArtifactsChanged { .. }
            | Known::CopySetAside { .. }
            | Known::CopyTrusted { .. } => {}
        }
    }

    /// When Waypost was last set up, in whichever work tree.
    pub fn set_up(&self) -> Option<Timestamp> {
        self.set_up
    }

    /// When Waypost was taken out of a work tree, the last time; no name is the main one.
    pub fn removed(&self, worktree: Option<&str>) -> Option<&Interval> {
        self.removed.get(worktree.unwrap_or_default())
    }

    /// When a session's gates were switched off, the last time.
    pub fn switched_off(&self, session: &SessionId) -> Option<&Interval> {
        self.switched_off.get(session)
    }

    fn switch(&mut self, session: &SessionId, off: bool, said: Speaker, time: Timestamp) {
        if off {
            let since = Interval { from: time, until: None, said };
            self.switched_off.insert(session.clone(), since);
            bound(&mut self.switched_off, MAX_SWITCHED);
        } else if let Some(known) = self.switched_off.get_mut(session) {
            known.until.get_or_insert(time);
        }
    }

    /// The session that people made current in a work tree; no name is the main one.
    pub fn current(&self, worktree: Option<&str>) -> Option<&SessionId> {
        self.current.get(worktree.unwrap_or_default()).map(|current| &current.session)
    }

    fn choose(&mut self, since: u64, worktree: Option<&str>, session: Option<&SessionId>) {
        let worktree = worktree.unwrap_or_default();
        match session.cloned() {
            Some(session) => self.current.insert(worktree.to_owned(), Current { session, since }),
            None => self.current.remove(worktree),
        };
        if self.current.len() > MAX_WORKTREES {
            let oldest = self.current.iter().min_by_key(|(_, current)| current.since);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.current.remove(&oldest);
            }
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

/// Forgets what began first, where there is more than `most`.
fn bound<K: Ord + Clone>(all: &mut BTreeMap<K, Interval>, most: usize) {
    if all.len() <= most {
        return;
    }
    let oldest = all.iter().min_by_key(|(_, interval)| interval.from.as_millis());
    if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
        all.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::time::Timestamp;

    fn chosen(seq: u64, worktree: &str, session: Option<&str>) -> Record {
        let worktree = Some(worktree.to_owned()).filter(|name| !name.is_empty());
        let session = session.map(|id| id.parse().unwrap());
        let event = Known::CurrentChosen { worktree, session }.into();
        let time = Timestamp::saturating_from_millis(0);
        Record { seq, time, actor: Actor::Human, event }
    }

    #[test]
    fn each_work_tree_has_a_current_session_of_its_own() {
        let mut state = ProjectState::default();
        state.apply(&chosen(1, "", Some("2026-11-15_one_aaaaaa")));
        state.apply(&chosen(2, "wt", Some("2026-11-15_two_bbbbbb")));
        let current = |state: &ProjectState, of| state.current(of).map(ToString::to_string);
        assert_eq!(current(&state, None).as_deref(), Some("2026-11-15_one_aaaaaa"));
        assert_eq!(current(&state, Some("wt")).as_deref(), Some("2026-11-15_two_bbbbbb"));
        state.apply(&chosen(3, "", None));
        assert_eq!(current(&state, None), None);
        assert_eq!(current(&state, Some("wt")).as_deref(), Some("2026-11-15_two_bbbbbb"));
    }

    #[test]
    fn of_very_many_work_trees_those_are_remembered_that_chose_last() {
        let mut state = ProjectState::default();
        for seq in 1..=MAX_WORKTREES as u64 + 1 {
            state.apply(&chosen(seq, &format!("wt{seq}"), Some("2026-11-15_one_aaaaaa")));
        }
        assert_eq!(state.current.len(), MAX_WORKTREES);
        assert_eq!(state.current(Some("wt1")), None);
        assert!(state.current(Some("wt2")).is_some());
    }
}
