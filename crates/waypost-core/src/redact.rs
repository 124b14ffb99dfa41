//! Takes credentials out of text before it is kept or shown: each becomes `[redacted:KIND]`.
//!
//! One pass from left to right. A rule starts at a byte that can begin or announce a credential,
//! looks a bounded way back, and either takes what it read or gives up after a bounded number of
//! bytes; so the time is linear in the text. A marker is never read into, and a value with a marker
//! in it is left alone, so that redacting twice changes nothing more.
//!
//! What is found:
//!
//! - what has a form of its own: tokens with a vendor's prefix and length (`prefix`), JWTs,
//!   Waypost's key lines, PEM private keys (`pem`), passwords in URLs (`url`);
//! - what is named: the value after a name that ends in `password`, `secret`, `token`, `api_key` and
//!   the like, whatever its prefix, case and separators (`name`, `assign`).
//!
//! How sure a named value has to look depends on what stands between name and value (`value`):
//!
//! - **firm**: `name=value`, `name = "value"`, `"name": "value"`, `--name value`. Taken unless it is
//!   a placeholder, a reference, a call, a path or a word such as `none`.
//! - **loose**: `name: value`, `name = value`. It may be prose or code, so it has to have 8 characters
//!   (6 after a password's name) and mix letters with digits or symbols. `password: none yet` stays.
//!
//! Never found: what has neither form nor name. Hashes, UUIDs, signatures and plain base64 stay.

use std::borrow::Cow;
use std::ops::Range;

mod assign;
mod name;
mod pem;
mod prefix;
mod scan;
mod url;
mod value;

#[cfg(test)]
mod tests;

/// How every marker begins.
const MARKER: &str = "[redacted:";

/// A credential: where it is, and what the marker calls it.
struct Found {
    range: Range<usize>,
    kind: &'static str,
}

/// `text` with everything that looks like a credential replaced by `[redacted:KIND]`.
pub fn redact(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut redacted = String::new();
    let mut kept = 0;
    let mut at = 0;
    while at < bytes.len() {
        scan::count(1);
        if let Some(end) = marker_end(bytes, at) {
            at = end;
            continue;
        }
        let Some(Found { range, kind }) = find_at(text, at) else {
            at += 1;
            continue;
        };
        redacted.push_str(text.get(kept..range.start).unwrap_or_default());
        redacted.push_str(MARKER);
        redacted.push_str(kind);
        redacted.push(']');
        kept = range.end;
        at = range.end;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    redacted.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(redacted)
}

/// The credential that the byte at `at` begins or announces.
fn find_at(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    match bytes[at] {
        b'=' => assign::after_equals(text, at),
        b':' => url::after_colon(text, at).or_else(|| assign::after_colon(text, at)),
        b' ' | b'\t' => assign::after_flag(text, at),
        b'-' => pem::block(bytes, at),
        byte if byte.is_ascii_alphabetic() && scan::starts_fresh(bytes, at) => {
            prefix::token(bytes, at).or_else(|| assign::bearer(text, at))
        }
        _ => None,
    }
}

/// Where the marker that begins at `at` ends.
fn marker_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes[at] != b'[' || !bytes[at..].starts_with(MARKER.as_bytes()) {
        return None;
    }
    let kind = at + MARKER.len();
    let end =
        scan::run(bytes, kind, 32, |b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    (end > kind && bytes.get(end) == Some(&b']')).then_some(end + 1)
}
