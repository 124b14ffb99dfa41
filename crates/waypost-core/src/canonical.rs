//! Canonical JSON (RFC 8785): the one form in which anything that is hashed or signed is written.

use serde::Serialize;

/// A value could not be written as canonical JSON (a float that is not a number, for instance).
#[derive(Debug, thiserror::Error)]
#[error("cannot be written as canonical JSON: {0}")]
pub struct CanonicalError(#[from] serde_json::Error);

/// Writes `value` as canonical JSON.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, CanonicalError> {
    Ok(serde_json_canonicalizer::to_string(value)?)
}

/// Whether `json` is already in canonical form.
pub fn is_canonical(json: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(json)
        .is_ok_and(|value| to_string(&value).is_ok_and(|canonical| canonical == json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_nothing_is_padded() {
        let value = serde_json::json!({"b": [1, 2], "a": {"z": "\u{e9}\n", "y": null}});
        assert_eq!(to_string(&value).unwrap(), "{\"a\":{\"y\":null,\"z\":\"é\\n\"},\"b\":[1,2]}");
    }

    #[test]
    fn other_spellings_of_the_same_value_are_not_canonical() {
        assert!(is_canonical(r#"{"a":1,"b":"é"}"#));
        for other in [
            r#"{"b":"é","a":1}"#,
            r#"{"a":1, "b":"é"}"#,
            r#"{"a":1.0,"b":"é"}"#,
            r#"{"a":1,"a":1,"b":"é"}"#,
            r#"{"a":1,"b":"\u00e9"}"#,
        ] {
            assert!(!is_canonical(other), "{other}");
        }
    }
}
