//! Workflows and protocols: beginning one, going from phase to phase, ending it.

mod phase;

use super::{Command, MAX_NOTE, MAX_PAUSE, Refusal, check, check_open, life::check_given};
use crate::event::{Known, Violation};
use crate::id::ConversationId;
use crate::session::{Lifecycle, SessionState};
use crate::track::{MAX_FORCED, Track};

pub use phase::{CompletePhase, TrackRefusal, check_start};

/// Entering the next phase.
#[derive(Debug, Clone)]
pub struct Advance {
    /// Whose protocol; none is the session's workflow.
    pub conversation: Option<ConversationId>,
    /// The phase to enter.
    pub to: String,
    /// What was missed before and holds now, and how it came to hold.
    pub recovered: Vec<(String, String)>,
    /// What does not hold and is passed all the same.
    pub forced: Vec<Violation>,
}

pub(super) fn decide(state: &SessionState, command: Command) -> Result<Vec<Known>, Refusal> {
    check_open(state)?;
    if state.lifecycle == Lifecycle::Paused {
        return Err(Refusal::Paused);
    }
    match command {
        Command::StartTrack(started, skipped) => {
            let running = state.track(started.conversation.as_ref()).is_some_and(Track::is_running);
            if running {
                return Err(Refusal::AlreadyActive);
            }
            phase::check_start(&started)?;
            let mut events = vec![Known::TrackStarted(Box::new(started))];
            events.extend(phase::skips(skipped));
            Ok(events)
        }
        Command::CompletePhase(complete) => phase::complete(running(state, None)?, *complete),
        Command::SkipPhase { phase, reason, extended, skipped } => {
            check("reason", &reason, MAX_PAUSE)?;
            let (track, extended) = (running(state, None)?, extended.map(|extended| *extended));
            Ok(phase::skip(track, phase, reason, extended, skipped)?)
        }
        Command::RetryPhase { phase, reset } => {
            Ok(phase::retry(running(state, None)?, phase, reset)?)
        }
        Command::RollBack { to, reason, reset } => {
            check("reason", &reason, MAX_PAUSE)?;
            Ok(phase::roll_back(running(state, None)?, to, reason, reset)?)
        }
        Command::Advance(advance) => enter(state, advance),
        Command::Miss { conversation, missed } => {
            let track = running(state, conversation.as_ref())?;
            let known = |gate: &str| track.missed.iter().any(|missed| missed.gate == gate);
            let new = missed.into_iter().filter(|violation| !known(&violation.gate));
            Ok(new.map(Known::ViolationRecorded).collect())
        }
        Command::Recover { conversation, recovered } => {
            let track = running(state, conversation.as_ref())?;
            Ok(recoveries(track, conversation.as_ref(), recovered))
        }
        Command::CompleteTrack { conversation, summary, next_notes } => {
            check_given("summary", summary.as_deref(), MAX_NOTE)?;
            check_given("notes for the next session", next_notes.as_deref(), MAX_NOTE)?;
            running(state, conversation.as_ref())?;
            Ok(vec![Known::TrackCompleted { conversation, summary, next_notes }])
        }
        _ => Ok(Vec::new()),
    }
}

fn running<'s>(
    state: &'s SessionState,
    conversation: Option<&ConversationId>,
) -> Result<&'s Track, Refusal> {
    let what = if conversation.is_some() { "protocol" } else { "workflow" };
    let track = state.track(conversation).filter(|track| track.is_running());
    track.ok_or(Refusal::NoTrack(what))
}

fn enter(state: &SessionState, advance: Advance) -> Result<Vec<Known>, Refusal> {
    let Advance { conversation, to, recovered, forced } = advance;
    let track = running(state, conversation.as_ref())?;
    let from = track.phase.clone();
    if track.next() != Some(to.as_str()) {
        return Err(Refusal::NotNext { from, to, next: track.next().map(str::to_owned) });
    }
    if !forced.is_empty() && track.forced >= MAX_FORCED {
        return Err(Refusal::ForcedTooOften);
    }
    let mut events = recoveries(track, conversation.as_ref(), recovered);
    events.extend(forced.into_iter().map(Known::ViolationRecorded));
    events.push(Known::PhaseEntered { conversation, from, to });
    Ok(events)
}

fn recoveries(
    track: &Track,
    conversation: Option<&ConversationId>,
    recovered: Vec<(String, String)>,
) -> Vec<Known> {
    let missed = |gate: &str| track.missed.iter().any(|missed| missed.gate == gate);
    let held = recovered.into_iter().filter(|(gate, _)| missed(gate));
    let conversation = conversation.cloned();
    held.map(|(gate, recovery)| Known::ViolationRecovered {
        conversation: conversation.clone(),
        gate,
        recovery,
    })
    .collect()
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod walks;
