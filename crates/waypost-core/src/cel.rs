//! Expressions over facts, in the Common Expression Language: `branch.size < 400`.
//!
//! A thin shell around the crate `cel`, which parses and evaluates. What it adds is bounds: a source
//! is short and shallow before the parser sees it, and an evaluation is only begun once the facts'
//! sizes show that it ends soon. There are no regular expressions, no clock and no functions but
//! those of `scan::FUNCTIONS`; nothing here panics, whatever the source or the facts are.

mod cost;
mod names;
mod scan;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_any;
mod words;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use ::cel::objects::{Key, Map};
use ::cel::parser::PrattParser;
use ::cel::{Context, Env, IdedExpr, Value};
use serde_json::Value as Json;

use crate::text;
use names::Names;
use scan::Source;

/// The longest source, in bytes.
pub const MAX_BYTES: usize = 2048;
/// Facts that nest deeper are refused: taking them over recurses.
const MAX_FACT_DEPTH: usize = 64;
/// So many facts are looked at for the one that a misspelt name was meant to be.
const MAX_SUGGESTIONS: usize = 500;

/// The functions and operators of the language: built once, never changed, the same for all.
static LANGUAGE: LazyLock<Arc<Env>> =
    LazyLock::new(|| Arc::new(Env::default().with_optional_support(false).with_stdlib()));

/// Why an expression cannot be compiled, or whether it holds cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct CelError {
    /// Where, in characters from the beginning of the source, counted from 1; 1 where unknown.
    pub column: usize,
    /// The cause, on one line.
    pub message: String,
}

impl CelError {
    fn new(column: usize, message: impl Into<String>) -> Self {
        Self { column, message: message.into() }
    }
}

/// An expression that was found to be well-formed. Two of the same source are equal.
#[derive(Debug, Clone)]
pub struct Expression {
    source: String,
    tree: IdedExpr,
    names: Names,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Expression {}

impl Expression {
    /// Parses a source; costs microseconds, and has no need of facts.
    pub fn compile(source: &str) -> Result<Self, CelError> {
        let scanned = Source::scan(source)?;
        let parser = PrattParser::new().error_recovery_limit(1).error_reporting_limit(1);
        let tree = parser.parse(source).map_err(|errors| words::of_parser(&scanned, &errors))?;
        let names = Names::of(&scanned, &tree)?;
        Ok(Self { source: source.to_owned(), tree, names })
    }

    /// The text that it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The dotted names of the facts that it refers to, as far as they are spelt out:
    /// `labels["x"].y` refers to `labels`. Those that it asks for with `has` are among them.
    pub fn references(&self) -> BTreeSet<String> {
        self.names.all().map(str::to_owned).collect()
    }

    /// Whether it is true of these facts, an object of objects. Every fact that it names must be
    /// there, even where the outcome does not depend on it, unless it asks for it with `has`.
    pub fn holds(&self, facts: &Json) -> Result<bool, CelError> {
        self.check_facts(facts)?;
        let roots = self.names.roots();
        cost::check(&self.tree, facts, roots.iter().copied())
            .map_err(|message| CelError::new(1, message))?;
        let mut context = Context::with_env(Arc::clone(&LANGUAGE));
        for root in roots {
            if let Some(fact) = facts.get(root) {
                context.add_variable_from_value(root, value_of(fact));
            }
        }
        match Value::resolve(&self.tree, &context) {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(CelError::new(1, words::not_a_bool(&other))),
            Err(error) => Err(words::of_evaluation(&self.source, &error)),
        }
    }

    fn check_facts(&self, facts: &Json) -> Result<(), CelError> {
        for name in self.names.required() {
            if fact(facts, name).is_none() {
                return Err(self.no_such_fact(name, facts));
            }
        }
        for root in self.names.roots() {
            if facts.get(root).is_some_and(|fact| is_deeper(fact, MAX_FACT_DEPTH)) {
                let message =
                    format!("the fact `{root}` nests deeper than {MAX_FACT_DEPTH} levels");
                return Err(CelError::new(1, message));
            }
        }
        Ok(())
    }

    fn no_such_fact(&self, name: &str, facts: &Json) -> CelError {
        let mut known = Vec::new();
        add_dotted_names(facts, "", &mut known);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let hint = text::did_you_mean(name, &known)
            .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        let column = scan::column_of_name(&self.source, name);
        CelError::new(column, format!("there is no fact `{name}`{hint}"))
    }
}

/// The fact of a dotted name.
fn fact<'a>(facts: &'a Json, name: &str) -> Option<&'a Json> {
    name.split('.').try_fold(facts, |fact, field| fact.as_object()?.get(field))
}

fn is_deeper(fact: &Json, levels: usize) -> bool {
    match fact {
        Json::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        Json::Object(fields) => {
            levels == 0 || fields.values().any(|field| is_deeper(field, levels - 1))
        }
        _ => false,
    }
}

fn add_dotted_names(facts: &Json, prefix: &str, names: &mut Vec<String>) {
    for (key, fact) in facts.as_object().into_iter().flatten() {
        if names.len() == MAX_SUGGESTIONS || key.len() > 64 || prefix.len() > 256 {
            continue;
        }
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        names.push(name.clone());
        add_dotted_names(fact, &name, names);
    }
}

fn value_of(fact: &Json) -> Value {
    match fact {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => number
            .as_i64()
            .map(Value::Int)
            .or_else(|| number.as_u64().map(Value::UInt))
            .or_else(|| number.as_f64().map(Value::Float))
            .unwrap_or(Value::Null),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::from(items.iter().map(value_of).collect::<Vec<_>>()),
        Json::Object(fields) => {
            let fields: HashMap<Key, Value> = fields
                .iter()
                .map(|(key, fact)| (Key::from(key.as_str()), value_of(fact)))
                .collect();
            Value::Map(Map { map: Arc::new(fields) })
        }
    }
}
