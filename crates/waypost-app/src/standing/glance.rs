//! A session at a glance, for whoever shows it: how it is kept, where it is, what its past was. Read from snapshots where
//! there are any, so that it costs the same however long the session is; of one that is not kept here, or damaged, whatever
//! can be read.

use serde::Serialize;
use waypost_core::id::StreamId;
use waypost_core::next_step::{NextStep, Tools, Voice};
use waypost_core::session::SessionState;
use waypost_core::standing::ShownGate;
use waypost_core::story::Story;

use crate::error::{AppError, Kind};
use crate::standing::show::readable;
use crate::standing::{Asker, Stand};
use crate::tracks::workflow;
use crate::view::copy::{self, Kept};
use crate::view::{Session, View};

/// A session at a glance.
#[derive(Debug)]
pub struct Glance {
    /// The session.
    pub session: Session,
    /// How it is kept here.
    pub kept: Kept,
    /// What there is to say about that.
    pub remark: Option<String>,
    /// What leads out of it.
    pub way_out: Vec<NextStep>,
    /// What its records tell of its past, up to now.
    pub story: Story,
}

/// Where a session stands, as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct Stood {
    /// The exact next step.
    pub next: String,
    /// Every gate that applies.
    pub gates: Vec<ShownGate>,
    /// What somebody should be told about the gates themselves.
    pub remarks: Vec<String>,
}

/// The session that is named, also where it is damaged or only a folder in the work tree.
pub fn of(view: &View<'_>, named: &str) -> Result<Glance, AppError> {
    let id = view.id_by_prefix(named)?;
    let stream = StreamId::Session(id.clone());
    let mut glance = if view.log.exists(&stream) {
        let whole = view.load(&id).and_then(|state| Ok((state, view.story(&id)?)));
        match whole {
            Ok((state, story)) => {
                let session = Session { id, state };
                let way_out = Vec::new();
                Glance { session, kept: Kept::Live, remark: None, way_out, story }
            }
            Err(error) if error.kind == Kind::Integrity => damaged(view, &stream, id, &error),
            Err(error) => return Err(error),
        }
    } else {
        let copy = copy::of(view, &id)?
            .ok_or_else(|| AppError::refused(format!("nothing is left of session {id}")))?;
        let way_out = match copy.kept {
            Kept::Copy | Kept::Legacy => vec![NextStep::Resume(id.clone())],
            Kept::Live | Kept::Unverified | Kept::Damaged | Kept::Newer => Vec::new(),
        };
        let story = Story::of(&copy.records);
        let session = Session { id, state: SessionState::fold(&copy.records).into() };
        Glance { session, kept: copy.kept, remark: copy.remark, way_out, story }
    };
    glance.story.course = glance.story.course.at(view.host.now());
    Ok(glance)
}

/// One whose records cannot be read to their end.
fn damaged(
    view: &View<'_>,
    stream: &StreamId,
    id: waypost_core::id::SessionId,
    error: &AppError,
) -> Glance {
    let kept = if error.is_newer() { Kept::Newer } else { Kept::Damaged };
    let (state, story) = match readable(view, stream) {
        Ok((_, _, records)) => (SessionState::fold(&records), Story::of(&records)),
        Err(_) => (view.salvage(&id), Story::default()),
    };
    Glance {
        session: Session { id, state: state.into() },
        kept,
        remark: Some(error.message.clone()),
        way_out: error.hints.clone(),
        story,
    }
}

impl Glance {
    /// Whether gates can be asked: all of its records are here.
    pub fn is_live(&self) -> bool {
        self.kept == Kept::Live
    }

    /// Where it stands, for whoever calls.
    pub fn stood(&self, view: &View<'_>) -> Result<Stood, AppError> {
        let stand = self.stand_for(view, &Asker::calling(view))?;
        Ok(Stood { next: stand.next(), gates: stand.gates(), remarks: stand.remarks })
    }

    /// Where it stands as its next agent would be told, by a client with all tools.
    pub fn stand_for_agent(&self, view: &View<'_>) -> Result<Stand, AppError> {
        let conversation = self.session.state.latest_conversation();
        let voice = Voice::Agent { tools: Tools::default(), hooked: true };
        self.stand_for(view, &Asker { conversation, voice })
    }

    fn stand_for(&self, view: &View<'_>, asker: &Asker) -> Result<Stand, AppError> {
        let policy = workflow::policy_in(view, &self.session)?;
        Stand::with(view, self.session.clone(), policy, asker, self.story.clone())
    }
}
