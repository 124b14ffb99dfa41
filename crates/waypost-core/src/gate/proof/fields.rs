//! The proof `fields`: typed fields were filled in, and each is valid.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Finding, FindingStatus};
use crate::cel::Expression;
use crate::evidence::{Sort, is_nothing, says_nothing};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// Typed fields were filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FieldsProof {
    /// The fields.
    pub fields: Vec<Field>,
    /// What has to hold between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<FieldsRule>,
    /// Whose word about the gate itself stands in for them.
    #[serde(default, skip_serializing_if = "Instead::is_default")]
    pub instead: Instead,
}

/// Something that has to hold between fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldsRule {
    /// An expression over `fields`.
    pub check: String,
    /// What is told where it does not hold.
    pub message: String,
    /// The names of the fields that it speaks of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// Whose word that a gate is satisfied stands in for its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Instead {
    /// That of anybody whom the gate believes.
    #[default]
    Anybody,
    /// That of a human.
    Human,
    /// Nobody's: the fields have to be given.
    Nobody,
}

impl Instead {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
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
    /// What it is about, for whoever fills it in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Whether any value of its type will do, `false` and an empty list too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_value: bool,
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
    /// A field that has to be filled in.
    pub fn new(name: impl Into<String>, of: Type) -> Self {
        let (optional, check, about, any_value) = (false, None, String::new(), false);
        Self { name: name.into(), of, optional, check, about, any_value }
    }

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
            Value::String(text) if self.any_value => text.trim().is_empty() || is_nothing(text),
            _ if self.any_value => false,
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

impl FieldsRule {
    /// What is wrong, if it does not hold.
    fn objection(&self, given: &Map<String, Value>) -> Option<String> {
        let Self { check, message, .. } = self;
        let rule = Expression::compile(check);
        match rule.and_then(|rule| rule.holds(&json!({"fields": given}))) {
            Ok(true) => None,
            Ok(false) => Some(message.clone()),
            Err(error) => Some(format!("{message} (`{check}`: {error})")),
        }
    }
}

impl FieldsProof {
    /// What is wrong with the fields, if anything is.
    pub fn objections(&self, given: &Map<String, Value>) -> Vec<String> {
        let judge = |field: &Field| match given.get(&field.name) {
            Some(value) => field.objection(value),
            None if field.optional => None,
            None if field.about.is_empty() => Some(format!("`{}` is missing", field.name)),
            None => Some(format!("`{}` is missing ({})", field.name, field.about)),
        };
        let of_fields = self.fields.iter().filter_map(judge);
        of_fields.chain(self.rules.iter().filter_map(|rule| rule.objection(given))).collect()
    }

    /// The names of everything that is looked at, what only a rule speaks of too.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.fields.iter().map(|field| field.name.clone()).collect();
        for name in self.rules.iter().flat_map(|rule| &rule.names) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Whether nothing has to be given at all: it knows fields, and none of them has to be there. Without any field,
    /// somebody has to say something.
    fn asks_for_nothing(&self) -> bool {
        !self.fields.is_empty()
            && self.fields.iter().all(|field| field.optional && field.any_value)
            && self.objections(&Map::new()).is_empty()
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
            if self.asks_for_nothing() {
                return Finding::met("nothing has to be given for it".to_owned());
            }
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
