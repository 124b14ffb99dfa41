//! Why a conversation cannot go on, and what would let it.

use serde::Serialize;
use waypost_core::track::builtin::WORKING;
use waypost_core::track::{Definition, Entry};

use super::{Looked, Protocol};
use crate::error::AppError;
use crate::view::View;

/// A gate that holds a conversation back.
#[derive(Debug, Clone, Serialize)]
pub struct Held {
    /// The gate.
    pub phase: String,
    /// MUST, SHOULD or MAY.
    pub requirement_level: String,
    /// What is missing.
    pub reason: String,
    /// What would show that it is done.
    pub evidence_needed: Vec<String>,
}

/// Why a conversation cannot go on.
#[derive(Debug, Clone, Serialize)]
pub struct Blocked {
    /// Whether anything holds it.
    pub is_blocked: bool,
    /// The phase that it is in.
    pub current_phase: String,
    /// What holds it, in order.
    pub blocked_phases: Vec<Held>,
    /// What to do, in order.
    pub suggested_actions: Vec<String>,
}

/// What holds whoever calls: up to the work while it has not begun, else up to the end of what was
/// begun.
pub fn reason(view: &View<'_>, session: Option<&str>) -> Result<Blocked, AppError> {
    let Some(protocol) = Protocol::of(view, session)? else {
        let suggested_actions = vec!["no protocol holds this session: go on".to_owned()];
        let (current_phase, blocked_phases) = (String::new(), Vec::new());
        return Ok(Blocked { is_blocked: false, current_phase, blocked_phases, suggested_actions });
    };
    let (phase, _) = protocol.standing();
    let ahead = ahead(&protocol.definition, phase);
    let missed = protocol.track().map(|track| track.missed.as_slice()).unwrap_or_default();
    let wanted = |entry: &Entry| {
        ahead.contains(&entry.gate.as_str()) || missed.iter().any(|one| one.gate == entry.gate)
    };
    let looked = protocol.look(view, wanted)?;
    let held: Vec<&Looked> = looked.iter().filter(|gate| gate.holds_back()).collect();
    let blocked_phases: Vec<Held> = held.iter().map(|gate| held_by(gate)).collect();
    let mut suggested_actions: Vec<String> = held
        .iter()
        .flat_map(|gate| gate.open_musts().map(|step| format!("{}: {}", gate.gate, step.next)))
        .collect();
    if suggested_actions.is_empty() {
        suggested_actions.push(match protocol.definition.after(phase) {
            _ if protocol.track().is_none() => "call session_start with the objective".to_owned(),
            Some(_) if phase == WORKING => "do the work; session_end when it is done".to_owned(),
            Some(next) => format!("advance_phase: {} can be entered", next.name),
            None => "session_end".to_owned(),
        });
    }
    Ok(Blocked {
        is_blocked: !blocked_phases.is_empty(),
        current_phase: phase.to_owned(),
        blocked_phases,
        suggested_actions,
    })
}

/// The blocking gates between a phase and the next rest: the work, or the end. While the work goes
/// on nothing blocks.
fn ahead<'d>(definition: &'d Definition, phase: &str) -> Vec<&'d str> {
    let place = definition.phases.iter().position(|known| known.name == phase);
    let after = definition.phases.iter().skip(place.map_or(0, |place| place + 1));
    let mut ahead = Vec::new();
    for next in after {
        if phase == WORKING {
            break;
        }
        if let Some(entry) = next.entry.as_ref().filter(|entry| entry.blocking) {
            ahead.push(entry.gate.as_str());
        }
        if next.name == WORKING {
            break;
        }
    }
    ahead
}

fn held_by(gate: &Looked) -> Held {
    Held {
        phase: gate.gate.clone(),
        requirement_level: gate.level.to_string().to_uppercase(),
        reason: gate.evidence(),
        evidence_needed: gate.open_musts().map(|step| step.next.clone()).collect(),
    }
}
