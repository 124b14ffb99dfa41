//! Which session is meant: all of them, those that are open, the one that somebody names.

use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::{Look, NextStep, amid, does, to};
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::text::one_line;
use waypost_core::text::spoken::{ago, quoted};
use waypost_store::{StoreError, seen};

use super::{Session, SessionEntry, View};
use crate::error::{AppError, Kind};
use crate::machine::process;
use crate::view::copy;

impl View<'_> {
    /// All sessions, damaged ones included.
    pub fn sessions(&self) -> Result<Vec<SessionEntry>, AppError> {
        let mut sessions = Vec::new();
        for id in self.log.sessions()? {
            sessions.extend(self.entry_now(&id)?);
        }
        Ok(sessions)
    }

    /// The active sessions of this work tree; of very many, at least two.
    pub fn active_sessions(&self) -> Result<Vec<SessionEntry>, AppError> {
        self.open_sessions(|entry| entry.lifecycle == Lifecycle::Active)
    }

    /// The sessions of this work tree that are not over and that are wanted; of very many, at least two.
    pub fn open_sessions(
        &self,
        wanted: impl Fn(&SessionEntry) -> bool,
    ) -> Result<Vec<SessionEntry>, AppError> {
        let index = self.index()?;
        let found: Vec<SessionEntry> =
            index.open.iter().filter(|entry| wanted(entry)).cloned().collect();
        if found.len() > 1 || !index.more_open {
            return Ok(found);
        }
        // Where others were busier since, the one that is meant may not be among the latest.
        let worktree = self.project.worktree();
        let all = self.sessions()?.into_iter();
        let here = all.filter(|entry| entry.worktree == worktree && entry.is_open());
        Ok(here.filter(|entry| wanted(entry)).collect())
    }

    /// What is told of a session that cannot be read: what it is for, what is wrong, the way out.
    pub(super) fn damaged(&self, id: &SessionId, error: StoreError) -> AppError {
        let error = AppError::from(error);
        if error.kind != Kind::Integrity {
            return error;
        }
        let named = self.salvage(id).objective;
        let named = named.map_or_else(String::new, |name| format!(" ({})", one_line(&name)));
        error.of_stream(&format!("session {id}{named}"), id.as_str())
    }

    /// Where a session is in its life now that is only known at a glance.
    pub fn lifecycle_of(&self, entry: &SessionEntry) -> Lifecycle {
        if entry.damage.is_some() {
            return entry.lifecycle;
        }
        let alone = SessionState {
            lifecycle: entry.lifecycle,
            updated_at: entry.updated_at,
            ..SessionState::default()
        };
        // Whether somebody still attends to it matters only once it was silent for long.
        match self.lifecycle(&alone) {
            Lifecycle::Abandoned if entry.attached > 0 => {
                self.glance(&entry.id).map_or(Lifecycle::Abandoned, |state| self.lifecycle(&state))
            }
            lifecycle => lifecycle,
        }
    }

    /// Where a session is in its life now.
    pub fn lifecycle(&self, state: &SessionState) -> Lifecycle {
        let now = self.host.moment();
        match state.silent_at() {
            // Whether somebody still attends to it matters only once it was silent for long.
            Some(silent) if now < silent => {
                seen::until(silent);
                state.lifecycle_at(now, true)
            }
            // Only a conversation that is attached could be at work without a word.
            _ if state.conversations.values().any(|known| known.attached) => {
                state.lifecycle_at(self.host.now(), self.is_attended(state))
            }
            _ => state.lifecycle_at(now, false),
        }
    }

    /// Whether a conversation that is attached to the session still runs.
    pub fn is_attended(&self, state: &SessionState) -> bool {
        state.conversations.iter().filter(|(_, known)| known.attached).any(|(id, known)| {
            let found = self.registered(&known.harness, id).ok().flatten();
            found.and_then(|found| found.process).is_some_and(process::Process::is_running)
        })
    }

    /// The session that a person or agent means: the one named by id or a unique prefix of it, else
    /// that of the calling conversation, else the current one of the work tree, else its only active one.
    pub fn session(&self, named: Option<&str>) -> Result<Session, AppError> {
        let session = self.find_session(named)?;
        self.check_version(&session.id, &session.state)?;
        Ok(session)
    }

    fn find_session(&self, named: Option<&str>) -> Result<Session, AppError> {
        if let Some(prefix) = named {
            return self.session_by_prefix(prefix);
        }
        if let Some(registration) = self.calling_conversation() {
            let state = self.load(&registration.session)?;
            return Ok(Session { id: registration.session, state });
        }
        if let Some(current) = self.current()? {
            let state = self.load(&current)?;
            return Ok(Session { id: current, state });
        }
        let active = worked_in(self.active_sessions()?);
        match active.as_slice() {
            [] => Err(AppError::refused("there is no active session in this work tree")
                .hint(to("begin one", NextStep::Begin))
                .hint(amid("or resume a paused one: ", Look::Sessions, " shows them"))),
            [only] => {
                let state = self.load(&only.id)?;
                Ok(Session { id: only.id.clone(), state })
            }
            several => Err(AppError::refused(format!(
                "there are {}{} active sessions in this work tree, and none of them is current:{}",
                if self.index()?.more_open { "at least " } else { "" },
                several.len(),
                candidates(self, several)
            ))
            .hint("name one of them by its id, or by enough of its beginning")
            .hint(to("or choose the one that is meant from now on", NextStep::ChooseCurrent))),
        }
    }

    /// Whether there is no session that a caller who names none could mean: none is active, or only several
    /// that were opened for conversations and have no name.
    pub fn has_no_session(&self) -> Result<bool, AppError> {
        if self.calling_conversation().is_some() || self.current()?.is_some() {
            return Ok(false);
        }
        let active = self.active_sessions()?;
        let unnamed = |entry: &SessionEntry| !entry.is_named() && entry.phase.is_none();
        let whole = active.iter().all(|entry| unnamed(entry) && entry.damage.is_none());
        Ok(active.len() != 1 && whole)
    }

    /// The same without its state, which may be out of reach where the stream is damaged.
    pub fn session_id(&self, named: Option<&str>) -> Result<SessionId, AppError> {
        match named {
            Some(prefix) => self.live_id(prefix),
            None => Ok(self.session(None)?.id),
        }
    }

    fn session_by_prefix(&self, prefix: &str) -> Result<Session, AppError> {
        let id = self.live_id(prefix)?;
        let state = self.load(&id)?;
        Ok(Session { id, state })
    }

    /// A session that has a stream here, not only a folder in the work tree.
    fn live_id(&self, prefix: &str) -> Result<SessionId, AppError> {
        let id = self.id_by_prefix(prefix)?;
        if self.log.exists(&StreamId::Session(id.clone())) {
            return Ok(id);
        }
        Err(AppError::refused(format!("session {id} is here only as a folder in the work tree"))
            .hint(to("take it over", NextStep::Resume(id.clone())))
            .hint(to("or only look at it", Look::Session(id))))
    }

    /// The sessions that have a stream here or a folder in the work tree, in order of their ids.
    pub fn known_ids(&self) -> Result<Vec<SessionId>, AppError> {
        let mut ids = self.log.sessions()?;
        ids.extend(copy::ids(self));
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    /// Names are matched with what is there, damaged or not: damage is told as damage. Sessions
    /// that are only folders in the work tree count too.
    pub fn id_by_prefix(&self, prefix: &str) -> Result<SessionId, AppError> {
        // What was imported may be called otherwise where it comes from.
        let exact = SessionId::of_name(prefix);
        if self.log.exists(&StreamId::Session(exact.clone())) {
            return Ok(exact);
        }
        prefix.parse::<SessionId>().map_err(|error| {
            AppError::refused(error.to_string()).hint(does(Look::AllSessions, "shows the sessions"))
        })?;
        let mut found = self.known_ids()?;
        if let Some(exact) = found.iter().position(|id| id.as_str() == prefix) {
            return Ok(found.remove(exact));
        }
        let begins = |id: &SessionId| id.as_str().starts_with(prefix);
        if found.iter().any(begins) {
            found.retain(begins);
        } else {
            // Other programs put words of their own before what people know a session by.
            found.retain(|id| is_known_by(id, prefix));
        }
        match found.len() {
            0 => Err(AppError::refused(format!("no session begins with `{prefix}`"))
                .hint(does(Look::AllSessions, "shows them"))),
            1 => Ok(found.remove(0)),
            _ => Err(AppError::refused(format!(
                "`{prefix}` fits {} sessions: {}",
                found.len(),
                listed(&found)
            ))
            .hint("give more of the id")),
        }
    }
}

