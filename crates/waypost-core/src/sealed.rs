//! Small signed documents: heads, snapshots, the conversation registry, pending tool calls.
//!
//! A sealed document is one line of canonical JSON and one line with its signature. The signature
//! also covers what the document is and whom it belongs to, so that none can stand for another.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::canonical;
use crate::key::{Key, Keyring, SignatureError};

/// Why a sealed document was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// It is not a sealed document at all, or cut short.
    #[error("it is cut short or is not a sealed document")]
    Malformed,
    /// The signature does not hold.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The content is signed, but is not what this version expects.
    #[error("its content does not have the expected form: {0}")]
    Content(#[from] serde_json::Error),
}

/// Seals `content` as the document `kind` that belongs to `owner`.
pub fn seal<T: Serialize>(
    key: &Key,
    kind: &str,
    owner: &str,
    content: &T,
) -> Result<String, canonical::CanonicalError> {
    let body = canonical::to_string(content)?;
    let signature = key.sign(kind, &[owner.as_bytes(), body.as_bytes()]);
    Ok(format!("{body}\n{signature}\n"))
}

/// Opens a document sealed by [`seal`] for the same kind and owner.
pub fn open<T: DeserializeOwned>(
    ring: &Keyring,
    kind: &str,
    owner: &str,
    document: &[u8],
) -> Result<T, SealError> {
    let text = std::str::from_utf8(document).map_err(|_| SealError::Malformed)?;
    let (body, signature) = text
        .strip_suffix('\n')
        .and_then(|text| text.split_once('\n'))
        .ok_or(SealError::Malformed)?;
    ring.verify(signature, kind, &[owner.as_bytes(), body.as_bytes()])?;
    Ok(serde_json::from_str(body)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_opens_only_as_what_it_is_and_for_whom_it_is() {
        let key = Key::from_bytes(vec![3; 32]);
        let ring = Keyring::new(key.clone());
        let document = seal(&key, "head", "session/a", &serde_json::json!({"n": 1})).unwrap();
        let opened: serde_json::Value =
            open(&ring, "head", "session/a", document.as_bytes()).unwrap();
        assert_eq!(opened["n"], 1);
        for (kind, owner) in [("head", "session/b"), ("snapshot", "session/a")] {
            assert!(open::<serde_json::Value>(&ring, kind, owner, document.as_bytes()).is_err());
        }
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let key = Key::from_bytes(vec![3; 32]);
        let ring = Keyring::new(key.clone());
        let document = seal(&key, "head", "x", &serde_json::json!({"n": 12})).unwrap();
        let bytes = document.as_bytes();
        for byte in 0..bytes.len() {
            assert!(open::<serde_json::Value>(&ring, "head", "x", &bytes[..byte]).is_err());
            for bit in 0..8 {
                let mut flipped = bytes.to_vec();
                flipped[byte] ^= 1 << bit;
                assert!(open::<serde_json::Value>(&ring, "head", "x", &flipped).is_err());
            }
        }
    }
}
