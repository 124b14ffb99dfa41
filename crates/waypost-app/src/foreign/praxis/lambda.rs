//! Python lambdas of validators as expressions: comparisons, `and`, `or`, `not`, `len` and the like, where the
//! expression holds exactly where the lambda is true. Never guesses: anything else is refused by its name.

mod parse;
mod part;
mod tokens;

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use waypost_core::gate::proof::fields::Type;

use parse::Parser;

/// A longer lambda is refused.
const MAX_BYTES: usize = 1000;

/// What the names in a lambda stand for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meaning<'a> {
    /// Its first name is the value of a field of this type; the others are parameters.
    Field(Type, &'a Map<String, Value>),
    /// Its one name is all of the evidence, of fields with these types.
    Evidence(&'a [(String, Type)]),
}

/// A lambda as an expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Translated {
    /// The expression, over `value` or over `fields`.
    pub(super) expression: String,
    /// The fields that it names.
    pub(super) names: BTreeSet<String>,
}

/// Whether a text is a lambda.
pub(super) fn is_lambda(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix("lambda");
    rest.is_some_and(|rest| rest.starts_with([' ', ':', '\t', '\n', '\r']))
}

/// The expression that holds exactly where a lambda is true; an error says what stands in the way.
pub(super) fn translated(text: &str, meaning: Meaning<'_>) -> Result<Translated, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    let tokens = tokens::of(text)?;
    let (expression, names) = Parser::new(tokens, meaning).lambda()?;
    Ok(Translated { expression, names })
}

#[cfg(test)]
mod tests;
