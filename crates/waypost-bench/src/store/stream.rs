//! A session's stream in this process: filling it, and making sure of its length.

use std::path::PathBuf;

use waypost_app::error::AppError;
use waypost_app::sessions::begin::Begin;
use waypost_app::view::View;
use waypost_core::actor::Actor;
use waypost_core::command::{Command, decide};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Draft;
use waypost_core::session::SessionState;
use waypost_store::Loaded;

use crate::failure::{During, Failure};

/// How many events are appended at once where nobody looks at the time.
const AT_ONCE: u64 = 1000;

/// A session's stream.
pub(crate) struct Stream<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) session: SessionId,
    pub(crate) id: StreamId,
}

impl<'a> Stream<'a> {
    pub(crate) fn new(view: &'a View<'a>, session: SessionId) -> Self {
        Self { view, id: StreamId::Session(session.clone()), session }
    }

    /// A new session of its own.
    pub(crate) fn begin(view: &'a View<'a>) -> Result<Self, Failure> {
        let begun = view.start(
            &Actor::Human,
            &Begin { objective: Some("measure the event store"), ..Begin::default() },
        );
        Ok(Self::new(view, begun.during(|| "beginning a session".to_owned())?))
    }

    /// The session of the place's conversation, which the hook finds too.
    pub(crate) fn of_conversation(view: &'a View<'a>) -> Result<Self, Failure> {
        let root = &view.project.root;
        let found = view
            .calling_conversation()
            .ok_or_else(|| Failure::new(format!("no conversation works in {}", root.display())))?;
        Ok(Self::new(view, found.session))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.view.log.place(&self.id)
    }

    pub(crate) fn load(&self) -> Result<Loaded<SessionState>, Failure> {
        self.view.log.load(&self.id).during(|| format!("loading {}", self.id))
    }

    /// One event through the use case; it is on disk when this returns.
    pub(crate) fn note(&self) -> Result<(), Failure> {
        let executed = self.view.execute(&self.session, &Actor::Human, note());
        let executed = executed.during(|| format!("appending to {}", self.id))?;
        match executed.warnings.first() {
            Some(warning) => Err(Failure::new(format!("appending to {}: {warning}", self.id))),
            None => Ok(()),
        }
    }

    /// Appends until there are `events` of them.
    pub(crate) fn fill(&self, events: u64) -> Result<(), Failure> {
        let mut missing = events.saturating_sub(self.load()?.position.seq);
        while missing > 0 {
            let now = missing.min(AT_ONCE);
            self.append(now).during(|| format!("filling {}", self.id))?;
            missing -= now;
        }
        self.insist_on(events)
    }

    fn append(&self, events: u64) -> Result<(), AppError> {
        let time = self.view.host.now();
        self.view.log.transact(&self.id, |state: &SessionState| {
            let mut drafts = Vec::new();
            for _ in 0..events {
                let events = decide(state, note())?.into_iter();
                drafts.extend(events.map(|event| Draft {
                    time,
                    actor: Actor::Human,
                    event: event.into(),
                }));
            }
            Ok::<_, AppError>((drafts, ()))
        })?;
        Ok(())
    }

    /// Fails unless there are just as many: a figure of another stream would be no figure.
    pub(crate) fn insist_on(&self, events: u64) -> Result<(), Failure> {
        let found = self.load()?.position.seq;
        if found == events {
            return Ok(());
        }
        Err(Failure::new(format!("{} has {found} events where {events} belong", self.id)))
    }
}

fn note() -> Command {
    Command::Note {
        kind: "decision".to_owned(),
        text: "The greeting stays in one function; other languages get files of their own."
            .to_owned(),
    }
}
