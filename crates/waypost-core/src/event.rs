//! The events that streams are made of. A new fact is a new event here.
//!
//! An event on disk says its type and version. Types that this version does not know are kept as
//! they are ([`Event::Other`]): a newer Waypost's log is readable, and nothing of it is lost.

mod bounded;
mod context;
mod details;
mod encoding;
mod orchestration;
mod past;
mod restored;
mod speaker;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evidence::{CarriedOver, Evidence, Mark, Run, Tree, VerdictGiven};
use crate::gate::ruling::Ruling;
use crate::id::{ConversationId, SessionId};
use crate::track::{Definition, TrackStarted};

pub use context::{Focus, GitChanged, WorkflowPhase};

pub use details::{
    CommitAdded, ConversationAttached, PausedGates, PhaseChecked, PolicyCompiled, PolicyLost,
    SessionEnded, SessionImported, SessionOutcome, SessionRestored, SessionStarted, Shared,
    SharedFact, TailCut, Violation,
};

pub use orchestration::{
    AgentCompleted, AgentInvoked, AgentUsage, DecisionRecorded, DecisionType, HandoffAccepted,
    HandoffCreated, HistoryCompacted, InvocationStatus, SubagentCalled,
};

pub use past::{
    ImportSource, Past, PastConversation, PastError, PastMark, PastNote, PastPause, PastPhase,
    PastStep, PastViolation,
};

pub use speaker::Speaker;

pub use crate::usage::{UsageCounted, UsedByAgent, UsedModel};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every one is known, and none is kept")]
pub enum Event {
    /// A type or version that this Waypost knows and folds.
    Known(Known),
    /// Anything else, kept verbatim.
    Other(Value),
}