/// Whether a part of an id that follows `_` begins so. Less than eight characters could be anything.
fn is_known_by(id: &SessionId, prefix: &str) -> bool {
    let parts = || id.as_str().match_indices('_').map(|(at, _)| &id.as_str()[at + 1..]);
    prefix.len() >= 8 && parts().any(|part| part.starts_with(prefix))
}

/// The ids of sessions, for messages: the first of them, and how many more there are.
pub(crate) fn listed<'a>(ids: impl IntoIterator<Item = &'a SessionId>) -> String {
    const SHOWN: usize = 10;
    let ids: Vec<&str> = ids.into_iter().map(SessionId::as_str).collect();
    let more = match ids.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", ids[..ids.len().min(SHOWN)].join(", "))
}

/// Of sessions, those that have a name, follow a workflow or have a conversation; all, if there are none of
/// these. What a conversation left behind without a name is hardly meant.
pub(crate) fn worked_in(sessions: Vec<SessionEntry>) -> Vec<SessionEntry> {
    let (worked_in, idle): (Vec<_>, Vec<_>) =
        sessions.into_iter().partition(|entry| !entry.is_idle());
    if worked_in.is_empty() { idle } else { worked_in }
}

/// Sessions to choose from, for messages, each on a line of its own: what it is for, and when something last
/// happened; the latest first.
pub(crate) fn candidates(view: &View<'_>, entries: &[SessionEntry]) -> String {
    const SHOWN: usize = 10;
    const OBJECTIVE: usize = 80;
    let mut entries: Vec<&SessionEntry> = entries.iter().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.updated_at));
    let mut text = String::new();
    for entry in entries.iter().take(SHOWN) {
        let objective = entry.objective(view);
        let objective =
            objective.map_or_else(|| "(no name)".to_owned(), |text| quoted(&text, OBJECTIVE));
        let now = view.host.now().as_millis();
        let when = entry.updated_at.map(|then| ago(now - then.as_millis())).unwrap_or_default();
        text.push_str(&format!("\n  {}  {objective}  {when}", entry.id));
    }
    match entries.len().saturating_sub(SHOWN) {
        0 => text,
        more => format!("{text}\n  and {more} more"),
    }
}
