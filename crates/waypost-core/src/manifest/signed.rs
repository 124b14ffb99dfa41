//! The manifest's text: indented for people, and signed with every byte covered.

use super::Manifest;
use crate::canonical::CanonicalError;
use crate::id::SessionId;
use crate::key::{Key, Keyring, SignatureError};

const PURPOSE: &str = "waypost-manifest";
const BETWEEN: &str = ",\n  \"_signature\": \"";
const END: &str = "\"\n}\n";

/// Why a manifest was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// It does not end in a signature as Waypost writes it.
    #[error("it was changed: it does not end as Waypost writes it")]
    Malformed,
    /// The signature does not hold.
    #[error("it was changed: {0}")]
    Signature(#[from] SignatureError),
}

/// How much is indented, in bytes. What another program nested deeply would be many times as long.
const MAX_INDENTED: usize = 8 * 1024 * 1024;

/// The manifest's text, signed.
pub fn seal(manifest: &Manifest, key: &Key) -> Result<String, CanonicalError> {
    let text = match indented(manifest) {
        Some(text) => text,
        None => serde_json::to_string(manifest)?,
    };
    let front = text.strip_suffix('}').unwrap_or(&text).trim_end();
    let id = manifest.session_id.as_str();
    let signature = key.sign(PURPOSE, &[id.as_bytes(), front.as_bytes()]);
    Ok(format!("{front}{BETWEEN}{signature}{END}"))
}

/// The manifest's text, indented; none where that is too long.
fn indented(manifest: &Manifest) -> Option<String> {
    let mut page = Page(Vec::new());
    serde_json::to_writer_pretty(&mut page, manifest).ok()?;
    String::from_utf8(page.0).ok()
}

/// Bytes that are written until there are too many.
struct Page(Vec<u8>);

impl std::io::Write for Page {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_INDENTED {
            return Err(std::io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The text of the session's manifest up to its signature, which is checked.
pub fn open<'a>(ring: &Keyring, id: &SessionId, text: &'a [u8]) -> Result<&'a str, ManifestError> {
    let (front, signature) = split(text)?;
    ring.verify(signature, PURPOSE, &[id.as_str().as_bytes(), front.as_bytes()])?;
    Ok(front)
}

/// The same, but a signature with a key that is not in the keyring is let pass. Only for those who
/// compare all of it with records that they know.
pub fn open_unverified<'a>(
    ring: &Keyring,
    id: &SessionId,
    text: &'a [u8],
) -> Result<&'a str, ManifestError> {
    match open(ring, id, text) {
        Err(ManifestError::Signature(SignatureError::UnknownKey(_))) => Ok(split(text)?.0),
        opened => opened,
    }
}

fn split(text: &[u8]) -> Result<(&str, &str), ManifestError> {
    let text = std::str::from_utf8(text).map_err(|_| ManifestError::Malformed)?;
    text.strip_suffix(END)
        .and_then(|text| text.rsplit_once(BETWEEN))
        .ok_or(ManifestError::Malformed)
}

/// Whether a manifest is Waypost's own, sound or not.
pub fn is_ours(manifest: &serde_json::Value) -> bool {
    manifest.get("waypost").is_some() || manifest.get("_signature").is_some()
}
