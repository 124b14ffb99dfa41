//! What one call sees: the machine, the project, its gates, its sessions, who is calling, git and the
//! work tree. Each is looked at when it is first asked for, and at most once: whatever a call says, it
//! says of one and the same world. Every event that a use case writes goes through here, too.

pub mod activity;
pub mod calling;
pub mod calls;
pub mod copy;
pub(crate) mod definitions;
pub mod edits;
pub mod human;
pub mod marks;
pub mod place;
pub mod policy;
pub mod protocol;
pub mod refs;
pub mod registry;
pub mod tips;

mod announcing;
mod cache;

mod current;
mod index;
mod journal;
mod sessions;

use std::cell::{Cell, OnceCell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use waypost_core::actor::Actor;
use waypost_core::command::{Command, ProjectCommand, decide, decide_for_project};
use waypost_core::event::Known;
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::next_step::Voice;
use waypost_core::project::ProjectState;
use waypost_core::record::{Draft, Record};
use waypost_core::session::SessionState;
use waypost_core::story::Story;
use waypost_core::time::Timestamp;
use waypost_store::stores::{Opened, Terms};
use waypost_store::{Blobs, StoreError, Streams};

use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::project::{self, Project};
use crate::view::copy::AtHand;
use crate::view::registry::{Registration, Registry};

use announcing::Untold;
use cache::Cache;
use place::Places;

pub use index::{Index, SessionEntry};
pub(crate) use sessions::{candidates, worked_in};

/// What one call sees.
#[derive(Debug)]
pub struct View<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The project.
    pub project: Project,
    /// Its streams.
    pub log: Streams,
    /// Its policies, and what its tracks follow.
    pub blobs: Arc<dyn Blobs>,
    /// The version of the session that the caller decided on, until something was written.
    expected: Cell<Option<u64>>,
    /// The conversation that calls, once it was looked for.
    pub(crate) calling: RefCell<OnceCell<Option<Registration>>>,
    /// What was looked at already.
    pub(crate) cache: Cache,
    /// The work trees that were looked at, and the one that things happen in.
    places: Places,
    /// What was written, and is told when the rest of it is.
    untold: RefCell<Untold>,
}

/// A session and its state.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Its state.
    pub state: Rc<SessionState>,
}

impl Session {
    /// Its stream.
    pub fn stream(&self) -> StreamId {
        StreamId::Session(self.id.clone())
    }
}

impl<'a> View<'a> {
    /// The view around the folder that the command was called in.
    pub fn open(host: &'a Host) -> Result<Self, AppError> {
        let ring = host.keyring();
        let project = match (project::require(&host.cwd), ring.as_ref().ok()) {
            (Ok(project), _) => project,
            (Err(error), Some(ring)) => registered_project(host, ring)?.ok_or(error)?,
            (Err(error), None) => return Err(error),
        };
        Ok(Self::with(host, project, ring?))
    }

    /// The view of a project that is known already.
    pub fn with(host: &'a Host, project: Project, ring: Keyring) -> Self {
        let copies = Arc::new(AtHand { project: project.clone() });
        let terms = Terms { ring, patience: host.patience, copies };
        let Opened { log, blobs } = host.stores.open(&project.store, terms);
        let log = Streams::new(log).telling(host.notice);
        let (expected, calling, cache) = (Cell::new(None), RefCell::default(), Cache::default());
        let (untold, places) = (RefCell::default(), Places::of(&project));
        Self { host, project, log, blobs, expected, calling, cache, places, untold }
    }

    /// The same for a caller who decided on this version of the session: its state is compared
    /// when it is loaded, and again under the lock of the first write.
    #[must_use]
    pub fn expecting(self, version: Option<u64>) -> Self {
        self.expected.set(version);
        self
    }

