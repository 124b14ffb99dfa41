//! What each event changes in a session's state.
//!
//! The state and its parts never see an event: one match calls what it means by its name. It has
//! no wildcard, so a new event does not compile until it is decided what it means here.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use super::conversation::Edit;
use super::{Archive, Conversation, Lifecycle, OpenCommit, Pause, SessionState};
use crate::event::{
    CommitAdded, ConversationAttached, Event, GitChanged, InvocationStatus, Known, SessionOutcome,
    SessionStarted, Violation,
};
use crate::id::ConversationId;
use crate::ledger::{Apart, EvidenceOrigin};
use crate::loss::Loss;
use crate::record::Record;
use crate::time::Timestamp;
use crate::track::{Track, TrackStarted};
use crate::usage::Counted;

/// How many conversations that are over are remembered, for those that come back.
const MAX_DETACHED: usize = 16;
/// How many are remembered that are attached. One that is forgotten and calls again is attached anew.
const MAX_ATTACHED: usize = 256;
/// How many commits are remembered, so that none is recorded twice in a row.
pub(super) const MAX_COMMITS: usize = 32;

impl SessionState {
    /// Takes one more record into account.
    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    pub fn apply(&mut self, record: &Record) {
        let (seq, time) = (record.seq, record.time);
        let untouched = self.updated_at.filter(|_| self.is_as_imported());
        self.version = seq;
        self.updated_at = Some(time);
        let Event::Known(event) = &record.event else { return };
        let from = EvidenceOrigin { seq, time, actor: &record.actor };
        match event {
            Known::SessionStarted(started) => self.start(time, started),
            Known::SessionNamed { objective, workflow } => {
                self.name(record, objective, workflow.as_ref());
            }
            Known::SessionImported(imported) => self.import(record, imported),
            Known::SessionAdopted { worktree, .. } => self.adopt(worktree.as_ref()),
            Known::SessionRestored(restored) => self.restore(seq, restored),
            Known::SessionPaused { reason, context } => self.pause(time, reason, context.as_ref()),
            Known::SessionResumed { commit } => self.resume(commit.as_ref()),
            Known::SessionEnded(ended) => self.end(time, ended.outcome),
            Known::SessionArchived { reason } => self.archive(time, reason),
            Known::CommitAdded(commit) => self.add_commit(record, commit),
            Known::GitChanged(changed) => self.change_git(changed),
            Known::FocusSet(focus) => self.focus.clone_from(focus),
            Known::ModeSet { mode } => self.mode = Some(mode.clone()),
            Known::TailCut(cut) => self.loss = Loss::after_cut(self.loss, seq, cut),
            Known::LossAccepted { .. } => self.loss = None,
            Known::ArtifactsChanged { .. } | Known::CopySetAside { .. } => {
                self.stay_as_imported(untouched);
            }

            Known::BuildStarted { total } => self.build.begin(*total),
            Known::BuildExtended { total } => self.build.extend(*total),
            Known::CheckpointStarted { checkpoint } => self.build.start(*checkpoint),
            Known::CheckpointCompleted { checkpoint } => self.build.complete(*checkpoint),
            Known::TaskCompleted { task } => self.build.complete_task(task),

            Known::ConversationAttached(attached) => self.attach(record, attached),
            Known::ConversationDetached { conversation, .. } => self.detach(record, conversation),
            Known::PolicyPinned { conversation, policy } => {
                self.with(conversation, |known| known.policy = Some(policy.clone()));
            }
            Known::TurnStarted { conversation, tree } => {
                self.with(conversation, |known| known.begin_turn(seq, tree.as_ref()));
            }
            Known::EditObserved { conversation, elsewhere, .. } => {
                let (subagent, elsewhere) = (record.actor.subagent(), elsewhere.as_deref());
                self.edit(seq, conversation, &Edit { subagent, elsewhere, unenforced: false });
            }
            Known::EditsFound { conversation, unenforced, elsewhere, .. } => {
                let (subagent, elsewhere) = (record.actor.subagent(), elsewhere.as_deref());
                self.edit(
                    seq,
                    conversation,
                    &Edit { subagent, elsewhere, unenforced: *unenforced },
                );
            }
            Known::WorktreeEntered { conversation, worktree, tree } => {
                let by = record.actor.subagent();
                self.with(conversation, |known| {
                    known.enter(seq, worktree, tree.as_ref(), by);
                });
            }
            Known::DebtHandedOn { conversation, .. } => {
                self.with(conversation, Conversation::hand_on);
            }
            Known::SubagentStarted { conversation, subagent, agent_type, tree } => {
                self.with(conversation, |known| {
                    known.start_subagent(seq, subagent, agent_type, tree.as_ref());
                });
                self.orchestration.invoke_subagent(record, agent_type, conversation, subagent);
            }
            Known::UsageCounted(counted) => {
                counted.used.iter().for_each(|used| self.usage.add(used));
                let place = self.place();
                self.with(&counted.conversation, |known| {
                    counted.used.iter().for_each(|used| known.counted.add(used));
                    (known.counted.at, known.counted.place) = (Some(time), Some(place));
                });
            }
            Known::SubagentEnded { conversation, subagent, .. } => {
                self.ledger.forget_subagent(conversation, subagent);
                self.with(conversation, |known| known.end_subagent(subagent));
                let (whose, status) = (Some(conversation), InvocationStatus::Completed);
                self.orchestration.complete_subagent(record, whose, subagent, status);
            }
            // One that still works in the background ends later, and is told of then.
            Known::SubagentCalled(called) => {
                let whose = record.actor.conversation();
                if let (Some(conversation), Some(by)) = (whose, record.actor.subagent()) {
                    self.with(conversation, |known| known.judges.delegate(by));
                }
                if called.failed {
                    let status = InvocationStatus::Failed;
                    self.orchestration.complete_subagent(record, whose, &called.subagent, status);
                }
            }
            Known::AgentInvoked(invoked) => self.orchestration.invoke(record, &invoked.agent),
            Known::AgentCompleted(completed) => self.orchestration.complete(record, completed),
            Known::DecisionRecorded(decision) => self.orchestration.decide(record, decision),
            Known::DecisionReviewed { decision, .. } => self.orchestration.review(decision),
            Known::VerdictGiven(verdict) => {
                self.ledger.add_verdict(from, verdict);
                self.orchestration.judge(record);
            }
            Known::VerdictResolved { verdict, .. } => self.ledger.resolve_verdict(*verdict),
            Known::HandoffCreated(handoff) => self.orchestration.hand_over(record, handoff),
            Known::HandoffAccepted(accepted) => self.orchestration.accept(accepted.handoff),
            Known::HistoryCompacted(compacted) => self.orchestration.compact(compacted),
            Known::StopAllowed { conversation, tree, elsewhere } => {
                self.with(conversation, |known| match elsewhere {
                    None => known.allow_stop(tree.as_ref()),
                    Some(worktree) => known.leave(worktree),
                });
                // Whatever was to be said of its commits has been said.
                self.open_commits.retain(|open| open.by.as_ref() != Some(conversation));
            }
            Known::RulingMade(ruling) => {
                self.with(&ruling.action.conversation, |known| known.add_ruling(seq, ruling));
            }

            Known::CommandRan(run) => self.ledger.add_run(from, run, Apart::Each),
            Known::EvidenceRecorded(seen) => self.ledger.add_evidence(from, seen, Apart::Each),
            Known::GateMarked(mark) => self.ledger.add_mark(from, mark),
            Known::GateCleared { gate, conversation } => {
                self.ledger.spend(gate, conversation.as_ref(), seq);
            }
            Known::GatesPaused(paused) => self.pause_gates(&paused.gates, paused.until),
            Known::GatesUnpaused { gates } if gates.is_empty() => self.paused_gates.clear(),
            Known::GatesUnpaused { gates } => {
                self.paused_gates.retain(|gate, _| !gates.contains(gate));
            }
            Known::CarriedOver(carried) => self.ledger.carry_over(seq, time, carried),
            Known::GatesPassed { conversation, triggered, consumed } => {
                for gate in consumed {
                    self.ledger.spend(gate, Some(conversation), seq);
                }
                self.with(conversation, |known| known.pass(triggered, consumed));
            }

            Known::TrackStarted(started) => self.begin_track(time, started),
            Known::TrackExtended(all) => self.with_track(None, |track| track.extend(all)),
            Known::PhaseEntered { conversation, to, .. } => {
                self.with_track(conversation.as_ref(), |track| track.enter(to, time));
            }
            Known::PhaseChecked(checked) => {
                self.with_track(None, |track| track.failed = !checked.passed);
            }
            Known::PhaseSkipped { phase, .. } => self.with_track(None, |track| track.skip(phase)),
            Known::PhaseRetried { .. } => self.with_track(None, |track| track.failed = false),
            Known::RolledBack { to, .. } => {
                self.with_track(None, |track| track.roll_back(to, time));
            }
            Known::TrackCompleted { conversation, .. } => {
                self.with_track(conversation.as_ref(), |track| track.complete(time));
            }
            Known::ViolationRecorded(violation) => self.violate(violation),
            Known::ViolationRecovered { conversation, gate, .. } => {
                self.with_track(conversation.as_ref(), |track| track.recover(gate));
            }

            // These tell of the project, or of what nothing is decided by.
            Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::Shared(_)
            | Known::ConfigTrusted { .. }
            | Known::NoteAdded { .. }
            | Known::CurrentChosen { .. }
            | Known::ProjectRemoved { .. }
            | Known::GatesSwitched { .. }
            | Known::CopyTrusted { .. } => {}
        }
    }

