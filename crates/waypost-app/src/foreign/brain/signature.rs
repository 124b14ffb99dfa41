//! Brain's own signature of a state: an HMAC of the state as JavaScript writes it when it is given the names at the top
//! level as the only ones to write, everywhere. Nested values whose names are not among them are not signed.

use serde_json::{Map, Number, Value, json};
use waypost_core::canonical;
use waypost_core::key::verify_hmac_hex;

use super::{STATE, kept};
use crate::foreign::session::Brought;

const SIGNATURE: &str = "_signature";
const PROTO: &str = "__proto__";
/// Values are nested no deeper than this in what is signed.
const MAX_DEPTH: usize = 64;
/// What is said of a signature that was not checked.
const UNCHECKED: &str = "it is signed, and that was not checked: the secret is not known here (set BRAIN_SESSION_SECRET \
                         and import it again)";
const COVERS: &str = "its signature is right; it covers only the values at the top level, and further down only those \
                      whose names stand at the top level too: other changes do not show";

/// What a signature is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// There is none.
    Absent,
    /// It is right.
    Valid,
    /// It is not.
    Invalid,
}

/// Checks the signature of a state.
pub fn verify(state: &Map<String, Value>, secret: &str) -> Signature {
    let Some(signature) = signature_of(state) else { return Signature::Absent };
    let mut unsigned = state.clone();
    unsigned.remove(SIGNATURE);
    let names: Vec<String> = unsigned.keys().cloned().collect();
    let kept = only(&Value::Object(unsigned), &names, 0);
    // A whole number that no record can hold was read as its text.
    for value in [as_numbers(&kept), kept] {
        let serialized = canonical::of_value(&value).unwrap_or_default();
        if verify_hmac_hex(secret.as_bytes(), serialized.as_bytes(), signature) {
            return Signature::Valid;
        }
    }
    Signature::Invalid
}

/// Brain takes a signature that says nothing for none.
fn signature_of(state: &Map<String, Value>) -> Option<&str> {
    match state.get(SIGNATURE)? {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        told => Some(told.as_str().unwrap_or_default()),
    }
}

/// The same with texts that are whole numbers beyond those that a record can hold as the numbers that JavaScript makes
/// of them.
fn as_numbers(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), as_numbers(value))).collect()
        }
        Value::Array(items) => items.iter().map(as_numbers).collect(),
        Value::String(text) if is_beyond(text) => {
            text.parse::<f64>().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
        }
        other => other.clone(),
    }
}

fn is_beyond(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() >= 16 && digits.len() <= 400 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether any text in it could not be read as it was: half of a pair of characters.
fn is_mended(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name.contains('\u{fffd}') || is_mended(value))
        }
        Value::Array(items) => items.iter().any(is_mended),
        Value::String(text) => text.contains('\u{fffd}'),
        _ => false,
    }
}

/// A value with those fields alone that have one of these names, at every depth, as JavaScript takes them.
fn only(value: &Value, names: &[String], depth: usize) -> Value {
    match value {
        Value::Object(fields) if depth < MAX_DEPTH => {
            let kept = fields.iter().filter(|(name, _)| names.contains(name));
            let mut kept: Map<String, Value> =
                kept.map(|(name, value)| (name.clone(), only(value, names, depth + 1))).collect();
            // Every object has this one, if not of its own.
            if names.iter().any(|name| name == PROTO) {
                kept.entry(PROTO).or_insert_with(|| json!({(PROTO): null}));
            }
            Value::Object(kept)
        }
        Value::Array(items) if depth < MAX_DEPTH => {
            items.iter().map(|item| only(item, names, depth + 1)).collect()
        }
        other => other.clone(),
    }
}

/// Says of a state what its signature is worth, with the secret that is known here.
pub fn check(brought: &mut Brought, secret: Option<&str>) {
    if brought.format != STATE {
        return;
    }
    let Some(state) = brought.original.values().find_map(kept::state_of) else { return };
    let told = match (signature_of(&state), secret) {
        (None, _) => "it is not signed",
        (Some(_), None) => UNCHECKED,
        (Some(_), Some(secret)) => match verify(&state, secret) {
            Signature::Valid => COVERS,
            Signature::Absent => "it is not signed",
            Signature::Invalid if is_mended(&Value::Object(state)) => {
                "it is signed, and holds characters that are not whole: its signature cannot be checked"
            }
            Signature::Invalid => {
                "its signature is wrong: it was changed after it was signed, or another secret signed it"
            }
        },
    };
    brought.remarks.push(told.to_owned());
}
