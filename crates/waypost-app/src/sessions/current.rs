//! Choosing the current session of a work tree, which new conversations join and commands mean.

use waypost_core::id::SessionId;
use waypost_core::next_step::{NextStep, to};
use waypost_core::session::{Lifecycle, Pause};

use crate::error::AppError;
use crate::sessions::resume::{self, Resumed};
use crate::sessions::single;
use crate::view::View;
use crate::view::human;

/// What choosing came to.
#[derive(Debug)]
pub struct Chosen {
    /// The session that was chosen; none if none is current any more.
    pub session: Option<SessionId>,
    /// Whether new conversations join it: an agent chooses for its own conversation alone.
    pub current: bool,
    /// The one that was current before, if it is another one.
    pub before: Option<SessionId>,
    /// Whether that one goes on.
    pub goes_on: bool,
    /// Why it rested, if it did.
    pub pause: Option<Pause>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Makes a session the current one. One that rests is taken up again; one that is over has to be resumed.
pub fn switch(view: &View<'_>, named: &str) -> Result<Chosen, AppError> {
    // One that cannot be read keeps nobody from choosing another.
    let before = view.current().unwrap_or_default();
    let session = view.session(Some(named))?;
    let id = session.id;
    if session.state.lifecycle.is_over() {
        let over = format!("session {id} is over: it is {}", session.state.lifecycle);
        return Err(AppError::refused(over)
            .hint(to("resume it all the same", NextStep::Resume(id.clone()))));
    }
    let joined = view.calling_conversation().is_some_and(|calling| calling.session == id);
    let is_so = joined || before.as_ref() == Some(&id) && view.calling_agent().is_none();
    if is_so && session.state.lifecycle == Lifecycle::Active {
        let current = before.as_ref() == Some(&id);
        let _turn = single::turn(view)?;
        let warnings = single::pause_others(view, &id)?.warnings;
        let (session, before, pause) = (Some(id), None, None);
        return Ok(Chosen { session, current, before, goes_on: false, pause, warnings });
    }
    let Resumed { session, pause, current, paused, warnings, .. } =
        resume::resume(view, Some(id.as_str()))?;
    let before = before.filter(|before| current && *before != session);
    let goes_on = before.as_ref().is_some_and(|before| !paused.contains(before));
    Ok(Chosen { session: Some(session), current, before, goes_on, pause, warnings })
}

/// Leaves no session current: each new conversation gets one of its own.
pub fn none(view: &View<'_>) -> Result<Chosen, AppError> {
    if human::is_agent(view) {
        return Err(AppError::refused(
            "which session is current in this work tree is for people to choose",
        )
        .hint(to("begin one of your own", NextStep::Begin)));
    }
    let before = view.current().unwrap_or_default();
    view.choose_current(None)?;
    let (goes_on, warnings) = (before.is_some(), Vec::new());
    Ok(Chosen { session: None, current: false, before, goes_on, pause: None, warnings })
}
