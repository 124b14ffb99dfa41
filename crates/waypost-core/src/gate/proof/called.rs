//! The proof `called`: a tool was called and succeeded.

use serde::{Deserialize, Serialize};

use super::{Finding, Status};
use crate::evidence::Sort;
use crate::gate::input::GateInput;
use crate::glob;
use crate::standing::NextStep;

/// A tool was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// Which tools count, with `*` and `?`.
    pub tool: String,
}

/// The tool as people name it, without the `*` for what a client puts before a server's name.
pub(crate) fn shown(tool: &str) -> String {
    match tool.strip_prefix("mcp__*") {
        Some(rest) if !rest.is_empty() => format!("mcp__{rest}"),
        _ => tool.to_owned(),
    }
}

impl Called {
    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let all = input.evidence(Sort::Called, |subject| glob::matches(&self.tool, subject));
        match all.iter().find(|call| input.gate.accepts(call.evidence.provenance)) {
            Some(call) => Finding::met(format!("it was called ({})", call.evidence.provenance)),
            None => Finding::new(
                Status::Missing,
                format!("no call of `{}` has been seen", shown(&self.tool)),
                NextStep::Call(self.tool.clone()),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_tool_is_named_by_its_pattern_without_what_a_client_adds() {
        for (pattern, shown) in [
            ("mcp__*serena__activate_project", "mcp__serena__activate_project"),
            ("mcp__*serena__*memor*", "mcp__serena__*memor*"),
            ("mcp__x__y*", "mcp__x__y*"),
            ("mcp__*", "mcp__*"),
            ("*_note", "*_note"),
        ] {
            assert_eq!(super::shown(pattern), shown);
        }
    }
}
