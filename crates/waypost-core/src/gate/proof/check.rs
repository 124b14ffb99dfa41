//! The proof `check`: an expression over facts holds.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Finding, FindingStatus};
use crate::cel::Expression;
use crate::gate::Gate;
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;
use crate::text::shortened;
use crate::usage::Usage;

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
        let next = || self.next(input.gate);
        let facts = Value::Object(input.facts.dynamic.clone());
        let compiled = Expression::compile(&self.expression);
        let references = compiled.as_ref().map(Expression::references).unwrap_or_default();
        match compiled.and_then(|check| check.holds(&facts)) {
            Ok(true) if self.says_it(input.gate).is_some() => Finding::met("it holds"),
            Ok(true) => Finding::met(format!("`{}` holds", self.expression)),
            Ok(false) => {
                let seen: Vec<String> =
                    references.iter().filter_map(|name| seen(&facts, name)).collect();
                let seen = seen.join(", ");
                let why = match self.says_it(input.gate) {
                    Some(_) if !seen.is_empty() => seen,
                    Some(_) => "it does not hold yet".to_owned(),
                    None => format!("`{}` does not hold: {seen}", self.expression),
                };
                Finding::new(FindingStatus::Failed, shortened(&why, 400), next())
            }
            Err(error) => {
                let what = self.unknown(&facts, &references).unwrap_or_else(|| {
                    format!("`{}`, column {}: {}", self.expression, error.column, error.message)
                });
                Finding::new(FindingStatus::Unknown, what, next())
            }
        }
    }

    /// Whether it is a budget that came near its end since what was used was `before`: see [`Usage::nears`].
    pub fn nears(&self, usage: &Usage, before: &Usage) -> bool {
        Expression::compile(&self.expression).is_ok_and(|budget| usage.nears(&budget, before))
    }

    /// How much of it is used, in hundredths, if it is a budget: see [`Usage::share`].
    pub fn share(&self, usage: &Usage) -> Option<u64> {
        usage.share(&Expression::compile(&self.expression).ok()?)
    }

    /// The fact that keeps it from being told, because it is not known itself.
    fn unknown(&self, facts: &Value, references: &BTreeSet<String>) -> Option<String> {
        let is_unknown = |name: &&String| fact(facts, name).is_some_and(Value::is_null);
        let name = references.iter().find(is_unknown)?;
        let why = if name == "usage.cost_usd" {
            ": no price is known of the models that were used; `[prices]` in waypost.toml takes them"
        } else {
            ""
        };
        Some(format!("`{}`: {name} is not known{why}", self.expression))
    }

    /// The step that would have it hold: in the words of the gate's author, where there are any.
    pub(super) fn next(&self, gate: &Gate) -> NextStep {
        let wanted = match self.says_it(gate) {
            _ if gate.imported => self.smaller(),
            // Whoever is told the step is told the message, too.
            Some(message) if message.contains('\n') => "do what it says".to_owned(),
            Some(message) => message.to_owned(),
            None => format!("have `{}` hold", self.expression),
        };
        NextStep::Meet { wanted, gate: gate.id.clone() }
    }

    /// The step for another tool's rule, whose text says what is wrong and not what to do.
    fn smaller(&self) -> String {
        match self.expression.rsplit_once("branch.size < ") {
            Some((_, lines)) => format!(
                "move part of the change to another branch until this one differs by fewer than {lines} lines"
            ),
            None => "do what it says".to_owned(),
        }
    }

    /// What the gate's author says instead of the expression.
    fn says_it<'g>(&self, gate: &'g Gate) -> Option<&'g str> {
        let message = gate.message.trim().trim_end_matches('.');
        (!message.is_empty() && !message.contains(&self.expression)).then_some(message)
    }
}

/// A fact and what was found of it: `branch.size is 512`.
fn seen(facts: &Value, name: &str) -> Option<String> {
    let value = fact(facts, name)?;
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some(format!("{name} is {value}"))
}

/// The fact of a dotted name.
fn fact<'f>(facts: &'f Value, name: &str) -> Option<&'f Value> {
    name.split('.').try_fold(facts, |value, part| value.get(part))
}
