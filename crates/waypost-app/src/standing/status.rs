//! Where a session stands: its conversations, its gates, what is missing.

use std::rc::Rc;

use serde::Serialize;
use waypost_core::alongside::OtherConversation;
use waypost_core::brief::WaitingHandoff;
use waypost_core::course::Passage;
use waypost_core::event::Focus;
use waypost_core::gate::FindingStatus;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::manifest::workflow_file::SessionFile;
use waypost_core::session::{Archive, Lifecycle, Pause, SessionState, StopState};
use waypost_core::standing::ShownGate;
use waypost_core::story::Concern;
use waypost_core::time::Timestamp;
use waypost_core::track::Track;

use crate::error::AppError;
use crate::standing::brief;
use crate::standing::lapses::Lapses;
use crate::standing::{self, Stand, alongside};
use crate::tracks::build::BuildProgress;
use crate::view::View;

/// Where a session stands.
#[derive(Debug, Serialize)]
pub struct SessionStatus {
    /// The session.
    pub session_id: SessionId,
    /// What it is for.
    pub objective: Option<String>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// The workflow that it follows.
    pub workflow: String,
    /// The phase of the workflow that it is in.
    pub phase: String,
    /// The last record.
    pub version: u64,
    /// Its branch.
    pub branch: Option<String>,
    /// Whether new conversations in its work tree join it.
    pub current: bool,
    /// Its linked work tree.
    pub worktree: Option<String>,
    /// The branch that it goes back to when it is done.
    pub base_branch: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// The latest pause, also after resuming.
    pub pause: Option<Pause>,
    /// How often work was taken up again.
    pub resumed: u64,
    /// When it ended, while it is over.
    pub ended_at: Option<Timestamp>,
    /// Why it was put away, while it is.
    pub archived: Option<Archive>,
    /// How far building has come.
    pub build: BuildProgress,
    /// What it works on just now.
    pub focus: Focus,
    /// The mode that it is in.
    pub mode: String,
    /// How many musts were missed.
    pub violations: u64,
    /// Commits that the next stop will ask about: their content was not proven, or no gate was asked before them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_commits: Vec<String>,
    /// The conversations that work in it.
    pub conversations: Vec<ConversationStatus>,
    /// Who else changed files of the work tree lately, in this session or another one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherConversation>,
    /// What its gates find now.
    pub gates: Vec<ShownGate>,
    /// What was handed over and waits to be accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending_handoffs: Vec<WaitingHandoff>,
    /// What agents that judged the work still want done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_verdicts: Vec<Concern>,
    /// The agents that are at work, as far as hooks saw or somebody said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents_at_work: Vec<String>,
    /// The exact next step.
    pub next: String,
    /// What somebody should be told about the gates themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// When nothing was enforced.
    #[serde(skip_serializing_if = "Lapses::is_empty")]
    pub lapses: Lapses,
    /// How its workflow went so far, in the words of workflow session files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<SessionFile>,
    /// How phases went that were taken back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier_phases: Vec<Passage>,
}

/// A conversation, as people want to see it.
#[derive(Debug, Serialize)]
pub struct ConversationStatus {
    /// The conversation.
    pub id: ConversationId,
    /// The harness.
    pub harness: String,
    /// Whether it is attached.
    pub attached: bool,
    /// Whether its process still runs; unknown where no process was checked.
    pub running: Option<bool>,
    /// Whether it changed something that its gates have not settled.
    pub edited: bool,
    /// How often its stop was held since anything moved.
    pub stop_blocks: u32,
    /// What stands between it and the end of its turn.
    pub stop: StopState,
    /// Its subagents that are at work.
    pub subagents: usize,
    /// Whether files changed in a turn of which no hook saw a tool call.
    pub unenforced: bool,
    /// The command with which its client goes back to it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reopen: Option<String>,
    /// Where its protocol is, if it follows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolStatus>,
}

/// Where a conversation's protocol is.
#[derive(Debug, Clone, Serialize)]
pub struct ProtocolStatus {
    /// Its name.
    pub name: String,
    /// The phase that it is in.
    pub phase: String,
    /// The same, or BLOCKED or VIOLATION while something that was missed does not hold.
    pub state: String,
    /// The gates that hold it.
    pub blocked_by: Vec<String>,
    /// How often a gate that did not hold was passed by force.
    pub forced: u32,
}

impl ProtocolStatus {
    fn of(track: &Track) -> Self {
        Self {
            name: track.name.clone(),
            phase: track.phase.clone(),
            state: track.state().to_owned(),
            blocked_by: track.blocked_by().map(str::to_owned).collect(),
            forced: track.forced,
        }
    }
}

/// The status of one session.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<SessionStatus, AppError> {
    Ok(SessionStatus::of(view, standing::of(view, session)?))
}

impl SessionStatus {
    /// The status of a session that stands like this.
    pub fn of(view: &View<'_>, stand: Stand) -> Self {
        let (gates, next) = (stand.gates(), stand.next());
        let pending_handoffs = brief::waiting(&stand);
        let Stand { session, mode, story, remarks, .. } = stand;
        let course = session.state.track.is_some().then_some(story.course);
        let track =
            course.as_ref().and_then(|course| SessionFile::of(&session.id, &session.state, course));
        let state = Rc::unwrap_or_clone(session.state);
        let current = view.is_current(&session.id);
        let lapses = Lapses::of(view, Some(&session.id));
        let (lifecycle, phase) = (view.lifecycle(&state), state.phase().to_owned());
        Self {
            session_id: session.id,
            conversations: conversations(view, &state),
            others: alongside::changing(view, &view.asker()),
            objective: state.objective,
            lifecycle,
            phase,
            workflow: state.workflow,
            version: state.version,
            branch: state.branch,
            current,
            worktree: state.worktree,
            base_branch: state.base_branch,
            started_at: state.started_at,
            updated_at: state.updated_at,
            pause: state.pause,
            resumed: state.resumed,
            ended_at: state.ended_at,
            archived: state.archived,
            build: BuildProgress::of(&state.build),
            focus: state.focus,
            mode,
            violations: state.violations,
            open_commits: state.open_commits.into_iter().map(|open| open.sha).collect(),
            gates,
            pending_handoffs,
            open_verdicts: story.concerns,
            agents_at_work: state.orchestration.open().map(|open| open.agent.clone()).collect(),
            next,
            remarks,
            lapses,
            track,
            earlier_phases: course.map(|course| course.earlier).unwrap_or_default(),
        }
    }
}

fn conversations(view: &View<'_>, state: &SessionState) -> Vec<ConversationStatus> {
    let running = |harness: &str, id: &ConversationId| {
        let found = view.registered(harness, id).ok().flatten();
        found.and_then(|found| found.process).map(crate::machine::process::Process::is_running)
    };
    state
        .conversations
        .iter()
        .map(|(id, known)| ConversationStatus {
            id: id.clone(),
            harness: known.harness.clone(),
            attached: known.attached,
            running: running(&known.harness, id),
            edited: known.edited,
            stop_blocks: known.stop_blocks,
            stop: known.stop_state(),
            subagents: known.subagents.len(),
            unenforced: known.unenforced,
            reopen: view.reopening(&known.harness, id),
            protocol: known.track.as_deref().map(ProtocolStatus::of),
        })
        .collect()
}

/// The gates that are not met.
pub fn unmet(status: &SessionStatus) -> impl Iterator<Item = &ShownGate> {
    status.gates.iter().filter(|finding| finding.status != FindingStatus::Met)
}
