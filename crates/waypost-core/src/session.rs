//! A session's state: the fold of its events, as far as decisions need it.
//!
//! The state is bounded: it holds what commands and gates ask for, never the whole history. What
//! people want to read (notes, rulings, everything that happened) is read from the events.

mod build;
mod conversation;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::event::{ConversationAttached, Event, Focus, Known, SessionImported, SessionOutcome};
use crate::id::ConversationId;
use crate::ledger::{Apart, Ledger};
use crate::loss::Loss;
use crate::manifest::Basics;
use crate::record::Record;
use crate::time::Timestamp;
use crate::track::Track;

pub use build::{Build, MAX_CHECKPOINTS};
pub use conversation::{Conversation, Held, LastStop, StopBlock, StopState};

/// How many conversations that are over are remembered, for those that come back.
const MAX_DETACHED: usize = 16;
/// How many are remembered that are attached. One that is forgotten and calls again is attached anew.
const MAX_ATTACHED: usize = 256;
/// How many commits are remembered, so that none is recorded twice in a row.
const MAX_COMMITS: usize = 32;
/// After how many milliseconds without anything happening an active session counts as abandoned.
pub(crate) const ABANDONED_AFTER: i64 = 24 * 60 * 60 * 1000;

/// Where a session is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// It has not begun.
    #[default]
    Unstarted,
    /// Work goes on.
    Active,
    /// Work rests.
    Paused,
    /// It reached what it was for.
    Completed,
    /// It did not reach what it was for.
    Failed,
    /// Active, but nobody has come by for a day. No event says so: it is what
    /// [`SessionState::lifecycle_at`] makes of the time.
    Abandoned,
    /// A human put it away.
    Archived,
}

impl Lifecycle {
    /// Whether work is over, until somebody resumes it.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Archived)
    }
}

impl fmt::Display for Lifecycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unstarted => "unstarted",
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
            Self::Archived => "archived",
        })
    }
}

/// Why work rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Why.
    pub reason: String,
    /// What whoever goes on should know.
    pub context: Option<String>,
    /// Since when.
    pub since: Timestamp,
}

/// Why a session was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    /// Why.
    pub reason: String,
    /// Since when.
    pub since: Timestamp,
    /// Where it was in its life.
    pub before: Lifecycle,
}

/// The fold of a session's events.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionState {
    /// The last record's sequence number.
    pub version: u64,
    /// Which acknowledged records are gone, until a human accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// What it is for, once somebody named it.
    pub objective: Option<String>,
    /// The workflow it follows.
    pub workflow: String,
    /// Its branch: the one it began on, until somebody says otherwise.
    pub branch: Option<String>,
    /// Its linked work tree; none is the main one.
    pub worktree: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// The conversations that work in it or did lately.
    pub conversations: BTreeMap<ConversationId, Conversation>,
    /// What counts as proof.
    pub ledger: Ledger,
    /// The mode, where somebody set one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The commit it began at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What other agents said, by agent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub verdicts: BTreeMap<String, String>,
    /// The record of the last edit that was recorded.
    pub last_edit: u64,
    /// How many musts were missed.
    pub violations: u64,
    /// The latest pause. It stays after resuming: whoever goes on wants to know.
    #[serde(default)]
    pub pause: Option<Pause>,
    /// How often work was taken up again.
    #[serde(default)]
    pub resumed: u64,
    /// When it ended, while it is over.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// The latest commits' hashes.
    #[serde(default)]
    pub commits: Vec<String>,
    /// Where its workflow is, if it follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<Box<Track>>,
    /// Why it was put away, while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<Archive>,
    /// The branch that it goes back to when it is done, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
    /// How far building has come.
    #[serde(default, skip_serializing_if = "Build::is_unused")]
    pub build: Build,
    /// What it works on just now.
    #[serde(default, skip_serializing_if = "Focus::is_empty")]
    pub focus: Focus,
}

