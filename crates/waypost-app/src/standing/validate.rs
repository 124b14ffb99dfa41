//! Checking gates: looking, asking git, matching what was seen. Nothing is believed.

use serde::Serialize;
use waypost_core::gate::Level;
use waypost_core::next_step::Voice;
use waypost_core::standing::GateStanding;

use crate::error::AppError;
use crate::standing;
use crate::tracks::protocol::recover::recover;
use crate::tracks::protocol::{Looked, Protocol, Silence};
use crate::view::View;
use waypost_core::standing::GateStatus;

/// What stands for every gate.
pub const ALL: &str = "ALL";

/// A gate that was checked.
#[derive(Debug, Clone, Serialize)]
pub struct Validated {
    /// The gate.
    pub phase: String,
    /// How much it insists.
    pub requirement_level: Level,
    /// Whether it holds.
    pub status: GateStatus,
    /// What shows it, or what is missing.
    pub evidence: String,
    /// Whether it keeps work from going on while it does not hold.
    pub blocking: bool,
    /// What to do about it.
    pub message: String,
}

/// All gates that were asked for.
#[derive(Debug)]
pub struct ValidatedGates {
    /// Whether every must holds.
    pub status: GateStatus,
    /// The gates.
    pub gates: Vec<Validated>,
}

/// Checks a gate of the protocol or of the project, or with [`ALL`] every one. One that was missed
/// and holds now counts as recovered.
pub fn validate(
    view: &View<'_>,
    session: Option<&str>,
    name: &str,
) -> Result<ValidatedGates, AppError> {
    let stand = standing::of(view, session)?;
    let mut looked = Vec::new();
    if let Some(protocol) = &stand.protocol {
        looked = protocol.look(view, |_| true)?;
        let is_meant = |gate: &Looked| {
            name.eq_ignore_ascii_case(ALL)
                || stand.gate(name).is_ok_and(|meant| meant.gate == gate.gate)
        };
        let about: Vec<String> = protocol
            .definition
            .entries()
            .filter(|(_, entry)| Protocol::is_about_serena(entry))
            .map(|(_, entry)| entry.gate.clone())
            .collect();
        if looked.iter().any(|gate| about.contains(&gate.gate) && is_meant(gate)) {
            protocol.ask(view, &mut looked, Silence::Holds);
        }
        recover(view, protocol, &looked)?;
        looked.retain(|gate| about.contains(&gate.gate));
    }
    let mut found: Vec<Validated> = if name.eq_ignore_ascii_case(ALL) {
        stand.standing.gates.iter().map(|gate| Validated::of(gate, stand.voice)).collect()
    } else {
        vec![Validated::of(stand.gate(name)?, stand.voice)]
    };
    for gate in &mut found {
        if let Some(looked) = looked.iter().find(|looked| looked.gate == gate.phase) {
            gate.take(looked, stand.voice);
        }
    }
    let failed =
        |gate: &Validated| gate.status == GateStatus::Fail && gate.requirement_level == Level::Must;
    let status = if found.iter().any(failed) {
        GateStatus::Fail
    } else if !found.is_empty() && found.iter().all(|gate| gate.status == GateStatus::Skipped) {
        GateStatus::Skipped
    } else {
        GateStatus::Pass
    };
    Ok(ValidatedGates { status, gates: found })
}

impl Validated {
    /// What was found by asking, where that was asked.
    fn take(&mut self, looked: &Looked, voice: Voice) {
        if self.status == looked.status && self.evidence == looked.evidence() {
            return;
        }
        self.status = looked.status;
        self.evidence = looked.evidence();
        self.message = match looked.status {
            GateStatus::Pass => format!("{} holds", looked.gate),
            GateStatus::Skipped => format!("{} does not apply here", looked.gate),
            GateStatus::Fail => {
                format!("Next: {}", looked.next().words_for(voice, Some(&looked.gate)))
            }
        };
    }

    fn of(gate: &GateStanding, voice: Voice) -> Self {
        let status = if gate.skipped {
            GateStatus::Skipped
        } else if gate.is_open() {
            GateStatus::Fail
        } else {
            GateStatus::Pass
        };
        let message = match status {
            GateStatus::Pass => format!("{} holds", gate.gate),
            GateStatus::Skipped => format!("{} does not apply here", gate.gate),
            GateStatus::Fail => {
                let next = gate.next.words_for(voice, Some(&gate.gate));
                format!("{} Next: {next}", gate.message)
            }
        };
        Self {
            phase: gate.gate.clone(),
            requirement_level: gate.level,
            status,
            evidence: gate.why.clone(),
            blocking: gate.blocking,
            message,
        }
    }
}
