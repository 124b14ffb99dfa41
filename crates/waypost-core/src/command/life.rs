//! The life of a session: beginning or importing it, pausing, resuming, ending it, putting it away, and the commits that belong to it.

use super::{MAX_NOTE, MAX_OBJECTIVE, MAX_PAUSE, Refusal, check};
use crate::event::{CommitAdded, Known, SessionEnded, SessionImported, SessionStarted};
use crate::session::{Lifecycle, SessionState};
use crate::time::Timestamp;

/// Refuses what needs a session that is not over.
pub fn check_open(state: &SessionState) -> Result<(), Refusal> {
    if state.lifecycle.is_over() { Err(Refusal::Over(state.lifecycle)) } else { Ok(()) }
}

pub(super) fn start(session: SessionStarted) -> Result<Vec<Known>, Refusal> {
    check_given("objective", session.objective.as_deref(), MAX_OBJECTIVE)?;
    Ok(vec![Known::SessionStarted(session)])
}

/// What was imported may be imported anew while nothing has happened since. The same once more changes nothing.
pub(super) fn import(
    state: &SessionState,
    imported: SessionImported,
) -> Result<Vec<Known>, Refusal> {
    if state.lifecycle != Lifecycle::Unstarted && !state.is_as_imported() {
        return Err(Refusal::AlreadyActive);
    }
    let known = imported.from.as_ref().is_some_and(|from| state.has_imported(&from.sha256));
    Ok(if known { Vec::new() } else { vec![Known::SessionImported(imported)] })
}

pub(super) fn pause(
    state: &SessionState,
    reason: String,
    context: Option<String>,
) -> Result<Vec<Known>, Refusal> {
    check("reason", &reason, MAX_PAUSE)?;
    check_given("context", context.as_deref(), MAX_PAUSE)?;
    check_open(state)?;
    if state.lifecycle == Lifecycle::Paused {
        return Err(Refusal::Paused);
    }
    Ok(vec![Known::SessionPaused { reason, context }])
}

pub(super) fn resume(
    state: &SessionState,
    now: Timestamp,
    attended: bool,
    commit: Option<String>,
) -> Result<Vec<Known>, Refusal> {
    let goes_on = state.lifecycle_at(now, attended) == Lifecycle::Active;
    // One that was going on in another program goes on here from now on.
    if goes_on && !state.is_as_imported() {
        return Err(Refusal::NotPaused);
    }
    Ok(vec![resumed(state, commit)])
}

/// That work goes on. Whoever knows where it began needs no other beginning.
pub(super) fn resumed(state: &SessionState, commit: Option<String>) -> Known {
    Known::SessionResumed { commit: commit.filter(|_| state.commit.is_none()) }
}

pub(super) fn end(state: &SessionState, ended: SessionEnded) -> Result<Vec<Known>, Refusal> {
    check_given("summary", ended.summary.as_deref(), MAX_NOTE)?;
    check_given("notes for the next session", ended.next_notes.as_deref(), MAX_NOTE)?;
    check_open(state)?;
    Ok(vec![Known::SessionEnded(ended)])
}

pub(super) fn add_commit(state: &SessionState, commit: CommitAdded) -> Result<Vec<Known>, Refusal> {
    check("message", &commit.message, MAX_NOTE)?;
    check_open(state)?;
    let plain = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    if !matches!(commit.sha.len(), 40 | 64) || !commit.sha.chars().all(plain) {
        return Err(Refusal::NotACommit(commit.sha));
    }
    // Hooks record commits too, so whoever says it again has done nothing wrong.
    if state.commits.contains(&commit.sha) && commit.checkpoint.is_none() {
        return Ok(Vec::new());
    }
    Ok(vec![Known::CommitAdded(commit)])
}

pub(super) fn archive(state: &SessionState, reason: String) -> Result<Vec<Known>, Refusal> {
    check("reason", &reason, MAX_PAUSE)?;
    if state.lifecycle == Lifecycle::Archived {
        return Err(Refusal::Over(state.lifecycle));
    }
    Ok(vec![Known::SessionArchived { reason }])
}

pub(super) fn check_given(
    what: &'static str,
    text: Option<&str>,
    max: usize,
) -> Result<(), Refusal> {
    text.map_or(Ok(()), |text| check(what, text, max))
}

#[cfg(test)]
mod tests;