impl SessionState {
    /// The fold of `records`.
    pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut state = Self::default();
        for record in records {
            state.apply(record);
        }
        state
    }

    /// The phase that work is in. Without a workflow of its own a session is all building.
    pub fn phase(&self) -> &str {
        match &self.track {
            Some(track) if track.is_running() => &track.phase,
            Some(_) => "complete",
            None if self.lifecycle.is_over() => "complete",
            None => "build",
        }
    }

    /// Where the protocol of a conversation is, or the session's workflow where none is named.
    pub fn track(&self, conversation: Option<&ConversationId>) -> Option<&Track> {
        match conversation {
            Some(id) => self.conversations.get(id)?.track.as_deref(),
            None => self.track.as_deref(),
        }
    }

    /// The conversation that joined or left last: whose evidence counts where nobody acts himself.
    pub fn latest_conversation(&self) -> ConversationId {
        let latest = self.conversations.iter().max_by_key(|(_, known)| known.since);
        latest.map_or_else(ConversationId::nobody, |(id, _)| id.clone())
    }

    /// Whether an edit by `conversation` changes anything for the gates: it is the first since its
    /// stops were settled, or the first after a run that counts as proof.
    pub fn edit_matters(&self, conversation: &ConversationId) -> bool {
        self.conversations.get(conversation).is_none_or(|known| !known.edited)
            || self.ledger.ran_after(self.last_edit)
    }

    /// From when on it counts as silent, unless something happens.
    pub fn silent_at(&self) -> Option<Timestamp> {
        let at = self.updated_at?.as_millis().saturating_add(ABANDONED_AFTER);
        Some(Timestamp::saturating_from_millis(at))
    }

    /// Where it is in its life at `now`. `attended` says whether a conversation that is attached
    /// to it still runs.
    pub fn lifecycle_at(&self, now: Timestamp, attended: bool) -> Lifecycle {
        let silent = self.silent_at().is_some_and(|silent| now >= silent);
        match self.lifecycle {
            Lifecycle::Active if silent && !attended => Lifecycle::Abandoned,
            lifecycle => lifecycle,
        }
    }

    /// Takes one more record into account.
    pub fn apply(&mut self, record: &Record) {
        self.version = record.seq;
        self.updated_at = Some(record.time);
        self.loss = Loss::after(self.loss, record);
        let Event::Known(event) = &record.event else {
            return;
        };
        match event {
            Known::SessionStarted(started) => {
                self.lifecycle = Lifecycle::Active;
                self.objective.clone_from(&started.objective);
                self.workflow.clone_from(&started.workflow);
                self.branch.clone_from(&started.branch);
                self.worktree.clone_from(&started.worktree);
                self.commit.clone_from(&started.commit);
                self.started_at = Some(record.time);
            }
            Known::SessionNamed { objective, workflow } => {
                self.name(record, objective, workflow.as_ref());
            }
            Known::ConversationAttached(attached) => self.attach(record, attached),
            Known::ConversationDetached { conversation, .. } => self.detach(record, conversation),
            Known::SessionImported(imported) => self.import(record, imported),
            Known::SessionAdopted { worktree, .. } => {
                self.worktree.clone_from(worktree);
                // They worked in another clone.
                for conversation in self.conversations.values_mut() {
                    conversation.attached = false;
                }
            }
            Known::CommandRan(run) => self.ledger.add_run(record, run, Apart::Each),
            Known::EvidenceRecorded(evidence) => {
                self.ledger.add_evidence(record, evidence, Apart::Each);
            }
            Known::GateMarked(mark) => self.ledger.add_mark(record, mark),
            Known::ModeSet { mode } => self.mode = Some(mode.clone()),
            Known::TrackStarted(_)
            | Known::PhaseEntered { .. }
            | Known::PhaseChecked(_)
            | Known::PhaseSkipped { .. }
            | Known::PhaseRetried { .. }
            | Known::RolledBack { .. }
            | Known::TrackExtended(_)
            | Known::TrackCompleted { .. }
            | Known::ViolationRecorded(_)
            | Known::ViolationRecovered { .. } => self.apply_to_track(record.time, event),
            Known::SessionPaused { .. }
            | Known::SessionResumed {}
            | Known::SessionEnded(_)
            | Known::CommitAdded(_)
            | Known::SessionArchived { .. } => self.apply_to_life(record.time, event),
            Known::BuildStarted { .. }
            | Known::BuildExtended { .. }
            | Known::CheckpointStarted { .. }
            | Known::CheckpointCompleted { .. }
            | Known::TaskCompleted { .. } => self.build.apply(event),
            Known::GitChanged(_) | Known::FocusSet(_) => self.apply_to_context(event),
            _ => self.apply_to_conversation(record.seq, event),
        }
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

    fn attach(&mut self, record: &Record, attached_now: &ConversationAttached) {
        let known = self
            .conversations
            .entry(attached_now.conversation.clone())
            .or_insert_with(|| Conversation::new(&attached_now.harness));
        if !known.attached {
            known.attached_at = Some(record.time);
        }
        known.attached = true;
        known.since = record.seq;
        if known.first == 0 {
            known.first = record.seq;
        }
        let attached = self.conversations.values().filter(|known| known.attached);
        if attached.count() > MAX_ATTACHED {
            self.forget_attached(&attached_now.conversation);
        }
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

    fn forget(&mut self, id: &ConversationId) {
        self.conversations.remove(id);
        self.ledger.forget(id);
    }

    fn detach(&mut self, record: &Record, conversation: &ConversationId) {
        self.with(conversation, |known| {
            known.attached = false;
            known.detached_at = Some(record.time);
            known.since = record.seq;
        });
        self.forget_detached();
    }

    fn import(&mut self, record: &Record, imported: &SessionImported) {
        let foreign = Basics::read(&imported.manifest);
        self.lifecycle = foreign.lifecycle();
        self.objective = Some(foreign.topic);
        self.workflow = foreign.session_type;
        self.branch = foreign.git.branch;
        self.base_branch = foreign.git.base_branch;
        self.build = Build::imported(&foreign.build_progress);
        self.worktree.clone_from(&imported.worktree);
        self.started_at = foreign.created_at.or(Some(record.time));
    }

    fn apply_to_life(&mut self, time: Timestamp, event: &Known) {
        match event {
            Known::SessionPaused { reason, context } => {
                self.lifecycle = Lifecycle::Paused;
                self.pause =
                    Some(Pause { reason: reason.clone(), context: context.clone(), since: time });
            }
            Known::SessionResumed {} => {
                self.lifecycle = Lifecycle::Active;
                self.resumed += 1;
                self.ended_at = None;
                self.archived = None;
            }
            Known::SessionEnded(ended) => {
                self.lifecycle = match ended.outcome {
                    SessionOutcome::Completed => Lifecycle::Completed,
                    SessionOutcome::Failed => Lifecycle::Failed,
                };
                self.ended_at = Some(time);
            }
            Known::SessionArchived { reason } => {
                self.archived =
                    Some(Archive { reason: reason.clone(), since: time, before: self.lifecycle });
                self.lifecycle = Lifecycle::Archived;
                self.ended_at.get_or_insert(time);
            }
            Known::CommitAdded(commit) => {
                self.commits.push(commit.sha.clone());
                if self.commits.len() > MAX_COMMITS {
                    self.commits.remove(0);
                }
            }
            _ => {}
        }
    }

    fn apply_to_context(&mut self, event: &Known) {
        match event {
            Known::GitChanged(changed) => {
                changed.apply(&mut self.branch, &mut self.worktree, &mut self.base_branch);
            }
            Known::FocusSet(focus) => self.focus.clone_from(focus),
            _ => {}
        }
    }

    fn apply_to_conversation(&mut self, seq: u64, event: &Known) {
        match event {
            Known::EditObserved { .. } | Known::EditsFound { .. } => self.last_edit = seq,
            Known::SubagentEnded { conversation, subagent } => {
                self.ledger.forget_subagent(conversation, subagent);
            }
            Known::GateCleared { gate, conversation } => {
                self.ledger.spend(gate, conversation.as_ref(), seq);
            }
            Known::GatesPassed { conversation, consumed, .. } => {
                for gate in consumed {
                    self.ledger.spend(gate, Some(conversation), seq);
                }
            }
            _ => {}
        }
        if let Some(whose) = conversation::concerned(event) {
            self.with(whose, |known| known.apply(seq, event));
        }
    }

    fn apply_to_track(&mut self, time: Timestamp, event: &Known) {
        self.violations += u64::from(matches!(event, Known::ViolationRecorded(_)));
        let whose = match event {
            Known::TrackStarted(started) => started.conversation.as_ref(),
            Known::ViolationRecorded(violation) => violation.conversation.as_ref(),
            Known::PhaseEntered { conversation, .. }
            | Known::TrackCompleted { conversation, .. }
            | Known::ViolationRecovered { conversation, .. } => conversation.as_ref(),
            _ => None,
        };
        if let Some(whose) = whose {
            self.with(whose, |known| Track::fold(&mut known.track, time, event));
        } else {
            if let Known::TrackStarted(started) = event {
                self.workflow.clone_from(&started.definition.name);
            }
            Track::fold(&mut self.track, time, event);
        }
    }

    fn with(&mut self, id: &ConversationId, change: impl FnOnce(&mut Conversation)) {
        if let Some(conversation) = self.conversations.get_mut(id) {
            change(conversation);
        }
    }

    fn forget_detached(&mut self) {
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
}
