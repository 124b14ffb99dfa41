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

/// Reads `json`, if it is in canonical form.
pub fn read(json: &str) -> Option<serde_json::Value> {
    let value = serde_json::from_str(json).ok()?;
    let mut rest = Rest(json.as_bytes());
    serde_json_canonicalizer::to_writer(&value, &mut rest).ok()?;
    rest.0.is_empty().then_some(value)
}

/// Whether `json` is already in canonical form.
pub fn is_canonical(json: &str) -> bool {
    read(json).is_some()
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
