//! Commands: what somebody wants of a session. A command meets a state in [`decide`] and becomes
//! events, or is refused.

mod build;
mod context;
mod conversation;
mod gates;
mod life;
mod orchestration;
mod project;
mod redacted;
mod track;

use std::collections::BTreeMap;

use crate::event::{
    CommitAdded, ConversationAttached, GitChanged, Known, SessionEnded, SessionImported,
    SessionStarted, SubagentCalled, UsageCounted, Violation,
};
use crate::evidence::{Evidence, Mark, Run, Tree};
use crate::gate::modes;
use crate::gate::ruling::Ruling;
use crate::id::ConversationId;
use crate::loss::Loss;
use crate::session::{Lifecycle, SessionState};
use crate::text;
use crate::time::Timestamp;
use crate::track::{Definition, MAX_FORCED, TrackStarted};

pub use build::{BuildCommand, BuildRefusal, MAX_TASK};
pub use context::{ContextRefusal, FocusChange, MAX_FOCUS};
pub use gates::GatesCommand;
pub use life::check_open;
pub use orchestration::{Completion, OrchestrationCommand, OrchestrationRefusal};
pub use project::{ProjectCommand, decide_for_project};
pub use redacted::redact_import;
pub use track::{Advance, CompletePhase, TrackRefusal, check_start};

/// The longest objective, in bytes.
pub const MAX_OBJECTIVE: usize = 4 * 1024;
/// The longest note, in bytes.
pub const MAX_NOTE: usize = 64 * 1024;
/// The longest reason and the longest context of a pause, in bytes: the state holds them.
pub const MAX_PAUSE: usize = 16 * 1024;

/// The longest fields of one evidence, in bytes: the state holds them.
pub const MAX_FIELDS: usize = 16 * 1024;

