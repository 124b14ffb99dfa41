//! Why a conversation cannot go on, and what would let it.

use serde::Serialize;
use waypost_core::next_step::Voice;
use waypost_core::standing::GateStanding;

use crate::error::AppError;
use crate::standing;
use crate::view::View;

/// A gate that holds a conversation back.
#[derive(Debug, Clone, Serialize)]
pub struct HoldingGate {
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
    pub blocked_phases: Vec<HoldingGate>,
    /// What to do, in order.
    pub suggested_actions: Vec<String>,
}

/// What holds whoever calls: up to the work while it has not begun, else up to the end of what was
/// begun.
pub fn reason(view: &View<'_>, session: Option<&str>) -> Result<Blocked, AppError> {
    let stand = standing::now(view, session)?;
    let held = stand.blocking();
    let current_phase = match &stand.protocol {
        Some(protocol) => protocol.phase().0.to_owned(),
        None => stand.session.state.phase().to_owned(),
    };
    Ok(Blocked {
        is_blocked: !held.is_empty(),
        current_phase,
        blocked_phases: held.iter().map(|gate| HoldingGate::by(gate, stand.voice)).collect(),
        suggested_actions: vec![stand.next()],
    })
}

impl HoldingGate {
    fn by(gate: &GateStanding, voice: Voice) -> Self {
        Self {
            phase: gate.gate.clone(),
            requirement_level: gate.level.to_string().to_uppercase(),
            reason: gate.why.clone(),
            evidence_needed: vec![gate.next.words_for(voice, Some(&gate.gate))],
        }
    }
}
