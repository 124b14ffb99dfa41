//! The proof `verdict`: another agent looked at it and said so.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// Another agent's verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictProof {
    /// The agent.
    pub agent: String,
    /// What it has to say.
    pub decision: String,
}

impl VerdictProof {
    pub(super) fn next(&self) -> NextStep {
        let (agent, decision) = (self.agent.clone(), self.decision.clone());
        NextStep::AskAgent { agent, decision }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        match input.verdicts.get(&self.agent) {
            Some(said) if said.eq_ignore_ascii_case(&self.decision) => {
                Finding::met(format!("{} said `{said}`", self.agent))
            }
            Some(said) => Finding::new(
                FindingStatus::Failed,
                format!("{} said `{said}`", self.agent),
                self.next(),
            ),
            None => Finding::new(
                FindingStatus::Missing,
                format!("{} has given no verdict", self.agent),
                self.next(),
            ),
        }
    }
}
