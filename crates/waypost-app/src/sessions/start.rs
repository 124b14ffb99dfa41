//! Naming a session: people begin one, which is then the current one of the work tree; an agent names the
//! one that was opened for its conversation, or begins another, which is its own. Under a protocol, an
//! agent's session gets a number, and the agent's conversation begins to follow the protocol.

use std::rc::Rc;

use waypost_core::actor::Actor;
use waypost_core::command::{Command, Refusal};
use waypost_core::event::ConversationAttached;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::session::Lifecycle;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::{Track, TrackStarted};

use crate::error::AppError;
use crate::rulings::commit;
use crate::sessions::begin::Begin;
use crate::sessions::{single, switch};
use crate::tracks::catalogue;
use crate::tracks::workflow::enter;
use crate::view::human;
use crate::view::protocol;
use crate::view::registry::Registration;
use crate::view::{Session, View, agent};

/// How a conversation joins the session that it begins.
const SOURCE: &str = ConversationAttached::BEGAN_IT;

/// What naming a session came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The session.
    pub session: SessionId,
    /// Whether it was there already, without a name.
    pub adopted: bool,
    /// Whether new conversations in this work tree join it.
    pub current: bool,
    /// Other active sessions of this work tree.
    pub others: Vec<SessionId>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Begins a session, or names the one that was opened for the calling conversation. What other
/// conversations are in is left alone.
pub fn start(view: &View<'_>, begin: &Begin<'_>) -> Result<Started, AppError> {
    let _turn = single::turn(view)?;
    let configured = view.configuration().workflow.as_str();
    let workflow = begin.workflow.or(Some(configured));
    let commit = begin.commit.map(|commit| known_commit(view, commit)).transpose()?;
    let begin = &Begin { workflow, commit: commit.as_deref(), ..*begin };
    if calling(view).is_some() {
        // Refused before anything has begun.
        protocol::in_force(view, &view.policy_for_caller()?.policy)?;
    }
    let entered = ask_before(view, begin, unnamed(view).as_ref())?;
    let active = view.active_sessions()?;
    let left = view.calling_conversation().map(|calling| calling.session);
    let which = || match calling(view) {
        Some(CallingAgent::Known(registration)) => by_agent(view, begin, *registration),
        Some(CallingAgent::New(harness, conversation)) => {
            let actor = agent(&harness, &conversation, None);
            let session = if numbers(view)? {
                numbered(view, &actor, begin)?
            } else {
                view.start(&actor, begin)?
            };
            switch::enter(view, &harness, &conversation, SOURCE, &session)?;
            follow_protocol(view, &session, &conversation)?;
            Ok((session, false))
        }
        None => by_person(view, begin).map(|session| (session, false)),
    };
    let settle = || {
        let (session, adopted) = which()?;
        let paused = single::pause_others(view, &session)?;
        Ok((session, adopted, paused))
    };
    let ((session, adopted, paused), told) = view.together(settle)?;
    let current = view.is_current(&session);
    let mut warnings = catalogue::warnings(view, workflow.unwrap_or_default());
    warnings.extend(entered);
    warnings.extend(active.iter().filter_map(|other| other.told_damage(view)));
    // The one that the caller left may rest by now.
    let rests = |id: &SessionId| {
        left.as_ref() == Some(id)
            && view.glance(id).is_ok_and(|state| state.lifecycle != Lifecycle::Active)
    };
    let goes_on = |id: &SessionId| *id != session && !paused.paused.contains(id) && !rests(id);
    let others = active.into_iter().map(|other| other.id).filter(goes_on).collect();
    warnings.extend(paused.warnings);
    warnings.extend(told);
    Ok(Started { session, adopted, current, others, warnings })
}

/// Asks what stands before the first phase of a workflow that is to begin; what is only told is given back.
pub(super) fn ask_before(
    view: &View<'_>,
    begin: &Begin<'_>,
    session: Option<&Session>,
) -> Result<Vec<String>, AppError> {
    match view.track_of(begin)? {
        Some((track, _)) => enter::ask(view, session, &track),
        None => Ok(Vec::new()),
    }
}

/// The session that the calling agent is in, if it has no name yet.
fn unnamed(view: &View<'_>) -> Option<Session> {
    let Some(CallingAgent::Known(registration)) = calling(view) else { return None };
    let session = view.session(Some(registration.session.as_str())).ok()?;
    session.state.objective.is_none().then_some(session)
}

/// A session with a number: a new one, or one that was begun for the same and that nobody ever
/// joined, because whoever began it was killed before it could.
fn numbered(view: &View<'_>, actor: &Actor, begin: &Begin<'_>) -> Result<SessionId, AppError> {
    let branch = view.branch();
    let mut active = view.active_sessions()?.into_iter();
    let left = active.find(|entry| {
        entry.id.is_numbered()
            && entry.attached == 0
            && entry.branch == branch
            && entry.objective(view).as_deref() == begin.objective
            && view.glance(&entry.id).is_ok_and(|state| state.conversations.is_empty())
    });
    match left {
        Some(left) => Ok(left.id),
        None => view.start(actor, &Begin { numbered: true, ..*begin }),
    }
}