/// All event types of this version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Known {
    /// The project was initialised.
    ProjectInitialised {
        /// The version of Waypost that did it.
        waypost: String,
        /// The linked work tree; none is the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<String>,
    },
    /// The gates were compiled into a policy.
    PolicyCompiled(PolicyCompiled),
    /// The policy that held could not be read any more, and another was made in its place.
    PolicyLost(PolicyLost),
    /// A session began.
    SessionStarted(SessionStarted),
    /// A session got its objective.
    SessionNamed {
        /// What the session is for.
        objective: String,
        /// The workflow that it follows from now on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workflow: Option<String>,
    },
    /// Work rests.
    SessionPaused {
        /// Why.
        reason: String,
        /// What whoever goes on should know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// Work goes on again, after a pause, an end, or a long silence.
    SessionResumed {
        /// What is checked out, where the session does not know which commit it began at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
    /// Work is over.
    SessionEnded(SessionEnded),
    /// A commit belongs to the session.
    CommitAdded(CommitAdded),
    /// A human put the session away.
    SessionArchived {
        /// Why.
        reason: String,
    },
    /// Building begins, at its first checkpoint.
    BuildStarted {
        /// How many checkpoints there are.
        total: u64,
    },
    /// The plan of a build has grown.
    BuildExtended {
        /// How many checkpoints there are now.
        total: u64,
    },
    /// Work on a checkpoint of the build began, or goes on there.
    CheckpointStarted {
        /// Its number, from one.
        checkpoint: u64,
    },
    /// A checkpoint of the build is done.
    CheckpointCompleted {
        /// Its number, from one.
        checkpoint: u64,
    },
    /// A task of the plan is done.
    TaskCompleted {
        /// The plan's name for it.
        task: String,
    },
    /// Where the session belongs in git has changed.
    GitChanged(GitChanged),
    /// What the session works on has changed: this is all of it.
    FocusSet(Focus),
    /// An agent's conversation began to work in the session, or came back to it.
    ConversationAttached(ConversationAttached),
    /// A conversation ended, or its process is gone.
    ConversationDetached {
        /// Which conversation.
        conversation: ConversationId,
        /// The harness' reason, or `crashed`.
        reason: String,
    },
    /// The gates that hold for a conversation were pinned.
    PolicyPinned {
        /// Which conversation.
        conversation: ConversationId,
        /// The policy's hash.
        policy: String,
    },
    /// The user sent a prompt: a turn begins.
    TurnStarted {
        /// Which conversation.
        conversation: ConversationId,
        /// The work tree's content at that moment, where a gate needs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<Tree>,
    },
    /// A conversation changed a file: the first since its gates were last settled.
    EditObserved {
        /// Which conversation.
        conversation: ConversationId,
        /// The tool that did it.
        tool: String,
        /// The file, relative to the project where it lies in it.
        path: String,
        /// The work tree, where that is not the conversation's own: its name, empty for the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<String>,
    },
    /// The work tree changed without an edit that a hook saw.
    EditsFound {
        /// Which conversation's turn it happened in.
        conversation: ConversationId,
        /// The files, as far as they fit.
        files: Vec<String>,
        /// No tool call of that turn was seen either: the hook may not be called at all.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unenforced: bool,
        /// The work tree, where that is not the conversation's own: its name, empty for the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<String>,
    },
    /// A conversation came to a work tree of the project that is not its own.
    WorktreeEntered {
        /// Which conversation.
        conversation: ConversationId,
        /// The work tree's name, empty for the main one.
        worktree: String,
        /// Its content at that moment, where a gate needs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<Tree>,
    },
    /// Another conversation answers for what a conversation owed: it was cleared, or goes on as that one.
    DebtHandedOn {
        /// Which conversation's.
        conversation: ConversationId,
        /// The one that answers for it.
        to: ConversationId,
    },
    /// A conversation let a subagent work.
    SubagentStarted {
        /// Which conversation.
        conversation: ConversationId,
        /// The harness' name for the subagent.
        subagent: String,
        /// What sort of agent it is.
        agent_type: String,
        /// The work tree's content at that moment, where a gate needs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<Tree>,
    },
    /// A subagent is done.
    SubagentEnded {
        /// Which conversation's.
        conversation: ConversationId,
        /// The harness' name for the subagent.
        subagent: String,
        /// The files that it was seen to change; the first few.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// What a conversation used was counted.
    UsageCounted(Box<UsageCounted>),
    /// The call that let a subagent work returned.
    SubagentCalled(Box<SubagentCalled>),
    /// An agent was given work.
    AgentInvoked(Box<AgentInvoked>),
    /// An agent is done with what it was given.
    AgentCompleted(Box<AgentCompleted>),
    /// Something was decided.
    DecisionRecorded(Box<DecisionRecorded>),
    /// Somebody agrees with a decision, or does not.
    DecisionReviewed {
        /// The decision's id.
        decision: String,
        /// Who says so.
        by: String,
        /// Whether it was approved.
        approved: bool,
    },
    /// An agent judged what another one did.
    VerdictGiven(Box<VerdictGiven>),
    /// The conditions and blockers of a verdict are met, as a human says.
    VerdictResolved {
        /// The verdict: the sequence number of its record.
        verdict: u64,
        /// How.
        how: String,
    },
    /// Work is handed from one agent to another.
    HandoffCreated(Box<HandoffCreated>),
    /// Whoever goes on took a handoff.
    HandoffAccepted(HandoffAccepted),
    /// Older invocations are no longer in the state.
    HistoryCompacted(HistoryCompacted),
    /// A command ran.
    CommandRan(Run),
    /// Something else was seen or said that a gate asks for.
    EvidenceRecorded(Evidence),
    /// Somebody says that a gate is satisfied.
    GateMarked(Mark),
    /// What satisfied a gate counts no more.
    GateCleared {
        /// The gate.
        gate: String,
        /// For this conversation alone, where the gate's scope is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation: Option<ConversationId>,
    },
    /// A human lets gates rest.
    GatesPaused(PausedGates),
    /// Gates that rested stand there again.
    GatesUnpaused {
        /// Which; none named: all of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gates: Vec<String>,
    },
    /// What satisfied gates for another conversation, that ended shortly before, counts for this one too.
    CarriedOver(CarriedOver),
    /// An action that gates stand before was allowed and has happened.
    GatesPassed {
        /// Which conversation's.
        conversation: ConversationId,
        /// The gates that were passed for the first time.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        triggered: Vec<String>,
        /// The gates whose proof is used up by it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        consumed: Vec<String>,
    },
    /// The mode was changed.
    ModeSet {
        /// To what.
        mode: String,
    },
    /// Something that counts beyond its session: on a branch, or in the whole project.
    Shared(Box<Shared>),
    /// A human trusts a configuration file, so that commands that it names may be run.
    ConfigTrusted {
        /// SHA-256 of the file.
        sha256: String,
    },
    /// The gates denied, warned, or gave way.
    RulingMade(Box<Ruling>),
    /// A must was missed.
    ViolationRecorded(Violation),
    /// What was missed holds after all.
    ViolationRecovered {
        /// Which conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation: Option<ConversationId>,
        /// The gate that was missed.
        gate: String,
        /// How it came to hold.
        recovery: String,
    },
    /// A workflow or a protocol began.
    TrackStarted(Box<TrackStarted>),
    /// A phase of a workflow or a protocol was left for the next.
    PhaseEntered {
        /// The conversation whose protocol it is; none is the session's workflow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation: Option<ConversationId>,
        /// The phase that was left.
        from: String,
        /// The phase that was entered.
        to: String,
    },
    /// Somebody tried to complete the phase that the workflow is in.
    PhaseChecked(Box<PhaseChecked>),
    /// A phase of the workflow was left out.
    PhaseSkipped {
        /// Which phase.
        phase: String,
        /// Why.
        reason: String,
    },
    /// Whoever failed to complete a phase begins it once more.
    PhaseRetried {
        /// Which phase.
        phase: String,
        /// Whether what was proven in it counts no more.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        reset_evidence: bool,
    },
    /// The workflow went back to a phase before the one that it was in.
    RolledBack {
        /// The phase that it was in.
        from: String,
        /// The phase that it is in again.
        to: String,
        /// Why.
        reason: String,
    },
    /// More of the workflow's phases became known: this is all of it now.
    TrackExtended(Box<Definition>),
    /// A workflow or a protocol is done.
    TrackCompleted {
        /// The conversation whose protocol it is; none is the session's workflow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation: Option<ConversationId>,
        /// What came of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        /// What whoever comes next should know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_notes: Option<String>,
    },
    /// The agent was allowed to stop.
    StopAllowed {
        /// Which conversation.
        conversation: ConversationId,
        /// The work tree then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<Tree>,
        /// The work tree that it is about, where that is not the conversation's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<String>,
    },
    /// Somebody wrote something down.
    NoteAdded {
        /// What sort of note.
        note_kind: String,
        /// The text, verbatim.
        text: String,
    },
    /// The stream's end was found damaged and was cut off.
    TailCut(TailCut),
    /// A human knows that acknowledged records were lost, and lets the stream go on without them.
    LossAccepted {
        /// The last of them.
        up_to: u64,
    },
    /// The session was taken over from its published copy: it goes on in this clone.
    SessionAdopted {
        /// The linked work tree it goes on in; none is the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<String>,
        /// How many records were there already.
        records: u64,
    },
    /// The session's records were gone, and it goes on from what a mirror held of it. It is the first record of its
    /// stream, and goes on from the last that is gone.
    SessionRestored(Box<SessionRestored>),
    /// A session that another program kept goes on here.
    SessionImported(SessionImported),
    /// Files that people and agents write beside the published copy changed since they were last
    /// looked at.
    ArtifactsChanged {
        /// The SHA-256 of each, by its path in the session's folder.
        files: BTreeMap<String, String>,
    },
    /// The published copy was not one of this stream, and was kept apart before it was written anew.
    CopySetAside {
        /// What it was.
        reason: String,
        /// Where it is kept, below the project's store.
        kept: String,
    },
    /// People chose the session that new conversations in a work tree join, or chose that there is none.
    CurrentChosen {
        /// The linked work tree; none is the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<String>,
        /// The session; none if there is none any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
    /// Waypost was taken out of a work tree; what was recorded stays.
    ProjectRemoved {
        /// The linked work tree; none is the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<String>,
        /// Who said so, as far as that can be told.
        said: Speaker,
    },
    /// A session's gates were switched off, so that they only report, or on again.
    GatesSwitched {
        /// The session.
        session: SessionId,
        /// Whether they are off.
        off: bool,
        /// Who said so, as far as that can be told.
        said: Speaker,
    },
    /// A human accepted a published copy whose signatures cannot be checked here.
    CopyTrusted {
        /// The session.
        session: SessionId,
        /// How many records.
        records: u64,
        /// The last one's hash.
        head: String,
    },
}

impl Known {
    /// Something that counts beyond its session, on a branch or with an empty name everywhere.
    pub fn shared(branch: String, what: SharedFact) -> Self {
        Self::Shared(Box::new(Shared { branch, what }))
    }
}

#[cfg(test)]
mod tests;
