//! Taking a session up: one that rests, was given up, is over, or goes on without the caller.

use waypost_core::command::Command;
use waypost_core::event::GitChanged;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::{Look, amid};
use waypost_core::session::{Lifecycle, Pause, SessionState};
use waypost_core::text::one_line;

use crate::error::AppError;
use crate::sessions::{single, switch};
use crate::share::adopt;
use crate::share::publish;
use crate::view::human;
use crate::view::{Session, SessionEntry, View, candidates, worked_in};

/// How a conversation joins the session that it takes up again.
const SOURCE: &str = "session_resume";

/// A session that was taken up again.
#[derive(Debug)]
pub struct Resumed {
    /// The session.
    pub session: SessionId,
    /// Why it rested, if it did.
    pub pause: Option<Pause>,
    /// The session that the calling conversation was in until now, if it was in another one.
    pub left: Option<SessionId>,
    /// Whether it was only a folder in the work tree until now.
    pub adopted: bool,
    /// Whether work was taken up again; one that was active already is only joined or made current.
    pub resumed: bool,
    /// Whether new conversations in this work tree join it.
    pub current: bool,
    /// The sessions that were paused for it.
    pub paused: Vec<SessionId>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Resumes the session that is named, else that of the calling conversation, else the work tree's
/// only one that is paused or abandoned. One that is only a folder in the work tree is taken over. An
/// agent goes on in it; what a person resumes is current from then on.
pub fn resume(view: &View<'_>, named: Option<&str>) -> Result<Resumed, AppError> {
    let _turn = single::turn(view)?;
    // Where sessions lie is what the project's files say now.
    view.policy_for_caller()?;
    let id = match named {
        Some(named) => view.id_by_prefix(named)?,
        None => resting(view)?.id,
    };
    let adopted = !view.log.exists(&StreamId::Session(id.clone()));
    let mut warnings = Vec::new();
    let mut resumed = true;
    let pause = if adopted {
        let ((), told) = view.together(|| adopt::adopt(view, &id))?;
        warnings.extend(told);
        view.load(&id)?.pause.clone()
    } else {
        warnings.extend(publish::take_over(view, &id)?);
        let state = view.load(&id)?;
        let (told, went_on) = go_on(view, &id, &state)?;
        warnings.extend(told);
        resumed = went_on;
        state.pause.clone().filter(|_| state.lifecycle == Lifecycle::Paused)
    };
    let left = join(view, &id)?;
    if is_person(view) {
        view.choose_current(Some(&id))?;
    }
    let current = view.is_current(&id);
    let single::Others { paused, warnings: told } = single::pause_others(view, &id)?;
    warnings.extend(told);
    Ok(Resumed { session: id, pause, left, adopted, resumed, current, paused, warnings })
}

/// Lets work go on in a session, in this work tree. Returns what somebody should be told, and whether it was resumed.
fn go_on(
    view: &View<'_>,
    id: &SessionId,
    state: &SessionState,
) -> Result<(Vec<String>, bool), AppError> {
    let here = view.project.worktree();
    let moves = state.worktree != here;
    let attended = view.is_attended(state);
    if moves && attended {
        let there = state.worktree.as_deref().map_or_else(
            || "the main work tree".to_owned(),
            |name| format!("work tree {}", one_line(name)),
        );
        return Err(AppError::refused(format!("a conversation works on session {id} in {there}"))
            .hint("go on there, or end that conversation first"));
    }
    let mut warnings = Vec::new();
    // One that goes on already is joined, or made current; whoever is in it has nothing to resume.
    // One that was going on in another program goes on here from now on.
    let resumes =
        view.lifecycle(state) != Lifecycle::Active || state.is_as_imported() || is_at_it(view, id);
    if resumes {
        view.expect_in_index(id)?;
        let now = view.host.now();
        let commit = adopt::commit_for(view, state);
        let executed = view.execute_with(id, &view.actor(), |state| {
            let (attended, commit) = (view.is_attended(state), commit.clone());
            Ok(Command::Resume { now, attended, commit })
        })?;
        warnings.extend(executed.warnings);
    }
    if moves {
        let branch = view.branch();
        let worktree = Some(here.unwrap_or_default());
        let belongs_here = Command::ChangeGit(GitChanged { branch, worktree, base_branch: None });
        warnings.extend(view.execute(id, &view.actor(), belongs_here)?.warnings);
    }
    Ok((warnings, resumes))
}

/// Whether the caller works in the session already: an agent's conversation is in it, or a person has
/// made it current.
fn is_at_it(view: &View<'_>, id: &SessionId) -> bool {
    match view.calling_conversation() {
        Some(calling) => calling.session == *id,
        None => is_person(view) && view.is_current(id),
    }
}

fn is_person(view: &View<'_>) -> bool {
    view.calling_agent().is_none() && !human::is_agent(view)
}

/// The conversation that resumes a session goes on in it. Returns the one that it was in.
fn join(view: &View<'_>, id: &SessionId) -> Result<Option<SessionId>, AppError> {
    if let Some(known) = view.calling_conversation() {
        if known.session == *id {
            return Ok(None);
        }
        switch::to(view, &known, SOURCE, id)?;
        return Ok(Some(known.session));
    }
    if let Some((harness, conversation)) = view.calling_agent() {
        switch::enter(view, &harness, &conversation, SOURCE, id)?;
    }
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
    let resting = worked_in(view.open_sessions(rests)?);
    match resting.as_slice() {
        [] => Err(AppError::refused("no session of this work tree is paused or abandoned")
            .hint(amid("one that is over is resumed by its id: ", Look::Sessions, " shows them"))),
        [only] => view.session(Some(only.id.as_str())),
        several => Err(AppError::refused(format!(
            "{} sessions of this work tree are paused or abandoned:{}",
            several.len(),
            candidates(view, several)
        ))
        .hint("name one of them by its id, or by enough of its beginning")),
    }
}