    fn start(&mut self, time: Timestamp, started: &SessionStarted) {
        self.lifecycle = Lifecycle::Active;
        self.objective.clone_from(&started.objective);
        self.workflow.clone_from(&started.workflow);
        self.branch.clone_from(&started.branch);
        self.worktree.clone_from(&started.worktree);
        self.commit.clone_from(&started.commit);
        self.started_at = Some(time);
    }

    fn name(&mut self, record: &Record, objective: &str, workflow: Option<&String>) {
        self.objective = Some(objective.to_owned());
        if let Some(workflow) = workflow {
            self.workflow.clone_from(workflow);
        }
        if let Some(conversation) = record.actor.conversation() {
            self.with(conversation, |conversation| conversation.named_session = true);
        }
    }

    fn adopt(&mut self, worktree: Option<&String>) {
        self.worktree = worktree.cloned();
        // They worked in another clone.
        for conversation in self.conversations.values_mut() {
            conversation.attached = false;
        }
    }

    fn pause(&mut self, time: Timestamp, reason: &str, context: Option<&String>) {
        self.lifecycle = Lifecycle::Paused;
        let (reason, context) = (reason.to_owned(), context.cloned());
        self.pause = Some(Pause { reason, context, since: time });
    }

    fn resume(&mut self, commit: Option<&String>) {
        self.lifecycle = Lifecycle::Active;
        if self.commit.is_none() {
            self.commit = commit.cloned();
        }
        self.resumed += 1;
        self.ended_at = None;
        self.archived = None;
    }

