//! The fenced block at the end of a mirrored text: what the mirror holds, signed, with a digest of the text above it.
//!
//! What comes back from a mirror may be anything. It is looked at with bounds, and either is to the letter what was
//! signed or is named as what it is; nothing is mended or guessed.

use serde::{Deserialize, Serialize};

use super::Held;
use crate::canonical::{self, CanonicalError};
use crate::key::{Key, Keyring, SignatureError, sha256_hex};
use crate::sealed::{self, SealError};

const KIND: &str = "waypost-mirror";
const VERSION: u64 = 1;
const OPENS: &str = "```waypost";
const CLOSES: &str = "```";
/// A longer text is not looked at.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What is signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Content {
    v: u64,
    /// SHA-256 of the text above.
    text: String,
    sessions: Vec<Held>,
}

/// A text that was found whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The sessions that it holds.
    pub sessions: Vec<Held>,
}

/// Why nothing can be taken from a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// It is too long to be one of ours.
    #[error("it has more than {} MiB", MAX_BYTES / (1024 * 1024))]
    TooLong,
    /// There is no block in it: somebody else wrote it.
    #[error("it does not end with a block of Waypost's")]
    None,
    /// The block is not what was signed.
    #[error("its signed block was changed")]
    Changed,
    /// The text above the block is not what was signed.
    #[error("the text above its signed block was changed")]
    TextChanged,
    /// It was signed with a key that is not known here.
    #[error("it was signed with the key {0}, which is not known here")]
    UnknownKey(String),
    /// A newer Waypost wrote it.
    #[error("a newer Waypost wrote it (v{0}; this one reads v{VERSION})")]
    Newer(u64),
}

/// A text with its block. `place` is where it belongs: it is worth nothing anywhere else.
pub fn print(
    key: &Key,
    place: &str,
    text: &str,
    sessions: Vec<Held>,
) -> Result<String, CanonicalError> {
    let text = text.trim_end();
    let content = Content { v: VERSION, text: digest(text), sessions };
    let sealed = sealed::seal(key, KIND, place, &content)?;
    Ok(format!("{text}\n\n{OPENS}\n{sealed}{CLOSES}\n"))
}

/// What a text holds that came back from `place`.
pub fn open(ring: &Keyring, place: &str, text: &str) -> Result<Opened, BlockError> {
    let (above, sealed) = split(text)?;
    let value: serde_json::Value =
        sealed::open(ring, KIND, place, sealed.as_bytes()).map_err(|error| match error {
            SealError::Signature(SignatureError::UnknownKey(key)) => BlockError::UnknownKey(key),
            SealError::Signature(_) | SealError::Malformed | SealError::Content(_) => {
                BlockError::Changed
            }
        })?;
    match value.get("v").and_then(serde_json::Value::as_u64) {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => return Err(BlockError::Newer(newer)),
        Some(_) | None => return Err(BlockError::Changed),
    }
    let content: Content = serde_json::from_value(value).map_err(|_| BlockError::Changed)?;
    if content.text != digest(above) {
        return Err(BlockError::TextChanged);
    }
    Ok(Opened { sessions: content.sessions })
}

/// Whether there is a block at all, sound or not: then the text was ours once.
pub fn is_ours(text: &str) -> bool {
    text.len() <= MAX_BYTES && text.lines().any(|line| line.trim_end() == OPENS)
}

/// The text above the block, and what is in it.
fn split(text: &str) -> Result<(&str, String), BlockError> {
    if text.len() > MAX_BYTES {
        return Err(BlockError::TooLong);
    }
    // Only the last one counts: a text may quote another.
    let fence = format!("\n{OPENS}");
    let at = text.rfind(&fence).ok_or(BlockError::None)?;
    let mut lines = text[at + 1..].lines().map(str::trim_end);
    let opens = lines.next() == Some(OPENS);
    let (document, signature) = (lines.next(), lines.next());
    let closes = lines.next() == Some(CLOSES);
    if !opens || !closes || lines.any(|line| !line.is_empty()) {
        return Err(BlockError::Changed);
    }
    let (document, signature) = document.zip(signature).ok_or(BlockError::Changed)?;
    // JSON has one way only in which it is signed, so that not even the order of keys can be another.
    if !canonical::is_canonical(document) {
        return Err(BlockError::Changed);
    }
    Ok((&text[..at], format!("{document}\n{signature}\n")))
}

/// The digest of a text, whatever a tool does to its line ends and blank edges.
fn digest(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    sha256_hex(&[lines.join("\n").as_bytes()])
}

#[cfg(test)]
mod tests;
