//! Beginning a session: its name, its first record, its workflow.

use serde_json::{Map, Value};
use waypost_core::actor::Actor;
use waypost_core::command::{Command, check_start, decide};
use waypost_core::event::SessionStarted;
use waypost_core::id::SessionId;
use waypost_core::redact::redact;
use waypost_core::session::SessionState;
use waypost_core::track::{Next, TrackStarted};
use waypost_store::look;

use crate::error::AppError;
use crate::tracks::catalogue;
use crate::view::View;

/// What a session begins with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Begin<'a> {
    /// What it is for.
    pub objective: Option<&'a str>,
    /// The workflow that it follows, if it follows one.
    pub workflow: Option<&'a str>,
    /// The commit that it begins at, if not the one that is checked out.
    pub commit: Option<&'a str>,
    /// Whether its id is the day and a number.
    pub numbered: bool,
    /// What its workflow is about: a file or folder.
    pub target: Option<&'a str>,
    /// What whoever begins the workflow chose.
    pub options: Option<&'a Map<String, Value>>,
}

/// A track that begins, and the phases that are left out before its first one.
type Beginning = (TrackStarted, Vec<(String, String)>);

impl View<'_> {
    /// Begins a session.
    pub fn start(&self, actor: &Actor, begin: &Begin<'_>) -> Result<SessionId, AppError> {
        // The id is made of it, and stands in more places than the record.
        let objective = begin.objective.map(redact);
        let objective = objective.as_deref();
        let workflow = begin.workflow.unwrap_or("none");
        let track = self.beginning(begin)?;
        let started = SessionStarted {
            objective: objective.map(str::to_owned),
            workflow: workflow.to_owned(),
            branch: self.branch(),
            commit: begin.commit.map(str::to_owned).or_else(|| self.commit()),
            worktree: self.project.worktree(),
        };
        // Refuse before anything is created: a name that was taken is never given back.
        self.settle_version()?;
        decide(&SessionState::default(), Command::Start(started.clone()))?;
        let id = self.create(objective, begin.numbered)?;
        self.execute_all(&id, actor, [Command::Start(started)].into_iter().chain(track))?;
        Ok(id)
    }

    /// How the workflow that is named begins, at its first phase that does not leave itself out.
    /// `None` if it has no phases.
    pub(crate) fn beginning(&self, begin: &Begin<'_>) -> Result<Option<Command>, AppError> {
        let first = self.track_of(begin)?;
        Ok(first.map(|(track, skipped)| Command::StartTrack(track, skipped)))
    }

    /// The same as a track, with the phases before its first one and why they are left out.
    pub(crate) fn track_of(&self, begin: &Begin<'_>) -> Result<Option<Beginning>, AppError> {
        let Some(definition) = catalogue::definition(self, begin.workflow.unwrap_or("none"))?
        else {
            return Ok(None);
        };
        let options = begin.options.cloned().unwrap_or_default();
        let target = begin.target.map(str::to_owned);
        let (definition, Next { skipped, to }) =
            catalogue::opened(self, definition, begin.target, &options)?;
        let at = to.filter(|_| !skipped.is_empty());
        // What is changed in it is told by comparing with what was there when it began.
        let tree = definition.asks_for_changes().then(|| self.tree());
        let track =
            TrackStarted { target, options, at, tree, ..TrackStarted::new(None, definition) };
        check_start(&track)?;
        self.blobs.keep_definition(&track.definition)?;
        Ok(Some((track, skipped)))
    }

    /// Takes a name that nobody has.
    fn create(&self, objective: Option<&str>, numbered: bool) -> Result<SessionId, AppError> {
        let now = self.host.now();
        let mut number = if numbered { self.last_number()? } else { 0 };
        loop {
            number += 1;
            let id = if numbered {
                SessionId::numbered(now, number)
            } else {
                SessionId::new(now, objective, self.host.random()?)
            };
            if self.make_room(&id)? {
                return Ok(id);
            }
        }
    }

    /// The highest number that a session of today has, in whatever way it is kept here.
    fn last_number(&self) -> Result<u32, AppError> {
        let day = format!("{}-session-", self.host.now().day());
        let logs = look::folder(self.project.root.join(".agents/sessions"));
        let logs = logs.into_iter().flatten().flatten();
        let logs = logs.filter_map(|entry| entry.file_name().into_string().ok());
        let known = self.known_ids()?.into_iter().map(String::from);
        let number = |name: String| {
            let rest = name.strip_prefix(&day)?;
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u32>().ok()
        };
        Ok(known.chain(logs).filter_map(number).max().unwrap_or(0))
    }
}
