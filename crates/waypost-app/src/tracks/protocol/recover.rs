//! What was missed in a protocol and holds now: the track goes back to where it was.

use waypost_core::command::Command;

use super::{Looked, Protocol};
use crate::error::AppError;
use crate::view::View;

/// What was missed and holds now is recovered: the track goes back to where it was.
pub fn recover(view: &View<'_>, protocol: &Protocol, looked: &[Looked]) -> Result<(), AppError> {
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
        gate.early_musts().next().is_none() && missed.iter().any(|one| one.gate == gate.gate)
    };
    looked.iter().filter(holds).map(|gate| (gate.gate.clone(), gate.evidence())).collect()
}