    /// The registry of conversations.
    pub fn registry(&self) -> Registry<'_> {
        Registry::new(&self.host.state_dir, self.log.ring())
    }

    /// Lets `command` meet the session's state; what follows is on disk when this returns.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is made for this, and may meet several states"
    )]
    pub fn execute(
        &self,
        session: &SessionId,
        actor: &Actor,
        command: Command,
    ) -> Result<Executed, AppError> {
        self.execute_with(session, actor, |_| Ok(command.clone()))
    }

    /// The same, with a command that depends on the state under the lock.
    pub fn execute_with(
        &self,
        session: &SessionId,
        actor: &Actor,
        mut command: impl FnMut(&SessionState) -> Result<Command, AppError>,
    ) -> Result<Executed, AppError> {
        self.record(session, actor, |state| {
            let refused = |refusal| AppError::of_session(session, &refusal);
            decide(state, command(state)?).map_err(refused)
        })
    }

    /// The same with commands of which each meets what those before it led to. What follows is one
    /// write: whoever is killed between them would leave something that nobody asked for.
    pub fn execute_all(
        &self,
        session: &SessionId,
        actor: &Actor,
        commands: impl IntoIterator<Item = Command>,
    ) -> Result<Executed, AppError> {
        let (time, commands) = (self.host.now(), Vec::from_iter(commands));
        self.record(session, actor, |state| {
            let (mut state, mut events) = (state.clone(), Vec::new());
            for command in &commands {
                let more = decide(&state, command.clone())
                    .map_err(|refusal| AppError::of_session(session, &refusal))?;
                for event in &more {
                    let (seq, event) = (state.version + 1, event.clone().into());
                    state.apply(&Record { seq, time, actor: actor.clone(), event });
                }
                events.extend(more);
            }
            Ok(events)
        })
    }

    /// Writes what is decided on the session's state under the lock.
    fn record(
        &self,
        session: &SessionId,
        actor: &Actor,
        mut decided: impl FnMut(&SessionState) -> Result<Vec<Known>, AppError>,
    ) -> Result<Executed, AppError> {
        let now = self.host.now();
        let stream = StreamId::Session(session.clone());
        let known = self.cache.take_session(session);
        let mut before = None;
        // Whoever pinned a version decided on that one: what there is now is for the caller to look at.
        let pinned = self.expected.get().is_some();
        let log = if pinned { self.log.at_once() } else { self.log.clone() };
        let done = log.transact_from(&stream, known, |state| {
            self.check_version(session, state)?;
            let events = decided(state)?;
            before = Some(SessionEntry::of(session, state, 0));
            Ok::<_, AppError>((drafts(&events, actor, now), events))
        });
        let (transacted, loaded) = done.map_err(|error| error.in_session(session))?;
        let after = SessionEntry::of(session, &loaded.state, loaded.position.bytes);
        self.cache.keep_session(session, loaded);
        if let Some(before) = before {
            self.settle_current(actor, &before, &after);
            self.note_in_index(&before, after);
        }
        // What the caller expected was there; what it does next builds on its own write.
        self.expected.set(None);
        let (events, mended) = (transacted.value, transacted.warning);
        let mut warnings = Vec::from_iter(mended.clone());
        warnings.extend(self.announce(&stream, &events));
        Ok(Executed { events, mended, warnings })
    }

    /// Tells what was mended to whoever is told of such things, where nobody looks at the warnings.
    pub(crate) fn tell_mended(&self, executed: &Executed) {
        if let (Some(mended), Some(notice)) = (&executed.mended, self.host.notice) {
            notice(mended);
        }
    }

    /// What follows is about other sessions than the one that the caller decided on.
    pub(crate) fn expect_nothing(&self) {
        self.expected.set(None);
    }

    fn check_version(&self, session: &SessionId, state: &SessionState) -> Result<(), AppError> {
        match self.expected.get() {
            Some(expected) if expected != state.version => {
                Err(AppError::conflict(session, expected, state.version))
            }
            _ => Ok(()),
        }
    }

    /// Whoever begins a session decided on the one that it was in; the new one has no version yet.
    pub(crate) fn settle_version(&self) -> Result<(), AppError> {
        let Some(expected) = self.expected.take() else { return Ok(()) };
        match self.calling_conversation().map(|calling| calling.session) {
            Some(own) => match self.glance(&own)?.version {
                version if version == expected => Ok(()),
                version => Err(AppError::conflict(&own, expected, version)),
            },
            None if expected == 0 => Ok(()),
            None => Err(AppError::refused(format!(
                "there is no session yet, and version {expected} of one was expected"
            ))
            .hint("leave expected_version out")),
        }
    }

    /// The project's own state.
    pub fn project_state(&self) -> Result<Rc<ProjectState>, AppError> {
        self.cache.project(|| Ok(self.log.load(&StreamId::Project)?))
    }

    /// Lets `command` meet the project's state; what follows is on disk when this returns.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is made for this, and may meet several states"
    )]
    pub fn execute_for_project(
        &self,
        actor: &Actor,
        command: ProjectCommand,
    ) -> Result<(), AppError> {
        self.log.create(&StreamId::Project)?;
        let now = self.host.now();
        let known = self.cache.take_project();
        let (transacted, loaded) = self.log.transact_from(&StreamId::Project, known, |state| {
            let events = decide_for_project(state, command.clone())?;
            Ok::<_, AppError>((drafts(&events, actor, now), events))
        })?;
        self.cache.keep_project(loaded);
        self.announce(&StreamId::Project, &transacted.value);
        Ok(())
    }

    /// One session's state, for those who are about to change it: the snapshot is left as it is.
    pub fn glance(&self, session: &SessionId) -> Result<Rc<SessionState>, AppError> {
        let stream = StreamId::Session(session.clone());
        let load = || self.log.load(&stream).map_err(|error| self.damaged(session, error));
        self.cache.session(session, load)
    }

    /// One session's state.
    pub fn load(&self, session: &SessionId) -> Result<Rc<SessionState>, AppError> {
        let stream = StreamId::Session(session.clone());
        self.cache.refreshed_session(
            session,
            || self.log.load_checked(&stream).map_err(|error| self.damaged(session, error)),
            |loaded| self.log.refresh(&stream, loaded),
        )
    }

    /// What a session's records tell of its past, as far as briefs ask for it.
    pub fn story(&self, session: &SessionId) -> Result<Story, AppError> {
        let stream = StreamId::Session(session.clone());
        Ok(self.log.load_and_refresh::<Story>(&stream)?.state)
    }

    /// Something else than an event changed a stream. Returns what somebody should be told.
    pub(crate) fn changed(&self, stream: &StreamId) -> Vec<String> {
        self.look_again(stream);
        self.announce(stream, &[])
    }

    /// Lets a stream be looked at again.
    fn look_again(&self, stream: &StreamId) {
        match stream {
            StreamId::Project => drop(self.cache.take_project()),
            StreamId::Session(id) => drop(self.cache.take_session(id)),
        }
        self.forget_index();
    }

    /// Lets all streams be looked at again.
    pub(crate) fn look_anew(&self) {
        self.cache.forget_streams();
        self.forget_index();
    }

    /// A conversation's entry in the registry.
    pub fn registered(
        &self,
        harness: &str,
        conversation: &ConversationId,
    ) -> Result<Option<Registration>, AppError> {
        self.cache
            .conversation(harness, conversation, || self.registry().find(harness, conversation))
    }

    /// Enters a conversation into the registry, or changes its entry.
    pub fn register(&self, registration: &Registration) -> Result<(), AppError> {
        self.registry().enter(registration)?;
        self.cache.keep_conversation(registration);
        Ok(())
    }

    /// Who is calling.
    pub fn actor(&self) -> Actor {
        match self.calling_agent() {
            Some((harness, conversation)) => agent(&harness, &conversation, None),
            None => Actor::Human,
        }
    }

    /// In whose words whoever calls is told what to do next.
    pub fn voice(&self) -> Voice {
        let Some((harness, conversation)) = self.calling_agent() else { return Voice::Person };
        let entry = self.registered(&harness, &conversation).ok().flatten();
        let known = entry.as_ref().and_then(|entry| entry.tools);
        let tools = self.host.tools.or(known).unwrap_or_default();
        Voice::Agent { tools, hooked: entry.is_some_and(|entry| entry.hooked) }
    }
}

