//! Canonical JSON (RFC 8785): the one form in which anything that is hashed or signed is written.

mod plain;

use serde::Serialize;
use serde_json::Value;

/// A value could not be written as canonical JSON (a map whose keys are no text, for instance).
#[derive(Debug, thiserror::Error)]
#[error("cannot be written as canonical JSON: {0}")]
pub struct CanonicalError(#[from] serde_json::Error);

/// Writes `value` as canonical JSON.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, CanonicalError> {
    of_value(&serde_json::to_value(value)?)
}

/// Writes `value` as canonical JSON.
pub fn of_value(value: &Value) -> Result<String, CanonicalError> {
    // Its keys are sorted already; where nothing else is unusual, that is all there is to it.
    let text = serde_json::to_string(value)?;
    if plain::is_plain(&text) {
        return Ok(text);
    }
    Ok(serde_json_canonicalizer::to_string(value)?)
}

/// Whether `json` is in canonical form.
pub fn is_canonical(json: &str) -> bool {
    plain::is_plain(json) || is_rewritten_the_same(json)
}

fn is_rewritten_the_same(json: &str) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(json) else { return false };
    let mut rest = Rest(json.as_bytes());
    serde_json_canonicalizer::to_writer(&value, &mut rest).is_ok() && rest.0.is_empty()
}

/// What is still expected: takes only the bytes that stand there.
struct Rest<'a>(&'a [u8]);

impl std::io::Write for Rest<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or(std::io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
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
