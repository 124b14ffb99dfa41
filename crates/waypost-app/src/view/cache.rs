//! What a call has looked at already.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use waypost_core::id::{ConversationId, SessionId};
use waypost_core::project::ProjectState;
use waypost_core::record::Position;
use waypost_core::session::SessionState;
use waypost_store::Loaded;

use super::index::Index;
use crate::error::AppError;
use crate::foreign::requirements::Places;
use crate::view::policy::{Blob, InForce};
use crate::view::registry::Registration;

/// A stream's state and where the stream stood.
#[derive(Debug)]
struct Seen<S> {
    state: Rc<S>,
    position: Position,
    behind: u64,
}

impl<S: Clone> Seen<S> {
    fn of(Loaded { state, position, behind }: Loaded<S>) -> Self {
        Self { state: Rc::new(state), position, behind }
    }

    fn loaded(self) -> Loaded<S> {
        let Self { state, position, behind } = self;
        Loaded { state: Rc::unwrap_or_clone(state), position, behind }
    }
}

/// What a call has looked at already.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    project: RefCell<Option<Seen<ProjectState>>>,
    sessions: RefCell<BTreeMap<SessionId, Seen<SessionState>>>,
    conversations: RefCell<BTreeMap<(String, ConversationId), Option<Registration>>>,
    pub(crate) blobs: RefCell<BTreeMap<String, Rc<Blob>>>,
    pub(crate) policies: RefCell<BTreeMap<Option<String>, Rc<InForce>>>,
    pub(crate) sources: OnceCell<crate::view::policy::Sources>,
    /// Where requirements of another framework lie, with the stamps of the project's own files.
    pub(crate) requirements: OnceCell<Vec<(Places, String)>>,
    pub(crate) sessions_dir: OnceCell<String>,
    pub(crate) servers_of_project: OnceCell<Vec<String>>,
    pub(crate) servers_of_user: OnceCell<Vec<String>>,
    pub(super) index: RefCell<Option<Rc<Index>>>,
}

impl Cache {
    pub(super) fn project(
        &self,
        load: impl FnOnce() -> Result<Loaded<ProjectState>, AppError>,
    ) -> Result<Rc<ProjectState>, AppError> {
        if let Some(seen) = &*self.project.borrow() {
            return Ok(Rc::clone(&seen.state));
        }
        Ok(self.keep_project(load()?))
    }

    pub(super) fn forget_streams(&self) {
        self.project.take();
        self.sessions.take();
    }

    pub(super) fn take_project(&self) -> Option<Loaded<ProjectState>> {
        self.project.take().map(Seen::loaded)
    }

    pub(super) fn keep_project(&self, loaded: Loaded<ProjectState>) -> Rc<ProjectState> {
        let seen = Seen::of(loaded);
        let state = Rc::clone(&seen.state);
        self.project.replace(Some(seen));
        state
    }

    pub(super) fn session(
        &self,
        id: &SessionId,
        load: impl FnOnce() -> Result<Loaded<SessionState>, AppError>,
    ) -> Result<Rc<SessionState>, AppError> {
        if let Some(seen) = self.sessions.borrow().get(id) {
            return Ok(Rc::clone(&seen.state));
        }
        Ok(self.keep_session(id, load()?))
    }

    /// The same; the snapshot is brought up to date, if nobody has done so yet.
    pub(super) fn refreshed_session(
        &self,
        id: &SessionId,
        load: impl FnOnce() -> Result<Loaded<SessionState>, AppError>,
        refresh: impl FnOnce(&mut Loaded<SessionState>),
    ) -> Result<Rc<SessionState>, AppError> {
        if let Some(seen) = self.sessions.borrow().get(id).filter(|seen| seen.behind == 0) {
            return Ok(Rc::clone(&seen.state));
        }
        let mut loaded = match self.take_session(id) {
            Some(loaded) => loaded,
            None => load()?,
        };
        refresh(&mut loaded);
        Ok(self.keep_session(id, loaded))
    }

    /// How long a session's stream was when it was looked at.
    pub(super) fn length_of(&self, id: &SessionId) -> Option<u64> {
        self.sessions.borrow().get(id).map(|seen| seen.position.bytes)
    }

    pub(super) fn take_session(&self, id: &SessionId) -> Option<Loaded<SessionState>> {
        self.sessions.borrow_mut().remove(id).map(Seen::loaded)
    }

    pub(super) fn keep_session(
        &self,
        id: &SessionId,
        loaded: Loaded<SessionState>,
    ) -> Rc<SessionState> {
        let seen = Seen::of(loaded);
        let state = Rc::clone(&seen.state);
        self.sessions.borrow_mut().insert(id.clone(), seen);
        state
    }

    pub(super) fn conversation(
        &self,
        harness: &str,
        id: &ConversationId,
        find: impl FnOnce() -> Result<Option<Registration>, AppError>,
    ) -> Result<Option<Registration>, AppError> {
        let key = (harness.to_owned(), id.clone());
        if let Some(known) = self.conversations.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = find()?;
        self.conversations.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    pub(super) fn keep_conversation(&self, entry: &Registration) {
        let key = (entry.harness.clone(), entry.conversation.clone());
        self.conversations.borrow_mut().insert(key, Some(entry.clone()));
    }
}
