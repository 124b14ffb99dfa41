//! The proof `called`: a tool was called and succeeded.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::evidence::Sort;
use crate::gate::input::GateInput;
use crate::glob;
use crate::next_step::{NextStep, tool_name};

/// A tool was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledProof {
    /// Which tools count, with `*` and `?`.
    pub tool: String,
}

impl CalledProof {
    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let all = input.evidence(Sort::Called, |subject| glob::matches(&self.tool, subject));
        match all.iter().find(|call| input.gate.accepts(call.evidence.provenance)) {
            Some(call) => Finding::met(format!("it was called ({})", call.evidence.provenance)),
            None => Finding::new(
                FindingStatus::Missing,
                format!("no call of `{}` has been seen", tool_name(&self.tool)),
                NextStep::Call(self.tool.clone()),
            ),
        }
    }
}
