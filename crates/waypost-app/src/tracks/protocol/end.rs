//! Ending a conversation's part in a session. It is complete only when every must that applies
//! holds; else nothing changes, and what is missing is told.

use serde::Serialize;
use waypost_core::command::{self, Command};
use waypost_core::event::{CommitAdded, SessionEnded, SessionOutcome};
use waypost_core::gate::action::Action;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::{GateFinding, Outcome};
use waypost_core::gate::{Before, FindingStatus, Level};
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::next_step::{NextStep, Voice, amid};
use waypost_core::session::SessionState;
use waypost_core::track::{Part, Track};

use super::checklist::Checklist;
use super::{Looked, Protocol, Silence, StepStatus, recover};
use crate::error::AppError;
use crate::rulings::facts;
use crate::rulings::judge::Rules;
use crate::rulings::violations;
use crate::view::registry::Registration;
use crate::view::{Session, View};

/// Whether it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Completion {
    /// It is.
    Complete,
    /// Something is missing.
    Incomplete,
}

impl Completion {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Complete, Self::Incomplete];
}

/// What whoever ends it says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ending<'a> {
    /// The session, if not the usual one.
    pub session: Option<&'a str>,
    /// What came of it.
    pub summary: &'a str,
    /// What whoever comes next should know.
    pub next_notes: Option<&'a str>,
    /// Whether nobody else has to look at it. The changes decide whether that can be.
    pub skip_qa: bool,
}

/// What ending came to.
#[derive(Debug, Serialize)]
pub struct EndOutcome {
    /// The session.
    pub session_id: SessionId,
    /// Whether it is over.
    pub status: Completion,
    /// Both checklists.
    pub checklist: Checklist,
    /// The project's own gates before the end that do not hold.
    pub open_gates: Vec<GateFinding>,
    /// What was missed on the way.
    pub violations: Vec<violations::RecordedViolation>,
    /// Whether the hand-over document was changed.
    pub handoff_updated: bool,
    /// The commit that is checked out.
    pub commit_sha: Option<String>,
    /// What to do next.
    pub next_steps: Vec<String>,
}

/// Ends the caller's part in a session, and the session itself where its workflow is done.
pub fn end(view: &View<'_>, ending: &Ending<'_>) -> Result<EndOutcome, AppError> {
    // Before anything is looked at or recovered: a refusal changes nothing.
    command::check("summary", ending.summary, command::MAX_NOTE)?;
    if let Some(notes) = ending.next_notes {
        command::check("notes for the next session", notes, command::MAX_NOTE)?;
    }
    let session = view.session(ending.session)?;
    waypost_core::command::check_open(&session.state)
        .map_err(|refusal| AppError::of_session(&session.id, &refusal))?;
    let protocol = Protocol::of(view, ending.session)?;
    let looked = match &protocol {
        Some(protocol) => {
            protocol.running()?;
            let mut looked = protocol.look(view, |_| true)?;
            protocol.ask(view, &mut looked, Silence::IsNothing);
            looked
        }
        None => Vec::new(),
    };
    let open_gates = own_gates(view, &session)?;
    let voice = view.voice();
    let mut next_steps = next_steps(&looked, &open_gates, ending.skip_qa, voice);
    let complete = next_steps.is_empty();
    if complete {
        if let Some(protocol) = &protocol {
            recover::recover(view, protocol, &looked)?;
        }
        view.together(|| {
            if is_done(&looked, "commit") {
                add_commit(view, &session)?;
            }
            complete_session(view, &session, ending)
        })?;
        next_steps.push(if is_workflow_done(&session.state) {
            amid("the session is complete; ", NextStep::Begin, " begins the next one").words(voice)
        } else {
            let phase = session.state.phase();
            format!(
                "your part is complete; the session stays open in phase {phase} of its workflow"
            )
        });
    }
    let (_, violations) = violations::of(view, Some(session.id.as_str()))?;
    Ok(EndOutcome {
        status: if complete { Completion::Complete } else { Completion::Incomplete },
        checklist: Checklist::of(&looked, voice),
        open_gates,
        violations,
        handoff_updated: is_done(&looked, "update_handoff"),
        commit_sha: view.commit(),
        next_steps,
        session_id: session.id,
    })
}

