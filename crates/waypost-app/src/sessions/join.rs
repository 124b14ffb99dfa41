//! A conversation joins a session: through its hook, or by calling Waypost's tools.

use waypost_core::actor::Actor;
use waypost_core::command::Command;
use waypost_core::event::ConversationAttached;
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::project::ProjectState;
use waypost_core::text::{one_line, shortened};

use crate::error::AppError;
use crate::machine::process::Process;
use crate::sessions::begin::Begin;
use crate::share::publish;
use crate::view::policy::{self, Compiled};
use crate::view::registry::Registration;
use crate::view::{View, agent};

/// A conversation that joins.
#[derive(Debug)]
pub struct Joining<'a> {
    /// The harness.
    pub harness: &'a str,
    /// The conversation.
    pub conversation: &'a ConversationId,
    /// How it comes to join.
    pub source: &'a str,
    /// The harness' process, where the caller was checked to be it.
    pub process: Option<Process>,
    /// Whether gates may be loosened: a human is there.
    pub trusted: bool,
    /// Whether its hook announces it.
    pub hooked: bool,
    /// What is known of it already.
    pub known: Option<&'a Registration>,
    /// The session, where it is not to be chosen.
    pub session: Option<SessionId>,
}

impl<'a> Joining<'a> {
    /// One that says itself that it joins: no hook announces it, and no human need be there.
    pub fn by_its_word(harness: &'a str, conversation: &'a ConversationId) -> Self {
        Self {
            harness,
            conversation,
            source: "",
            process: None,
            trusted: false,
            hooked: false,
            known: None,
            session: None,
        }
    }
}

/// Lets a conversation join its session, the work tree's only active one on this branch, or a new
/// one without a name.
pub fn join(view: &View<'_>, joining: Joining<'_>) -> Result<(Registration, Compiled), AppError> {
    let Joining { harness, conversation, source, process, trusted, hooked, known, session } =
        joining;
    let actor = agent(harness, conversation, None);
    let session = match session {
        Some(session) => session,
        None => choose(view, &actor)?,
    };
    // Before anything is added here. Its own records are safe, whatever lies in the work tree.
    let taken = publish::take_over(view, &session);
    let taken = taken.unwrap_or_else(|error| Some(error.to_string()));
    let state = view.load(&session)?;
    let pinned = state.conversations.get(conversation).and_then(|known| known.policy.clone());
    let mut compiled = policy::compile(view, pinned.as_deref(), trusted)?;
    compiled.warnings.extend(taken);
    let attached = ConversationAttached {
        conversation: conversation.clone(),
        harness: harness.to_owned(),
        source: shortened(&one_line(source), 32),
        checked: process.is_some(),
    };
    let command = Command::Attach { attached, policy: compiled.hash.clone() };
    view.execute(&session, &actor, command)?;
    let hooked = hooked || known.is_some_and(|known| known.hooked);
    let same = known.filter(|known| known.session == session);
    let prompt = same.and_then(|known| known.prompt.clone());
    let registration = Registration {
        harness: harness.to_owned(),
        conversation: conversation.clone(),
        session,
        root: view.project.root.clone(),
        process: process.or_else(|| known.and_then(|known| known.process)),
        prompt,
        hooked,
        tools: view.host.tools.or_else(|| known.and_then(|known| known.tools)),
        effective: Some(view.effective_now(&compiled.hash)),
    };
    view.register(&registration)?;
    view.forget_caller();
    Ok((registration, compiled))
}

/// The work tree's only active session on this branch, else a new one without a name. One
/// conversation at a time chooses, or two that begin at once would open a session each.
fn choose(view: &View<'_>, actor: &Actor) -> Result<SessionId, AppError> {
    view.log.create(&StreamId::Project)?;
    // Where it has to be made first, that is done before anybody has to wait.
    view.index()?;
    let chosen = view.log.transact(&StreamId::Project, |_: &ProjectState| {
        Ok::<_, AppError>((Vec::new(), choose_alone(view, actor)?))
    });
    Ok(chosen?.value)
}

fn choose_alone(view: &View<'_>, actor: &Actor) -> Result<SessionId, AppError> {
    let branch = view.branch();
    view.forget_index();
    let mut here = view.active_sessions()?;
    // Nobody begins in one that is damaged: it is told, and repaired first.
    here.retain(|session| session.branch == branch && session.damage.is_none());
    match <[_; 1]>::try_from(here) {
        Ok([only]) => Ok(only.id),
        Err(_) => view.start(actor, &Begin::default()),
    }
}