/// What somebody wants of a session.
#[derive(Debug, Clone)]
pub enum Command {
    /// Begin it.
    Start(SessionStarted),
    /// Say what it is for.
    Name {
        /// What it is for.
        objective: String,
        /// The workflow that it follows from now on.
        workflow: Option<String>,
        /// The conversation that names it, if one does.
        conversation: Option<ConversationId>,
    },
    /// Let a conversation join, under a policy.
    Attach {
        /// The conversation.
        attached: ConversationAttached,
        /// The hash of its policy.
        policy: String,
    },
    /// A conversation is over.
    Detach {
        /// Which conversation.
        conversation: ConversationId,
        /// Why.
        reason: String,
    },
    /// A prompt was sent: a turn begins, under a policy.
    BeginTurn {
        /// Which conversation.
        conversation: ConversationId,
        /// The work tree, where a gate needs it.
        tree: Option<Tree>,
        /// The hash of the policy that holds from now on.
        policy: String,
    },
    /// A file was changed.
    ObserveEdit {
        /// Which conversation.
        conversation: ConversationId,
        /// The subagent that did it, if one did.
        subagent: Option<String>,
        /// With which tool.
        tool: String,
        /// Which file.
        path: String,
        /// The work tree, where that is not the conversation's own.
        elsewhere: Option<String>,
    },
    /// Another conversation answers for what a conversation owes.
    HandOn {
        /// Which conversation's.
        conversation: ConversationId,
        /// The one that answers for it.
        to: ConversationId,
    },
    /// A conversation comes to a work tree that is not its own.
    EnterWorktree {
        /// Which conversation.
        conversation: ConversationId,
        /// The work tree.
        worktree: String,
        /// Its content, where a gate needs it.
        tree: Option<Tree>,
    },
    /// A command ran.
    RecordRun(Run),
    /// Something else was seen or said that a gate asks for.
    RecordEvidence(Evidence),
    /// Say that a gate is satisfied.
    Mark(Mark),
    /// Let what satisfied a gate count no more.
    Clear {
        /// The gate.
        gate: String,
        /// For this conversation alone.
        conversation: Option<ConversationId>,
    },
    /// Something about gates and what satisfied them.
    Gates(GatesCommand),
    /// An action that gates stand before has happened.
    Pass {
        /// Which conversation's.
        conversation: ConversationId,
        /// The gates that want to know.
        triggered: Vec<String>,
        /// The gates whose proof it uses up.
        consumed: Vec<String>,
    },
    /// Change the mode.
    SetMode {
        /// To what.
        mode: String,
    },
    /// The gates ruled on a stop.
    SettleStop {
        /// The ruling.
        ruling: Ruling,
        /// Files that changed without a hook seeing it.
        found: Vec<String>,
        /// Whether no tool call of the turn was seen either.
        unenforced: bool,
    },
    /// Files changed without a hook seeing it.
    FindEdits {
        /// In which conversation's turn.
        conversation: ConversationId,
        /// Which files.
        files: Vec<String>,
        /// The work tree, where that is not the conversation's own.
        elsewhere: Option<String>,
    },
    /// A conversation lets a subagent work.
    StartSubagent {
        /// Which conversation.
        conversation: ConversationId,
        /// The harness' name for the subagent.
        subagent: String,
        /// What sort of agent it is.
        agent_type: String,
        /// The work tree, where a gate needs it.
        tree: Option<Tree>,
    },
    /// A subagent is done.
    EndSubagent {
        /// Which conversation's.
        conversation: ConversationId,
        /// The harness' name for the subagent.
        subagent: String,
        /// The files that it was seen to change; the first few.
        files: Vec<String>,
    },
    /// What a conversation used is known.
    CountUsage(UsageCounted),
    /// The call that let a subagent work returned.
    ReturnSubagent {
        /// The conversation.
        conversation: ConversationId,
        /// What its harness tells. A call that failed may not name the subagent: then it is the latest of its sort.
        called: SubagentCalled,
    },
    /// Begin a workflow or a protocol, and leave these first phases out for the reason given.
    StartTrack(TrackStarted, Vec<(String, String)>),
    /// Complete the phase that the workflow is in, or fail to.
    CompletePhase(Box<CompletePhase>),
    /// Leave the phase out that the workflow is in.
    SkipPhase {
        /// The phase.
        phase: String,
        /// Why.
        reason: String,
        /// The definition with the phases that became known.
        extended: Option<Box<Definition>>,
        /// The phases after it that are left out too, and why.
        skipped: Vec<(String, String)>,
    },
    /// Try once more to complete a phase.
    RetryPhase {
        /// The phase.
        phase: String,
        /// The gates for which what satisfied them counts no more.
        reset: Option<Vec<String>>,
    },
    /// Go back to an earlier phase of the workflow.
    RollBack {
        /// The phase.
        to: String,
        /// Why.
        reason: String,
        /// The gates for which what satisfied them counts no more.
        reset: Vec<String>,
    },
    /// Enter the next phase.
    Advance(Advance),
    /// A gate before a phase was missed: it is a violation, and holds the track until it holds.
    Miss {
        /// Whose protocol.
        conversation: Option<ConversationId>,
        /// What was missed.
        missed: Vec<Violation>,
    },
    /// What was missed holds after all.
    Recover {
        /// Whose protocol.
        conversation: Option<ConversationId>,
        /// The gates, and how each came to hold.
        recovered: Vec<(String, String)>,
    },
    /// End a workflow or a protocol.
    CompleteTrack {
        /// Whose protocol.
        conversation: Option<ConversationId>,
        /// What came of it.
        summary: Option<String>,
        /// What whoever comes next should know.
        next_notes: Option<String>,
    },
    /// The gates ruled on anything else.
    Rule(Ruling),
    /// Write something down.
    Note {
        /// What sort of note.
        kind: String,
        /// The text.
        text: String,
    },
    /// Let it rest.
    Pause {
        /// Why.
        reason: String,
        /// What whoever goes on should know.
        context: Option<String>,
    },
    /// Take it up again.
    Resume {
        /// The time.
        now: Timestamp,
        /// Whether a conversation that is attached to it still runs.
        attended: bool,
        /// What is checked out, for a session that does not know which commit it began at.
        commit: Option<String>,
    },
    /// End it.
    End(SessionEnded),
    /// Record that a commit belongs to it.
    AddCommit(CommitAdded),
    /// Put it away.
    Archive {
        /// Why.
        reason: String,
    },
    /// Say how far building has come.
    Build(BuildCommand),
    /// Say where it belongs in git.
    ChangeGit(GitChanged),
    /// Say what it works on.
    SetFocus(FocusChange),
    /// Something about agents that work for each other.
    Orchestrate(Box<OrchestrationCommand>),
    /// Go on here, after its records were taken over from a published copy.
    Adopt {
        /// The linked work tree; none is the main one.
        worktree: Option<String>,
        /// What is checked out, for a session that does not know which commit it began at.
        commit: Option<String>,
    },
    /// Keep what another program kept until now, as it is.
    Import(Box<SessionImported>),
    /// Files beside the published copy were looked at.
    NoteArtifacts(BTreeMap<String, String>),
    /// The published copy was none of this stream and was kept apart.
    SetCopyAside {
        /// What it was.
        reason: String,
        /// Where it is kept.
        kept: String,
    },
    /// Go on without the acknowledged records that are gone.
    AcceptLoss,
}

