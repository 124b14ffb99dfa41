//! Everything about one session: where it stands, and what its records tell.

use serde::Serialize;
use waypost_core::chronicle::Chronicle;
use waypost_core::id::StreamId;
use waypost_core::record::Record;
use waypost_core::session::SessionState;
use waypost_core::story::Story;

use crate::documents::dev_notes::{self, DevNote};
use crate::documents::spec::{self, Spec};
use crate::error::AppError;
use crate::rulings::violations::{self, RecordedViolation};
use crate::standing::status::SessionStatus;
use crate::standing::{Asker, Stand};
use crate::tracks::workflow;
use crate::view::copy::{self, Kept};
use crate::view::{Session, View};

/// Everything about one session.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Where it stands.
    #[serde(flatten)]
    pub status: SessionStatus,
    /// How it is kept here.
    pub kept: Kept,
    /// What there is to say about that.
    pub remark: Option<String>,
    /// What its records tell.
    #[serde(flatten)]
    pub chronicle: Chronicle,
    /// The musts that were missed.
    pub violation_details: Vec<RecordedViolation>,
    /// What its `spec.md` says of goals, open questions and decisions.
    pub spec: Spec,
    /// What was learnt while building, as `dev-notes.json` tells.
    pub dev_notes: Vec<DevNote>,
}

/// Everything about one session, also where it is only a folder in the work tree.
pub fn of(view: &View<'_>, named: &str) -> Result<Shown, AppError> {
    let id = view.id_by_prefix(named)?;
    let stream = StreamId::Session(id.clone());
    let (kept, remark, records) = if view.log.exists(&stream) {
        readable(view, &stream)?
    } else {
        match copy::of(view, &id)? {
            Some(copy) => (copy.kept, copy.remark, copy.records),
            None => return Err(AppError::refused(format!("nothing is left of session {id}"))),
        }
    };
    let (spec, dev_notes) = (spec::of(view, &id), dev_notes::of(view, &id));
    let session = Session { id, state: SessionState::fold(&records).into() };
    let story = Story::of(&records);
    let story = Story { course: story.course.at(view.host.now()), ..story };
    let policy = workflow::policy_in(view, &session)?;
    let asker = Asker::calling(view);
    let status = SessionStatus::of(view, Stand::with(view, session, policy, &asker, story)?);
    let mut violation_details = Vec::new();
    for record in &records {
        violations::note(&mut violation_details, record);
    }
    let chronicle = Chronicle::of(&records);
    Ok(Shown { status, kept, remark, chronicle, violation_details, spec, dev_notes })
}

/// A stream's records, as far as they can be read.
pub(super) fn readable(
    view: &View<'_>,
    stream: &StreamId,
) -> Result<(Kept, Option<String>, Vec<Record>), AppError> {
    let mut records = Vec::new();
    match view.log.each(stream, |record| records.push(record)) {
        Ok(()) => Ok((Kept::Live, None, records)),
        Err(error) if error.is_integrity() && !records.is_empty() => {
            let kept = if error.is_newer() { Kept::Newer } else { Kept::Damaged };
            let error = AppError::from(error);
            let way_out = error.next(view.voice()).join("; ");
            let told = format!("only as far as it can be read: {}; {way_out}", error.message);
            Ok((kept, Some(told), records))
        }
        Err(error) => Err(error.into()),
    }
}
