//! What changes in the rows of agents and decisions.

use super::super::rows::{AgentRow, DecisionRow};
use crate::event::{AgentUsage, InvocationStatus};
use crate::record::Record;

impl AgentRow {
    /// It is done.
    pub(super) fn finish(&mut self, record: &Record, status: InvocationStatus) {
        status.name().clone_into(&mut self.status);
        self.ended_at.get_or_insert(record.time);
    }

    /// What its work took, as far as that is known.
    pub(super) fn usage(&self) -> AgentUsage {
        AgentUsage {
            tokens: self.tokens,
            duration_ms: self.duration_ms,
            tool_calls: self.tool_calls,
        }
    }

    pub(super) fn use_up(&mut self, usage: AgentUsage) {
        self.tokens = usage.tokens;
        self.duration_ms = usage.duration_ms;
        self.tool_calls = usage.tool_calls;
    }
}

impl DecisionRow {
    /// Somebody agrees or does not. Whoever thought again is on one side only.
    pub(super) fn review(&mut self, by: &str, approved: bool) {
        let (to, from) = if approved {
            (&mut self.approved_by, &mut self.rejected_by)
        } else {
            (&mut self.rejected_by, &mut self.approved_by)
        };
        let rest: Vec<&str> = from.lines().filter(|other| *other != by).collect();
        *from = rest.join("\n");
        if !to.lines().any(|other| other == by) {
            let separator = if to.is_empty() { "" } else { "\n" };
            *to = format!("{to}{separator}{by}");
        }
    }
}
