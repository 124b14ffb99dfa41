//! Where a session that was found belongs: under which id, and what is to become of what is here under it.

use std::rc::Rc;

use waypost_core::event::SessionImported;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::sha256_hex;
use waypost_core::session::{Basics, SessionState};

use super::Outcome;
use super::together::{self, Known};
use crate::error::AppError;
use crate::foreign::protocol_session;
use crate::foreign::session::Brought;
use crate::view::View;

const GONE_ON: &str = "it has gone on here since it was imported, and its source has changed too: it stays as it is here";
const OLDER: &str = "what is here was changed later than this: it stays as it is here";

/// Where a session that was found belongs.
pub(super) struct Place {
    /// Its id here.
    pub(super) id: SessionId,
    /// What is to become of it.
    pub(super) outcome: Outcome,
    /// What was imported of it before.
    pub(super) known: Option<SessionImported>,
    /// Why it stays as it is.
    pub(super) why: Option<&'static str>,
}

impl Place {
    /// Looks for what is here under its name.
    pub(super) fn of(view: &View<'_>, brought: &Brought, sha256: &str) -> Result<Self, AppError> {
        if brought.format == protocol_session::FORMAT
            && let Some(id) = together::same_log(view, brought)?
        {
            return Ok(Self { id, outcome: Outcome::Unchanged, known: None, why: None });
        }
        let place = Self::at(view, SessionId::of_name(&brought.name), brought, sha256)?;
        let is_another = |known: &SessionImported| {
            !together::is_same_session(Known::of(known), Known::found(brought))
        };
        if !place.known.as_ref().is_some_and(is_another) {
            return Ok(place);
        }
        // Somebody else's has that name already.
        let began = Basics::read(&brought.manifest).created_at.map(|time| time.to_string());
        let began = began.unwrap_or_default();
        let file = brought.original.keys().next().cloned().unwrap_or_default();
        let parts = [brought.format, &began, &file].map(str::as_bytes);
        let hash = &sha256_hex(&[parts[0], b"\0", parts[1], b"\0", parts[2]])[..6];
        Self::at(view, SessionId::of_name(&format!("{}_{hash}", place.id)), brought, sha256)
    }

    fn at(
        view: &View<'_>,
        id: SessionId,
        brought: &Brought,
        sha256: &str,
    ) -> Result<Self, AppError> {
        let as_it_is = |outcome| (outcome, None, None);
        let (outcome, known, why) = match Self::state(view, &id)? {
            None => as_it_is(Outcome::Imported),
            Some(state) if state.imported.is_none() => {
                let what = format!(
                    "a session {id} is here that did not come from an import; it stays as it is"
                );
                return Err(AppError::refused(what));
            }
            Some(state) if state.has_imported(sha256) => as_it_is(Outcome::Unchanged),
            Some(state) => {
                let known = together::last_import(view, &id)?;
                let is_older =
                    known.as_ref().is_some_and(|known| together::is_older(brought, known));
                let why = match (state.is_as_imported(), is_older) {
                    (false, _) => Some(GONE_ON),
                    (true, true) => Some(OLDER),
                    (true, false) => None,
                };
                (if why.is_some() { Outcome::Kept } else { Outcome::Updated }, known, why)
            }
        };
        Ok(Self { id, outcome, known, why })
    }

    /// The state of a session that is here.
    fn state(view: &View<'_>, id: &SessionId) -> Result<Option<Rc<SessionState>>, AppError> {
        if !view.log.exists(&StreamId::Session(id.clone())) {
            return Ok(None);
        }
        let state = view.load(id)?;
        // Whoever began to import it was killed.
        Ok((state.version > 0).then_some(state))
    }
}