    fn end(&mut self, time: Timestamp, outcome: SessionOutcome) {
        self.lifecycle = match outcome {
            SessionOutcome::Completed => Lifecycle::Completed,
            SessionOutcome::Failed => Lifecycle::Failed,
        };
        self.ended_at = Some(time);
    }

    fn archive(&mut self, time: Timestamp, reason: &str) {
        let (reason, before) = (reason.to_owned(), self.lifecycle);
        self.archived = Some(Archive { reason, since: time, before });
        self.lifecycle = Lifecycle::Archived;
        self.ended_at.get_or_insert(time);
    }

    fn add_commit(&mut self, record: &Record, commit: &CommitAdded) {
        let CommitAdded { sha, unproven, unruled, .. } = commit;
        // Recorded once more, with its checkpoint.
        if self.commits.iter().any(|known| known == sha) {
            return;
        }
        self.commits.push(sha.clone());
        let surplus = self.commits.len().saturating_sub(MAX_COMMITS);
        self.commits.drain(..surplus);
        if *unruled || !unproven.is_empty() {
            let by = record.actor.conversation().cloned();
            self.open_commits.push(OpenCommit { sha: sha.clone(), unruled: *unruled, by });
            let surplus = self.open_commits.len().saturating_sub(MAX_COMMITS);
            self.open_commits.drain(..surplus);
        }
    }

    fn change_git(&mut self, changed: &GitChanged) {
        changed.apply(&mut self.branch, &mut self.worktree, &mut self.base_branch);
    }