/// The project's own gates before the end that hold it.
fn own_gates(view: &View<'_>, session: &Session) -> Result<Vec<GateFinding>, AppError> {
    let policy = Policy::clone(&view.policy_for_caller()?.policy);
    let rules = Rules::of(policy, &session.id, &session.state);
    let action = Action::new(vec![Before::End], view.asker());
    let (verdict, _) = rules.judge(view, &session.state, &action)?;
    if verdict.outcome != Outcome::Deny {
        return Ok(Vec::new());
    }
    let holds =
        |found: &GateFinding| found.status != FindingStatus::Met && found.level == Level::Must;
    Ok(verdict.findings.into_iter().filter(holds).collect())
}

/// What has to be done before it is over.
fn next_steps(looked: &[Looked], open: &[GateFinding], skip_qa: bool, voice: Voice) -> Vec<String> {
    let mut steps = Vec::new();
    for gate in looked {
        for step in gate.open_musts() {
            let mut told = format!("{}: {} ({})", gate.gate, step.next.words(voice), step.evidence);
            if skip_qa && step.step == "qa_report" {
                told.push_str("; skip_qa does not hold: more than documentation changed");
            }
            steps.push(told);
        }
    }
    steps.extend(open.iter().map(|found| format!("{}: {}", found.gate, found.words(voice))));
    steps
}

fn is_done(looked: &[Looked], step: &str) -> bool {
    let end = looked.iter().filter(|gate| gate.part == Part::End);
    let mut steps = end.flat_map(|gate| &gate.steps);
    steps.any(|known| known.step == step && known.status == StepStatus::Done)
}

/// Records the commit that the work ended in, where no hook saw it being made: whoever looks back later
/// wants to know it.
fn add_commit(view: &View<'_>, session: &Session) -> Result<(), AppError> {
    let Session { id, state } = session;
    let known = |sha: &String| state.commit.as_ref() == Some(sha) || state.commits.contains(sha);
    if let Some(sha) = view.commit().filter(|sha| !known(sha)) {
        let message = facts::subject_of(view, &sha);
        let add = Command::AddCommit(CommitAdded::new(sha, message));
        view.execute(id, &view.actor(), add)?;
    }
    Ok(())
}

/// Records that it is over: the caller's protocol, the session where its workflow is done, and that
/// the caller has left.
fn complete_session(
    view: &View<'_>,
    session: &Session,
    ending: &Ending<'_>,
) -> Result<(), AppError> {
    let Session { id, state } = session;
    let actor = view.actor();
    let (summary, next_notes) =
        (Some(ending.summary.to_owned()), ending.next_notes.map(str::to_owned));
    let calling = view.calling_conversation().filter(|known| known.session == *id);
    let running = |id: &ConversationId| state.track(Some(id)).is_some_and(Track::is_running);
    if let Some(known) = calling.as_ref().filter(|known| running(&known.conversation)) {
        let conversation = Some(known.conversation.clone());
        let (summary, next_notes) = (summary.clone(), next_notes.clone());
        let complete = Command::CompleteTrack { conversation, summary, next_notes };
        view.execute(id, &actor, complete)?;
    }
    if is_workflow_done(state) {
        let outcome = SessionOutcome::Completed;
        let ended = Command::End(SessionEnded { outcome, summary, next_notes });
        view.execute(id, &actor, ended)?;
    }
    if let Some(Registration { conversation, .. }) = calling {
        let reason = "session_end".to_owned();
        view.execute(id, &actor, Command::Detach { conversation, reason })?;
    }
    Ok(())
}

/// Whether the session's workflow is complete, or it follows none.
fn is_workflow_done(state: &SessionState) -> bool {
    state.track.as_ref().is_none_or(|track| !track.is_running())
}
