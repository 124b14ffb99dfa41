//! A conversation joins a session: through its hook, or by calling Waypost's tools.

use std::collections::BTreeMap;

use waypost_core::actor::Actor;
use waypost_core::command::Command;
use waypost_core::event::ConversationAttached;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::key::sha256_hex;
use waypost_core::telemetry::TraceParent;
use waypost_core::text::{one_line, shortened};
use waypost_store::Work;

use crate::error::{AppError, Kind};
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

/// Lets a conversation join its session, the current one of the work tree, or a new one without a name.
pub fn join(view: &View<'_>, joining: Joining<'_>) -> Result<(Registration, Compiled), AppError> {
    let Joining { harness, conversation, source, process, trusted, hooked, known, session } =
        joining;
    let actor = agent(harness, conversation, None);
    let session = match session {
        Some(session) => session,
        None => choose(view, &actor, &Own { harness, conversation, known })?,
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
        traceparent: (view.host.traceparent)().filter(|text| text.parse::<TraceParent>().is_ok()),
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
        heads: known.map(|known| known.heads.clone()).unwrap_or_default(),
        met: known.map(|known| known.met.clone()).unwrap_or_default(),
    };
    view.register(&registration)?;
    view.forget_caller();
    Ok((registration, compiled))
}

/// The current session of the work tree, else a new one without a name, which is the conversation's own.
fn choose(view: &View<'_>, actor: &Actor, own: &Own<'_>) -> Result<SessionId, AppError> {
    match view.current() {
        Ok(Some(current)) => return Ok(current),
        Ok(None) => {}
        // Nobody begins in one that is damaged: it is told, and repaired first.
        Err(error) if error.kind == Kind::Integrity => {}
        Err(error) => return Err(error),
    }
    let Own { harness, conversation, known } = *own;
    // A harness may call the same hook twice at once; both calls are of one conversation.
    let lane = sha256_hex(&[conversation.as_str().as_bytes()]).bytes().next().unwrap_or_default();
    let _lock = view.log.lock(Work::Joining(lane))?;
    let before = known.map(|known| &known.session);
    let entered = view.registry().find(harness, conversation)?;
    let entered = entered.filter(|entry| entry.root == view.project.root);
    if let Some(entry) = entered.filter(|entry| Some(&entry.session) != before)
        && !view.load(&entry.session)?.lifecycle.is_over()
    {
        return Ok(entry.session);
    }
    let session = view.start(actor, &Begin::default())?;
    view.register(&Registration {
        harness: harness.to_owned(),
        conversation: conversation.clone(),
        session: session.clone(),
        root: view.project.root.clone(),
        process: known.and_then(|known| known.process),
        prompt: None,
        hooked: known.is_some_and(|known| known.hooked),
        tools: known.and_then(|known| known.tools),
        effective: None,
        heads: BTreeMap::new(),
        met: Vec::new(),
    })?;
    Ok(session)
}

/// Whose session is chosen.
struct Own<'a> {
    harness: &'a str,
    conversation: &'a ConversationId,
    known: Option<&'a Registration>,
}
