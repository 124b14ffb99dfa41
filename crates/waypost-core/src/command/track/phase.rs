//! Phases of a workflow: completing one, trying again, going back.

use serde_json::{Map, Value};

use super::super::{Refusal, check, life::check_given};
use crate::event::{Known, PhaseChecked};
use crate::evidence::Provenance;
use crate::text::{one_line, shortened};
use crate::track::{Definition, MAX_PHASES, Track, TrackStarted};

/// The most that somebody can give as evidence for a phase, as JSON, in bytes.
const MAX_EVIDENCE: usize = 64 * 1024;
/// The longest name of a target, in bytes: the state holds it.
const MAX_TARGET: usize = 1024;

/// Completing the phase that the workflow is in, or failing to.
#[derive(Debug, Clone)]
pub struct CompletePhase {
    /// The phase.
    pub phase: String,
    /// What is given as evidence.
    pub evidence: Map<String, Value>,
    /// How well that is known.
    pub provenance: Provenance,
    /// What must hold and does not.
    pub errors: Vec<String>,
    /// What should hold and does not.
    pub warnings: Vec<String>,
    /// What would put it right.
    pub next_steps: Vec<String>,
    /// The definition with the phases that became known.
    pub extended: Option<Definition>,
    /// The phases after it that are left out, and why.
    pub skipped: Vec<(String, String)>,
}

/// Why a workflow cannot go where somebody wants it to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrackRefusal {
    /// It has no phases, too many, or two of one name.
    #[error("a workflow has 1 to {MAX_PHASES} phases, each with a name of its own")]
    Phases,
    /// The phase is not the one that it is in.
    #[error("the workflow is in phase {current}, not in {}", named(.phase))]
    NotCurrent {
        /// The phase that was meant.
        phase: String,
        /// The phase that it is in.
        current: String,
    },
    /// The phase did not fail.
    #[error("phase {0} has not failed: there is nothing to try again")]
    NotFailed(String),
    /// The phase is not one before the one that it is in.
    #[error("{} is no phase before {current}, in which the workflow is", named(.to))]
    NotEarlier {
        /// The phase that was meant.
        to: String,
        /// The phase that it is in.
        current: String,
    },
    /// What follows is not known yet.
    #[error("the phases after {0} are not known yet")]
    Unfolding(String),
    /// Other phases follow than those that were said to.
    #[error("the phases that were to follow {0} are not those of the workflow")]
    OtherPhases(String),
}

fn named(text: &str) -> String {
    shortened(&one_line(text), 80)
}

/// Refuses a track that could not be followed, whatever the session.
pub fn check_start(started: &TrackStarted) -> Result<(), Refusal> {
    check_given("target", started.target.as_deref(), MAX_TARGET)?;
    check_size("options", &started.options)?;
    let names = started.definition.names();
    let at_fits = started.at.as_ref().is_none_or(|at| names.contains(at));
    if !is_sound(&names) || !at_fits {
        return Err(TrackRefusal::Phases.into());
    }
    Ok(())
}

fn is_sound(names: &[String]) -> bool {
    let is_first =
        |(place, name): (usize, &String)| !name.trim().is_empty() && !names[..place].contains(name);
    (1..=MAX_PHASES).contains(&names.len()) && names.iter().enumerate().all(is_first)
}

fn check_size(what: &'static str, given: &Map<String, Value>) -> Result<(), Refusal> {
    let text = serde_json::to_string(given).unwrap_or_default();
    check(what, &text, MAX_EVIDENCE)
}

pub(super) fn skips(skipped: Vec<(String, String)>) -> impl Iterator<Item = Known> {
    skipped.into_iter().map(|(phase, reason)| Known::PhaseSkipped { phase, reason })
}

pub(super) fn complete(track: &Track, complete: CompletePhase) -> Result<Vec<Known>, Refusal> {
    let CompletePhase { phase, evidence, provenance, errors, warnings, next_steps, .. } = complete;
    if track.phase != phase {
        let current = track.phase.clone();
        return Err(TrackRefusal::NotCurrent { phase, current }.into());
    }
    check_size("evidence", &evidence)?;
    let passed = errors.is_empty();
    let checked = PhaseChecked {
        phase: phase.clone(),
        passed,
        evidence,
        provenance,
        errors,
        warnings,
        next_steps,
    };
    let mut events = vec![Known::PhaseChecked(Box::new(checked))];
    if passed {
        events.extend(go_on(track, phase, complete.extended, complete.skipped)?);
    }
    Ok(events)
}

/// What follows on a phase that is complete: the next one, or the end.
fn go_on(
    track: &Track,
    from: String,
    extended: Option<Definition>,
    skipped: Vec<(String, String)>,
) -> Result<Vec<Known>, TrackRefusal> {
    let mut events = Vec::new();
    let unknown = track.unfolding && extended.is_none();
    let names = match extended {
        Some(definition) => {
            let names = definition.names();
            if !is_sound(&names) || !names.starts_with(&track.phases) {
                return Err(TrackRefusal::OtherPhases(from));
            }
            events.push(Known::TrackExtended(Box::new(definition)));
            names
        }
        None => track.phases.clone(),
    };
    let mut follow = names.into_iter().skip_while(|name| *name != from).skip(1);
    if skipped.iter().any(|(name, _)| follow.next().as_ref() != Some(name)) {
        return Err(TrackRefusal::OtherPhases(from));
    }
    events.extend(skips(skipped));
    events.push(match follow.next() {
        Some(to) => Known::PhaseEntered { conversation: None, from, to },
        None if unknown => return Err(TrackRefusal::Unfolding(from)),
        None => Known::TrackCompleted { conversation: None, summary: None, next_notes: None },
    });
    Ok(events)
}

/// Leaves the phase that it is in out.
pub(super) fn skip(
    track: &Track,
    phase: String,
    reason: String,
    extended: Option<Definition>,
    skipped: Vec<(String, String)>,
) -> Result<Vec<Known>, TrackRefusal> {
    let current = track.phase.clone();
    if current != phase {
        return Err(TrackRefusal::NotCurrent { phase, current });
    }
    let mut events = vec![Known::PhaseSkipped { phase: phase.clone(), reason }];
    events.extend(go_on(track, phase, extended, skipped)?);
    Ok(events)
}

pub(super) fn retry(
    track: &Track,
    phase: String,
    reset: Option<Vec<String>>,
) -> Result<Vec<Known>, TrackRefusal> {
    let current = track.phase.clone();
    if current != phase {
        return Err(TrackRefusal::NotCurrent { phase, current });
    }
    if !track.failed {
        return Err(TrackRefusal::NotFailed(phase));
    }
    let reset_evidence = reset.is_some();
    let mut events = vec![Known::PhaseRetried { phase, reset_evidence }];
    events.extend(cleared(reset.unwrap_or_default()));
    Ok(events)
}

pub(super) fn roll_back(
    track: &Track,
    to: String,
    reason: String,
    reset: Vec<String>,
) -> Result<Vec<Known>, TrackRefusal> {
    let from = track.phase.clone();
    if !track.is_behind(&to) {
        return Err(TrackRefusal::NotEarlier { to, current: from });
    }
    let mut events = vec![Known::RolledBack { from, to, reason }];
    events.extend(cleared(reset));
    Ok(events)
}

/// What satisfied these gates counts no more.
fn cleared(gates: Vec<String>) -> impl Iterator<Item = Known> {
    gates.into_iter().map(|gate| Known::GateCleared { gate, conversation: None })
}