/// Refuses a branch that is not checked out: a session is where its work tree is.
pub fn check_branch(view: &View<'_>, branch: &str) -> Result<(), AppError> {
    let now = view.branch();
    if now.as_deref() == Some(branch) {
        return Ok(());
    }
    let now = now.map_or_else(|| "no branch is".to_owned(), |now| format!("`{now}` is"));
    let branch = shortened(&one_line(branch), 80);
    Err(AppError::refused(format!("branch `{branch}` is not checked out here: {now}"))
        .hint("leave branch out, or check it out first: git switch BRANCH"))
}

fn known_commit(view: &View<'_>, commit: &str) -> Result<String, AppError> {
    commit::resolve(view, commit).ok_or_else(|| {
        let commit = shortened(&one_line(commit), 80);
        AppError::refused(format!("git knows no commit `{commit}` in this repository"))
            .hint("leave starting_commit out: the one that is checked out is taken")
    })
}

/// Whether a protocol numbers the sessions. No human need be there, so no gate is loosened.
fn numbers(view: &View<'_>) -> Result<bool, AppError> {
    Ok(view.policy_for_caller()?.policy.protocol.is_some())
}

/// An agent that calls.
enum CallingAgent {
    /// Whose conversation is known.
    Known(Box<Registration>),
    /// Whose conversation nobody has seen yet.
    New(String, ConversationId),
}

fn calling(view: &View<'_>) -> Option<CallingAgent> {
    if let Some(known) = view.calling_conversation() {
        return Some(CallingAgent::Known(Box::new(known)));
    }
    view.calling_agent().map(|(harness, conversation)| CallingAgent::New(harness, conversation))
}

/// What a person begins is current from then on; what an agent begins that hides who it is, is not.
fn by_person(view: &View<'_>, begin: &Begin<'_>) -> Result<SessionId, AppError> {
    let session = view.start(&Actor::Human, begin)?;
    if !human::is_agent(view) {
        view.choose_current(Some(&session))?;
    }
    Ok(session)
}

/// A conversation names the session that was opened for it, and has one of its own at a time: until it
/// rests or is over, or the conversation has left it.
fn by_agent(
    view: &View<'_>,
    begin: &Begin<'_>,
    known: Registration,
) -> Result<(SessionId, bool), AppError> {
    let conversation = known.conversation.clone();
    let actor = agent(&known.harness, &conversation, None);
    let state = view.load(&known.session)?;
    let own = state.conversations.get(&conversation);
    // Whoever ended its part with session_end may begin another, also where the session goes on.
    let left = own.is_some_and(|own| !own.attached);
    let over = state.lifecycle.is_over() || left;
    let numbers = numbers(view)?;
    let busy = if numbers {
        state.track(Some(&conversation)).is_some_and(Track::is_running)
    } else {
        own.is_some_and(|own| own.named_session) && state.lifecycle != Lifecycle::Paused
    };
    if !over && busy {
        return Err(AppError::of_session(&known.session, &Refusal::AlreadyActive));
    }
    if !numbers && !over && state.objective.is_none() {
        name(view, &known.session, &actor, begin)?;
        return Ok((known.session, true));
    }
    let session = if numbers { numbered(view, &actor, begin)? } else { view.start(&actor, begin)? };
    switch::enter_known(view, &known, SOURCE, &session)?;
    if !over {
        switch::leave(view, &known, &state, &session)?;
    }
    if numbers {
        follow_protocol(view, &session, &conversation)?;
    }
    Ok((session, false))
}

fn name(
    view: &View<'_>,
    session: &SessionId,
    actor: &Actor,
    begin: &Begin<'_>,
) -> Result<(), AppError> {
    let workflow = begin.workflow.unwrap_or("none");
    // Refused before the session has a name, which it gets once.
    let track = view.beginning(begin)?;
    let name = Command::Name {
        objective: begin.objective.unwrap_or_default().to_owned(),
        workflow: Some(workflow.to_owned()).filter(|workflow| workflow != "none"),
        conversation: actor.conversation().cloned(),
    };
    view.execute_all(session, actor, [name].into_iter().chain(track)).map(drop)
}

/// Under a protocol, the conversation begins to follow it.
fn follow_protocol(
    view: &View<'_>,
    session: &SessionId,
    conversation: &ConversationId,
) -> Result<(), AppError> {
    let in_force = view.policy_for_caller()?;
    let state = view.load(session)?;
    let policy = &in_force.policy;
    let here = Session { id: session.clone(), state: Rc::clone(&state) };
    let Some(definition) = protocol::definition(view, policy, &here, conversation)? else {
        return Ok(());
    };
    let harness = state.conversations.get(conversation).map_or("", |known| &known.harness);
    let actor = agent(harness, conversation, None);
    view.blobs.keep_definition(&definition)?;
    let tree = Some(view.tree());
    let conversation = Some(conversation.clone());
    let track = TrackStarted { tree, ..TrackStarted::new(conversation, definition) };
    view.execute(session, &actor, Command::StartTrack(track, Vec::new())).map(drop)
}
