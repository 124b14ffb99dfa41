//! Taking a session up again that rests, was given up, or is over.

use waypost_core::command::Command;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::{Look, amid};
use waypost_core::session::{Lifecycle, Pause};

use crate::error::AppError;
use crate::sessions::switch;
use crate::share::adopt;
use crate::share::publish;
use crate::view::{Session, SessionEntry, View, listed};

/// How a conversation joins the session that it takes up again.
const SOURCE: &str = "session_resume";

/// A session that was taken up again.
#[derive(Debug)]
pub struct Resumed {
    /// The session.
    pub session: SessionId,
    /// Why it rested, if it did.
    pub pause: Option<Pause>,
    /// The session of the calling conversation, if it is another that has a name: it stays there.
    pub elsewhere: Option<SessionId>,
    /// Whether it was only a folder in the work tree until now.
    pub adopted: bool,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Resumes the session that is named, else that of the calling conversation, else the work tree's
/// only one that is paused or abandoned. One that is only a folder in the work tree is taken over.
pub fn resume(view: &View<'_>, named: Option<&str>) -> Result<Resumed, AppError> {
    let id = match named {
        Some(named) => view.id_by_prefix(named)?,
        None => resting(view)?.id,
    };
    let adopted = !view.log.exists(&StreamId::Session(id.clone()));
    let mut warnings = Vec::new();
    let pause = if adopted {
        let ((), told) = view.together(|| adopt::adopt(view, &id))?;
        warnings.extend(told);
        view.load(&id)?.pause.clone()
    } else {
        warnings.extend(publish::take_over(view, &id)?);
        let state = view.load(&id)?;
        view.expect_in_index(&id)?;
        let now = view.host.now();
        let executed = view.execute_with(&id, &view.actor(), |state| {
            Ok(Command::Resume { now, attended: view.is_attended(state) })
        })?;
        warnings.extend(executed.warnings);
        state.pause.clone().filter(|_| state.lifecycle == Lifecycle::Paused)
    };
    let elsewhere = join(view, &id)?;
    Ok(Resumed { session: id, pause, elsewhere, adopted, warnings })
}

/// The conversation that resumes a session goes on in it, unless it is in another one that has a
/// name: that one is told.
fn join(view: &View<'_>, id: &SessionId) -> Result<Option<SessionId>, AppError> {
    let calling = view.calling_conversation().filter(|calling| calling.session != *id);
    let Some(known) = calling else { return Ok(None) };
    if view.load(&known.session)?.objective.is_some() {
        return Ok(Some(known.session));
    }
    switch::to(view, &known, SOURCE, id)?;
    Ok(None)
}

fn resting(view: &View<'_>) -> Result<Session, AppError> {
    if let Some(registration) = view.calling_conversation() {
        let state = view.load(&registration.session)?;
        if view.lifecycle(&state) != Lifecycle::Active {
            return Ok(Session { id: registration.session, state });
        }
    }
    let rests = |entry: &SessionEntry| {
        matches!(view.lifecycle_of(entry), Lifecycle::Paused | Lifecycle::Abandoned)
    };
    let mut resting = view.open_sessions(rests)?;
    match resting.len() {
        0 => Err(AppError::refused("no session of this work tree is paused or abandoned")
            .hint(amid("one that is over is resumed by its id: ", Look::Sessions, " shows them"))),
        1 => view.session(Some(resting.remove(0).id.as_str())),
        count => Err(AppError::refused(format!(
            "{count} sessions of this work tree are paused or abandoned: {}",
            listed(resting.iter().map(|entry| &entry.id))
        ))
        .hint("name one of them by its id, or by enough of its beginning")),
    }
}
