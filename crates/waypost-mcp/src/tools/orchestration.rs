//! Agents that work for each other: invocations, decisions, verdicts, handoffs.

pub(super) mod agent_complete;
pub(super) mod agent_invoke;
pub(super) mod decision_record;
pub(super) mod handoff_accept;
pub(super) mod handoff_create;
pub(super) mod history_compact;
pub(super) mod mode_set;
pub(super) mod verdict_record;
