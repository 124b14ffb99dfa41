//! The protocol that every conversation goes through: beginning, gates, phases, evidence, the end.

pub(super) mod advance_phase;
mod checklist;
pub(super) mod get_blocked_reason;
pub(super) mod record_evidence;
pub(super) mod session_end;
pub(super) mod session_start;
pub(super) mod validate_gate;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use waypost_app::tracks::protocol::GateStatus;
use waypost_core::gate::Level;

use crate::words;

/// How much a gate insists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum RequirementLevel {
    Must,
    Should,
    May,
}

impl From<Level> for RequirementLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Must => Self::Must,
            Level::Should => Self::Should,
            Level::May => Self::May,
        }
    }
}

/// Whether a gate holds, as a schema.
fn gate_status(_: &mut SchemaGenerator) -> Schema {
    words::one_of(&[GateStatus::Pass, GateStatus::Fail, GateStatus::Skipped])
}
