//! Beginning a workflow, in the caller's session or in a new one.

use std::path::{Component, Path};

use serde_json::{Map, Value};
use waypost_core::id::SessionId;
use waypost_core::next_step::{Look, NextStep, does, to};
use waypost_core::session::Lifecycle;
use waypost_core::track::Track;

use crate::error::{AppError, Kind};
use crate::sessions::begin::Begin;
use crate::sessions::start;
use crate::tracks::catalogue;
use crate::view::{Session, View};

/// What a workflow begins with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beginning<'a> {
    /// The workflow.
    pub workflow: &'a str,
    /// What it is about: a file or folder.
    pub target: Option<&'a str>,
    /// What whoever begins it chose.
    pub options: Option<&'a Map<String, Value>>,
    /// Whether another one is begun although there is one for the same already.
    pub anew: bool,
}

/// A workflow that was begun.
#[derive(Debug)]
pub struct Begun {
    /// The session.
    pub session: SessionId,
    /// Whether the session was made for it.
    pub new_session: bool,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Begins a workflow. One that goes on already for the same target is offered instead.
pub fn start(
    view: &View<'_>,
    named: Option<&str>,
    beginning: &Beginning<'_>,
) -> Result<Begun, AppError> {
    let Beginning { workflow, target, options, .. } = *beginning;
    if catalogue::definition(view, workflow)?.is_none() {
        return Err(AppError::refused(format!("the workflow `{workflow}` has no phases"))
            .hint(does(Look::Workflows, "shows those that have")));
    }
    offer(view, beginning)?;
    let objective = objective(workflow, target);
    let workflow = Some(workflow);
    let begin =
        Begin { objective: Some(&objective), workflow, target, options, ..Begin::default() };
    // A session that has a name and no workflow under way takes it up; any other has its own.
    let open = match view.session(named) {
        Ok(session) => Some(session),
        // There is none at hand, or several: it gets one of its own.
        Err(error) if named.is_none() && error.kind == Kind::Refused => None,
        Err(error) => return Err(error),
    };
    // What another conversation works in is not taken for one's own.
    let own = |session: &Session| match view.calling_conversation() {
        Some(calling) => calling.session == session.id,
        None => view.is_current(&session.id) || view.calling_agent().is_none(),
    };
    let free = open.filter(|session| named.is_some() || (own(session) && is_free(session)));
    let taken_up = free.filter(|session| session.state.objective.is_some());
    if let (Some(session), Some(track)) = (taken_up, view.beginning(&begin)?) {
        let told = start::ask_before(view, &begin, Some(&session))?;
        let mut warnings = view.execute(&session.id, &view.actor(), track)?.warnings;
        warnings.extend(told);
        warnings.extend(catalogue::warnings(view, beginning.workflow));
        return Ok(Begun { session: session.id, new_session: false, warnings });
    }
    let started = start::start(view, &begin)?;
    let new_session = !started.adopted;
    Ok(Begun { session: started.session, new_session, warnings: started.warnings })
}

/// Refuses to begin a workflow that goes on already for the same target, unless `anew` is set: the
/// refusal tells how to go on with it.
pub fn offer(view: &View<'_>, beginning: &Beginning<'_>) -> Result<(), AppError> {
    let Beginning { workflow, target, anew, .. } = *beginning;
    if anew {
        return Ok(());
    }
    match going_on(view, workflow, target)? {
        Some(there) => Err(offered(&there, beginning)),
        None => Ok(()),
    }
}

/// What a session is for that was made for a workflow.
pub fn objective(workflow: &str, target: Option<&str>) -> String {
    match target {
        Some(target) => format!("{workflow}: {target}"),
        None => format!("Follow the workflow {workflow}"),
    }
}

fn is_free(session: &Session) -> bool {
    let state = &session.state;
    state.lifecycle == Lifecycle::Active && !state.track.as_deref().is_some_and(Track::is_running)
}

/// The session of this work tree in which the same goes on already.
fn going_on(
    view: &View<'_>,
    workflow: &str,
    target: Option<&str>,
) -> Result<Option<Session>, AppError> {
    let same = |session: &Session| {
        let track = session.state.track.as_deref().filter(|track| track.is_running());
        track
            .is_some_and(|track| track.name == workflow && is_same(track.target.as_deref(), target))
    };
    let index = view.index()?;
    let following = index.open.iter().filter(|entry| entry.phase.is_some());
    let sessions: Result<Vec<Session>, AppError> = following
        .map(|entry| Ok(Session { id: entry.id.clone(), state: view.glance(&entry.id)? }))
        .collect();
    Ok(sessions?.into_iter().find(same))
}

/// Whether two targets are the same file or folder, however they are spelt.
fn is_same(one: Option<&str>, other: Option<&str>) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
        parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    one.map(parts) == other.map(parts)
}

fn offered(there: &Session, beginning: &Beginning<'_>) -> AppError {
    let Beginning { workflow, target, .. } = beginning;
    let about = target.map(|target| format!(" on {target}")).unwrap_or_default();
    let (id, lifecycle) = (&there.id, there.state.lifecycle);
    let phase = there.state.phase();
    AppError::refused(format!(
        "the workflow {workflow}{about} goes on already in session {id} ({lifecycle}, phase {phase})"
    ))
    .hint(match lifecycle {
        Lifecycle::Paused => to("go on with it", NextStep::Resume(id.clone())),
        _ => to("go on with it", Look::Phase(Some(id.clone()))),
    })
    .hint(to("or begin another one all the same", NextStep::BeginAnew))
}
