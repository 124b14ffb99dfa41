//! The proof `called`: a tool was called and succeeded.

use serde::{Deserialize, Serialize};

use super::{Finding, Remedy, Status};
use crate::evidence::Sort;
use crate::gate::view::View;
use crate::glob;

/// A tool was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// Which tools count, with `*` and `?`.
    pub tool: String,
}

impl Called {
    /// The tool as people name it: a `*` within its name allows for what a client puts before it.
    pub(super) fn shown(&self) -> String {
        let within = self.tool.trim_end_matches('*');
        format!("{}{}", within.replace('*', ""), &self.tool[within.len()..])
    }

    pub(super) fn find(&self, view: &View<'_>) -> Finding {
        let all = view.evidence(Sort::Called, |subject| glob::matches(&self.tool, subject));
        match all.iter().find(|call| view.gate.accepts(call.evidence.provenance)) {
            Some(call) => Finding::met(format!("it was called ({})", call.evidence.provenance)),
            None => Finding::new(
                Status::Missing,
                format!("no call of `{}` has been seen", self.shown()),
                format!("call {}", self.shown()),
                Remedy::Call(self.tool.clone()),
            ),
        }
    }
}
