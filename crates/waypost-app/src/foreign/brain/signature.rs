//! Brain's own signature of a state: an HMAC of the state as JavaScript writes it when it is given the names at the top
//! level as the only ones to write, everywhere. Nested values whose names are not among them are not signed.

use serde_json::{Map, Value};
use waypost_core::canonical;
use waypost_core::key::verify_hmac_hex;

use super::STATE;
use crate::foreign::session::Brought;

const SIGNATURE: &str = "_signature";
/// Values are nested no deeper than this in what is signed.
const MAX_DEPTH: usize = 64;
/// What is said of a signature that was not checked.
const UNCHECKED: &str = "it is signed, and its secret is not known here: that was not checked";
const COVERS: &str = "its signature is right; it covers only the names and values at the top level, so that changes \
                      further down do not show";

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
    let Some(signature) = state.get(SIGNATURE) else { return Signature::Absent };
    let mut unsigned = state.clone();
    unsigned.remove(SIGNATURE);
    let names: Vec<String> = unsigned.keys().cloned().collect();
    let kept = only(&Value::Object(unsigned), &names, 0);
    let serialized = canonical::of_value(&kept).unwrap_or_default();
    let signature = signature.as_str().unwrap_or_default();
    if verify_hmac_hex(secret.as_bytes(), serialized.as_bytes(), signature) {
        Signature::Valid
    } else {
        Signature::Invalid
    }
}

/// A value with those fields alone that have one of these names, at every depth.
fn only(value: &Value, names: &[String], depth: usize) -> Value {
    match value {
        Value::Object(fields) if depth < MAX_DEPTH => {
            let kept = fields.iter().filter(|(name, _)| names.contains(name));
            kept.map(|(name, value)| (name.clone(), only(value, names, depth + 1))).collect()
        }
        Value::Array(items) if depth < MAX_DEPTH => {
            items.iter().map(|item| only(item, names, depth + 1)).collect()
        }
        other => other.clone(),
    }
}

/// Says of a state what its signature is worth, with the secret that is known here.
pub fn check(brought: &mut Brought, secret: Option<&str>) {
    let states = brought.original.values().filter_map(Value::as_object);
    let Some(state) = states.into_iter().next().filter(|_| brought.format == STATE) else { return };
    let told = match (state.contains_key(SIGNATURE), secret) {
        (false, _) => "it is not signed",
        (true, None) => UNCHECKED,
        (true, Some(secret)) => match verify(state, secret) {
            Signature::Valid => COVERS,
            Signature::Absent => "it is not signed",
            Signature::Invalid => {
                "its signature is wrong: it was changed after it was signed, or another secret signed it"
            }
        },
    };
    brought.remarks.push(told.to_owned());
}