/// Why a command is refused, and what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The session does not exist yet.
    #[error("the session has not begun")]
    Unstarted,
    /// The session exists already.
    #[error("Session already active")]
    AlreadyActive,
    /// Work rests.
    #[error("the session is paused")]
    Paused,
    /// There is nothing to resume.
    #[error("the session is active: there is nothing to resume")]
    NotPaused,
    /// The session is over.
    #[error("the session is over: it is {0}")]
    Over(Lifecycle),
    /// A text is not a commit's full hash.
    #[error("`{}` is not a commit's full hash", text::shortened(&text::one_line(.0), 80))]
    NotACommit(String),
    /// A build is not so far, or not like that.
    #[error(transparent)]
    Build(#[from] BuildRefusal),
    /// The workflow cannot go there.
    #[error(transparent)]
    Track(#[from] TrackRefusal),
    /// Git or the focus cannot be like that.
    #[error(transparent)]
    Context(#[from] ContextRefusal),
    /// Agents do not stand like that.
    #[error(transparent)]
    Orchestration(#[from] OrchestrationRefusal),
    /// There is no such mode.
    #[error("`{}` is no mode; modes are {}", text::shortened(&text::one_line(.0), 40), modes::ALL.join(", "))]
    UnknownMode(String),
    /// There is no workflow or protocol to advance.
    #[error("there is nothing to advance: no {0} is running")]
    NoTrack(&'static str),
    /// It is not the next phase.
    #[error("{to} does not follow {from}; {}", next.as_ref().map_or_else(|| "there is no phase after it".to_owned(), |next| format!("{next} does")))]
    NotNext {
        /// The phase that it is in.
        from: String,
        /// The phase that was asked for.
        to: String,
        /// The phase that comes next.
        next: Option<String>,
    },
    /// Gates were passed by force too often.
    #[error("gates were passed by force {MAX_FORCED} times in this conversation: no more")]
    ForcedTooOften,
    /// No acknowledged record is missing, or that was accepted.
    #[error("nothing is lost that has not been accepted")]
    NothingLost,
    /// A text is empty.
    #[error("the {0} is empty")]
    Empty(&'static str),
    /// A text is too long.
    #[error("the {what} has {found} bytes; at most {max} are kept")]
    TooLong {
        /// Which text.
        what: &'static str,
        /// How long it is.
        found: usize,
        /// How long it may be.
        max: usize,
    },
}

/// What happens if `command` meets `state`. Nothing that looks like a credential gets into events.
pub fn decide(state: &SessionState, command: Command) -> Result<Vec<Known>, Refusal> {
    let started = state.lifecycle != Lifecycle::Unstarted;
    match redacted::redacted(command) {
        Command::Start(_) if started => Err(Refusal::AlreadyActive),
        Command::Start(session) => life::start(session),
        Command::Import(imported) => life::import(state, *imported),
        _ if !started => Err(Refusal::Unstarted),
        Command::Name { objective, workflow, conversation } => {
            name(state, objective, workflow, conversation.as_ref())
        }
        command @ (Command::Attach { .. }
        | Command::Detach { .. }
        | Command::BeginTurn { .. }
        | Command::ObserveEdit { .. }
        | Command::FindEdits { .. }
        | Command::EnterWorktree { .. }
        | Command::HandOn { .. }
        | Command::StartSubagent { .. }
        | Command::EndSubagent { .. }
        | Command::CountUsage(_)
        | Command::ReturnSubagent { .. }
        | Command::SettleStop { .. }) => Ok(conversation::decide(state, command)),
        command @ (Command::RecordRun(_)
        | Command::RecordEvidence(_)
        | Command::Mark(_)
        | Command::Clear { .. }
        | Command::Gates(_)
        | Command::Pass { .. }
        | Command::SetMode { .. }) => gates::decide(state, command),
        command @ (Command::StartTrack(..)
        | Command::CompletePhase(_)
        | Command::SkipPhase { .. }
        | Command::RetryPhase { .. }
        | Command::RollBack { .. }
        | Command::Advance(_)
        | Command::Miss { .. }
        | Command::Recover { .. }
        | Command::CompleteTrack { .. }) => track::decide(state, command),
        Command::Rule(ruling) => Ok(vec![Known::RulingMade(Box::new(ruling.recorded()))]),
        Command::Note { kind, text } => note(state, kind, text),
        Command::Pause { reason, context } => life::pause(state, reason, context),
        Command::Resume { now, attended, commit } => life::resume(state, now, attended, commit),
        Command::End(ended) => life::end(state, ended),
        Command::AddCommit(commit) => life::add_commit(state, commit),
        Command::Archive { reason } => life::archive(state, reason),
        Command::Build(command) => build::decide(state, command),
        Command::ChangeGit(changed) => context::change_git(state, changed),
        Command::SetFocus(change) => context::set_focus(state, change),
        Command::Orchestrate(command) => orchestration::decide(state, *command),
        Command::Adopt { worktree, commit } => {
            let records = state.version;
            let adopted = Known::SessionAdopted { worktree, records };
            Ok(vec![adopted, life::resumed(state, commit)])
        }
        Command::NoteArtifacts(files) => Ok(vec![Known::ArtifactsChanged { files }]),
        Command::SetCopyAside { reason, kept } => Ok(vec![Known::CopySetAside { reason, kept }]),
        Command::AcceptLoss => accept(state.loss),
    }
}

/// A human lets a stream go on without what it lost.
fn accept(loss: Option<Loss>) -> Result<Vec<Known>, Refusal> {
    let loss = loss.ok_or(Refusal::NothingLost)?;
    Ok(vec![Known::LossAccepted { up_to: loss.to }])
}

fn note(state: &SessionState, kind: String, text: String) -> Result<Vec<Known>, Refusal> {
    check_open(state)?;
    check("note", &text, MAX_NOTE)?;
    check("kind", &kind, 64)?;
    Ok(vec![Known::NoteAdded { note_kind: kind, text }])
}

/// Refuses a text that is empty or too long.
pub fn check(what: &'static str, text: &str, max: usize) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::Empty(what));
    }
    if text.len() > max {
        return Err(Refusal::TooLong { what, found: text.len(), max });
    }
    Ok(())
}

fn name(
    state: &SessionState,
    objective: String,
    workflow: Option<String>,
    conversation: Option<&ConversationId>,
) -> Result<Vec<Known>, Refusal> {
    check("objective", &objective, MAX_OBJECTIVE)?;
    check_open(state)?;
    if state.lifecycle == Lifecycle::Paused {
        return Err(Refusal::Paused);
    }
    let named_it = conversation
        .and_then(|id| state.conversations.get(id))
        .is_some_and(|conversation| conversation.named_session);
    if state.objective.is_some() || named_it {
        return Err(Refusal::AlreadyActive);
    }
    Ok(vec![Known::SessionNamed { objective, workflow }])
}

#[cfg(test)]
mod tests;
