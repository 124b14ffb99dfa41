//! The proof `check`: an expression over facts holds.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Finding, FindingStatus};
use crate::cel::Expression;
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// An expression over facts holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckProof {
    /// The expression.
    pub expression: String,
}

impl CheckProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        if let Ok(expression) = Expression::compile(&self.expression) {
            needs.dynamic.extend(expression.references());
        }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet = |status, why: String| {
            let (expression, gate) = (self.expression.clone(), input.gate.id.clone());
            Finding::new(status, why, NextStep::Meet { expression, gate })
        };
        let facts = Value::Object(input.facts.dynamic.clone());
        match Expression::compile(&self.expression).and_then(|check| check.holds(&facts)) {
            Ok(true) => Finding::met(format!("`{}` holds", self.expression)),
            Ok(false) => {
                let known = serde_json::to_string(&facts).unwrap_or_default();
                let why = format!("`{}` does not hold: {known}", self.expression);
                unmet(FindingStatus::Failed, crate::text::shortened(&why, 400))
            }
            Err(error) => unmet(
                FindingStatus::Unknown,
                format!("`{}`, column {}: {}", self.expression, error.column, error.message),
            ),
        }
    }
}