fn drafts(events: &[Known], actor: &Actor, time: Timestamp) -> Vec<Draft> {
    let draft = |event: &Known| Draft { time, actor: actor.clone(), event: event.clone().into() };
    events.iter().map(draft).collect()
}

/// What a command led to.
#[derive(Debug)]
pub struct Executed {
    /// What happened.
    pub events: Vec<Known>,
    /// What was damaged and mended; the warnings tell it, too.
    pub mended: Option<String>,
    /// What somebody should be told about the stream.
    pub warnings: Vec<String>,
}

/// The project of the calling conversation, for an agent that has left the project's folder.
fn registered_project(host: &Host, ring: &Keyring) -> Result<Option<Project>, AppError> {
    let Some((harness, id)) = &host.conversation else {
        return Ok(None);
    };
    let found = Registry::new(&host.state_dir, ring).find(harness, id)?;
    match found {
        Some(registration) => project_at(&registration.root),
        None => Ok(None),
    }
}

/// The project whose top folder this is.
pub fn project_at(root: &Path) -> Result<Option<Project>, AppError> {
    Ok(project::find(root)?.filter(Project::is_initialised))
}

/// Turns a conversation into the actor of its events.
pub fn agent(harness: &str, conversation: &ConversationId, subagent: Option<&str>) -> Actor {
    Actor::Agent {
        harness: harness.to_owned(),
        conversation: conversation.clone(),
        subagent: subagent.map(str::to_owned),
    }
}

impl From<waypost_core::canonical::CanonicalError> for AppError {
    fn from(error: waypost_core::canonical::CanonicalError) -> Self {
        StoreError::from(error).into()
    }
}
