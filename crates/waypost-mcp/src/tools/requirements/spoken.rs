//! What tools answer that spoke about a gate.

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::enforce::gates::{self, Spoken};
use waypost_app::error::AppError;

use crate::call::Call;
use crate::wire::{Gate, is_met};

/// A gate after somebody spoke about it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session_id: String,
    /// Its last record now: what `expected_version` is compared with.
    version: u64,
    /// The gate.
    name: String,
    /// How well it is known. What an agent says is claimed.
    provenance: String,
    /// For which conversation it counts, where the gate's scope is one.
    conversation: Option<String>,
    /// Until when it counts, if not for good.
    until: Option<String>,
    /// Whether the gate holds now. Many accept only what was seen or approved by a human.
    pub(super) satisfied: bool,
    /// What the gate finds now.
    pub(super) gate: Option<Gate>,
}

impl Output {
    /// Looks at the gate again: saying something and its being enough are two things.
    pub(super) fn of(call: &Call<'_>, spoken: Spoken) -> Result<Self, AppError> {
        let id = spoken.session.to_string();
        let (_, found) = gates::check(&call.view, Some(&id), Some(&spoken.gate))?;
        let satisfied = !found.is_empty() && found.iter().all(is_met);
        Ok(Self {
            version: call.view.glance(&spoken.session)?.version,
            session_id: id,
            name: spoken.gate,
            provenance: spoken.provenance.to_string(),
            conversation: spoken.conversation.map(|id| id.to_string()),
            until: spoken.until.map(|time| time.to_string()),
            satisfied,
            gate: found.into_iter().next().map(Gate::from),
        })
    }
}
