//! The proof `fields`: typed fields were filled in, and each is valid.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Finding, FindingStatus};
use crate::cel::Expression;
use crate::evidence::{Sort, says_nothing};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// Typed fields were filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldsProof {
    /// The fields.
    pub fields: Vec<Field>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// Whether it may be left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// What has to hold of it: an expression over `value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

/// What sort of value a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// `true` or `false`; only `true` satisfies.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text that is not empty and does not say that nothing was done.
    String,
    /// A list that is not empty.
    List,
    /// An object.
    Object,
}

impl Field {
    /// What is wrong with a value, if anything is.
    pub fn objection(&self, value: &Value) -> Option<String> {
        let name = &self.name;
        let fits = match self.of {
            Type::Boolean => value.is_boolean(),
            Type::Integer => value.is_i64() || value.is_u64(),
            Type::Number => value.is_number(),
            Type::String => value.is_string(),
            Type::List => value.is_array(),
            Type::Object => value.is_object(),
        };
        if !fits {
            return Some(format!("`{name}` is not a value of the type {}", self.of.name()));
        }
        let empty = match value {
            Value::Bool(yes) => !yes && self.check.is_none(),
            Value::String(text) => says_nothing(text),
            Value::Array(items) => items.is_empty() && self.check.is_none(),
            _ => false,
        };
        if empty {
            return Some(format!("`{name}` says that nothing was done"));
        }
        let check = self.check.as_ref()?;
        match Expression::compile(check).and_then(|check| check.holds(&json!({"value": value}))) {
            Ok(true) => None,
            Ok(false) => Some(format!("`{name}`: `{check}` does not hold")),
            Err(error) => Some(format!("`{name}`: `{check}`: {error}")),
        }
    }
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::List => "list",
            Self::Object => "object",
        }
    }
}

impl FieldsProof {
    /// What is wrong with the fields, if anything is.
    pub fn objections(&self, given: &Map<String, Value>) -> Vec<String> {
        let judge = |field: &Field| match given.get(&field.name) {
            Some(value) => field.objection(value),
            None if field.optional => None,
            None => Some(format!("`{}` is missing", field.name)),
        };
        self.fields.iter().filter_map(judge).collect()
    }

    pub(super) fn next(&self, gate: &str) -> NextStep {
        let fields = self.fields.iter().map(|field| field.name.clone()).collect();
        NextStep::Record { gate: gate.to_owned(), fields }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let gate = &input.gate.id;
        let unmet = |status, why: String| Finding::new(status, why, self.next(gate));
        let all = input.evidence(Sort::Fields, |subject| subject == gate);
        let Some(latest) = all.first() else {
            return unmet(FindingStatus::Missing, "nothing has been recorded for it".to_owned());
        };
        let accepted = all.iter().find(|given| input.gate.accepts(given.evidence.provenance));
        let Some(given) = accepted else {
            let known = latest.evidence.provenance;
            let why = format!("what was recorded is only {known}, which this gate does not accept");
            return Finding::new(FindingStatus::Missing, why, NextStep::Approve(gate.clone()));
        };
        let objections = self.objections(&given.evidence.fields);
        if objections.is_empty() {
            return Finding::met(format!("it was recorded ({})", given.evidence.provenance));
        }
        unmet(FindingStatus::Failed, objections.join("; "))
    }
}