    fn edit(&mut self, seq: u64, conversation: &ConversationId, edit: &Edit<'_>) {
        self.last_edit = seq;
        self.with(conversation, |known| known.edit(seq, edit));
    }

    fn begin_track(&mut self, time: Timestamp, started: &TrackStarted) {
        let track = Track::begin(started, time).map(Box::new);
        if let Some(conversation) = &started.conversation {
            self.with(conversation, |known| known.track = track);
        } else {
            self.workflow.clone_from(&started.definition.name);
            self.track = track;
        }
    }

    fn violate(&mut self, violation: &Violation) {
        self.violations += 1;
        // A must that stands between no phases holds no track.
        if violation.phase.is_some() {
            let (gate, forced) = (&violation.gate, violation.forced);
            self.with_track(violation.conversation.as_ref(), |track| track.miss(gate, forced));
        }
    }

    fn attach(&mut self, record: &Record, attached_now: &ConversationAttached) {
        let place = self.place();
        let known = self
            .conversations
            .entry(attached_now.conversation.clone())
            .or_insert_with(|| Conversation::new(&attached_now.harness));
        if !known.attached {
            known.attached_at = Some(record.time);
        }
        // What it used while it worked in another session belongs there.
        if known.counted.since.is_none() || (!known.attached && !attached_now.goes_on()) {
            known.counted = Counted::from(record.time, place);
        }
        known.attached = true;
        known.named_session |= attached_now.source == ConversationAttached::BEGAN_IT;
        known.since = record.seq;
        if known.first == 0 {
            known.first = record.seq;
        }
        let attached = self.conversations.values().filter(|known| known.attached);
        if attached.count() > MAX_ATTACHED {
            self.forget_attached(&attached_now.conversation);
        }
    }

    fn detach(&mut self, record: &Record, conversation: &ConversationId) {
        self.with(conversation, |known| {
            known.attached = false;
            known.detached_at = Some(record.time);
            known.since = record.seq;
        });
        self.orchestration.lose_subagents(record, conversation);
        // Whoever let gates rest did so for the work that was going on.
        if !self.conversations.values().any(|known| known.attached) {
            self.paused_gates.clear();
        }
        self.forget_detached();
    }

    fn pause_gates(&mut self, gates: &[String], until: Option<Timestamp>) {
        if gates.is_empty() {
            self.paused_gates.clear();
            self.paused_gates.insert(String::new(), until);
        }
        self.paused_gates.extend(gates.iter().map(|gate| (gate.clone(), until)));
    }

    /// Forgets the conversation that has been attached longest of those that owe least.
    fn forget_attached(&mut self, newest: &ConversationId) {
        let attached =
            self.conversations.iter().filter(|(id, known)| known.attached && *id != newest);
        let oldest = attached.min_by_key(|(_, known)| (known.edited, known.turn_open, known.since));
        if let Some(id) = oldest.map(|(id, _)| id.clone()) {
            self.forget(&id);
        }
    }

    pub(super) fn forget_detached(&mut self) {
        let mut detached: Vec<_> = self
            .conversations
            .iter()
            .filter(|(_, conversation)| !conversation.attached)
            .map(|(id, conversation)| (conversation.since, id.clone()))
            .collect();
        detached.sort();
        let surplus = detached.len().saturating_sub(MAX_DETACHED);
        for (_, id) in detached.into_iter().take(surplus) {
            self.forget(&id);
        }
    }

    fn forget(&mut self, id: &ConversationId) {
        self.conversations.remove(id);
        self.ledger.forget(id);
    }

    /// Changes a conversation, if it is known.
    fn with(&mut self, id: &ConversationId, change: impl FnOnce(&mut Conversation)) {
        if let Some(conversation) = self.conversations.get_mut(id) {
            change(conversation);
        }
    }

    /// Changes the track of a conversation, or the session's own where none is named, if it has one.
    fn with_track(
        &mut self,
        conversation: Option<&ConversationId>,
        change: impl FnOnce(&mut Track),
    ) {
        let track = match conversation {
            Some(id) => self.conversations.get_mut(id).and_then(|known| known.track.as_deref_mut()),
            None => self.track.as_deref_mut(),
        };
        if let Some(track) = track {
            change(track);
        }
    }
}
