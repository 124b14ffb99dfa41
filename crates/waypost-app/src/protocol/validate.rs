//! Checking gates: looking, asking git, matching what was seen. Nothing is believed.

use serde::Serialize;
use waypost_core::command::Command;
use waypost_core::gate::ruling::GateFinding;
use waypost_core::gate::{Level, Status};
use waypost_core::text::did_you_mean;

use super::{GateStatus, Looked, Protocol};
use crate::error::AppError;
use crate::gates;
use crate::view::View;

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
pub struct Outcome {
    /// Whether every must holds.
    pub status: GateStatus,
    /// The gates.
    pub gates: Vec<Validated>,
}

/// Checks a gate of the protocol or of the project, or with [`ALL`] every one. One that was missed
/// and holds now counts as recovered.
pub fn validate(view: &View<'_>, session: Option<&str>, name: &str) -> Result<Outcome, AppError> {
    let protocol = Protocol::of(view, session)?;
    let all = name.eq_ignore_ascii_case(ALL);
    let mut found = Vec::new();
    if let Some(protocol) = &protocol {
        let looked = protocol.look(view, |entry| all || entry.gate == name)?;
        recover(view, protocol, &looked)?;
        found.extend(looked.iter().map(of_protocol));
    }
    if all || found.is_empty() {
        let own = own(view, session, (!all).then_some(name));
        found.extend(own.map_err(|error| unknown(error, name, protocol.as_ref()))?);
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
    Ok(Outcome { status, gates: found })
}

/// What was missed and holds now is recovered: the track goes back to where it was.
pub(super) fn recover(
    view: &View<'_>,
    protocol: &Protocol,
    looked: &[Looked],
) -> Result<(), AppError> {
    let recovered = recovered(protocol, looked);
    if recovered.is_empty() {
        return Ok(());
    }
    let conversation = Some(protocol.conversation.clone());
    let command = Command::Recover { conversation, recovered };
    view.execute(&protocol.session.id, &view.actor(), command).map(drop)
}

/// The gates that were missed and hold now, and how each came to hold.
pub(super) fn recovered(protocol: &Protocol, looked: &[Looked]) -> Vec<(String, String)> {
    let running = protocol.track().filter(|track| track.is_running());
    let missed = running.map(|track| track.missed.as_slice()).unwrap_or_default();
    let holds = |gate: &&Looked| {
        gate.open_musts().next().is_none() && missed.iter().any(|one| one.gate == gate.gate)
    };
    looked.iter().filter(holds).map(|gate| (gate.gate.clone(), gate.evidence())).collect()
}

fn of_protocol(gate: &Looked) -> Validated {
    let next: Vec<&str> = gate.open().map(|step| step.next.as_str()).collect();
    let message = match gate.status {
        GateStatus::Pass => format!("{} holds", gate.gate),
        GateStatus::Skipped => format!("{} does not apply here", gate.gate),
        GateStatus::Fail => format!("{} does not hold. Next: {}", gate.gate, next.join("; ")),
    };
    Validated {
        phase: gate.gate.clone(),
        requirement_level: gate.level,
        status: gate.status,
        evidence: gate.evidence(),
        blocking: gate.blocking,
        message,
    }
}

/// The project's own gates. What the protocol adds to them is told by the protocol's.
fn own(
    view: &View<'_>,
    session: Option<&str>,
    name: Option<&str>,
) -> Result<Vec<Validated>, AppError> {
    let (_, findings) = gates::check(view, session, name)?;
    let own = findings.into_iter().filter(|found| name.is_some() || !found.gate.contains('/'));
    Ok(own.map(of_finding).collect())
}

fn of_finding(found: GateFinding) -> Validated {
    let met = found.status == Status::Met;
    Validated {
        requirement_level: found.level,
        status: if met { GateStatus::Pass } else { GateStatus::Fail },
        evidence: found.why,
        blocking: found.level == Level::Must,
        message: if met {
            format!("{} holds", found.gate)
        } else {
            format!("{} Next: {}", found.message, found.next)
        },
        phase: found.gate,
    }
}

fn unknown(error: AppError, name: &str, protocol: Option<&Protocol>) -> AppError {
    let Some(protocol) = protocol else { return error };
    let names: Vec<&str> =
        protocol.definition.entries().map(|(_, entry)| entry.gate.as_str()).collect();
    match did_you_mean(name, &names) {
        Some(meant) => AppError::refused(error.message).hint(format!("did you mean `{meant}`?")),
        None => error.hint(format!("the protocol's gates are {} and {ALL}", names.join(", "))),
    }
}
