//! Private keys in PEM, OpenSSH and PGP armour, also on one line with `\n` for line breaks.
//!
//! The whole block goes. Where its end is missing, the key's lines go. The mere mention of a block's
//! first line stays. Public keys and certificates are never touched.

use super::scan::{TO_THE_END, run};
use super::{Credential, MARKER};

/// As far as the end of a block is looked for: a key of 16,384 bits with line numbers before its lines.
const LONGEST: usize = 20_000;
/// A word that only a key's line is likely to be.
const LINE: usize = 32;
/// What may stand between two such lines, or between the first of them and the block's beginning.
const GAP: usize = 200;

/// The block that begins at `at`.
pub(super) fn block(bytes: &[u8], at: usize) -> Option<Credential> {
    let body = label_end(bytes, at, b"-----BEGIN ")?;
    let limit = body.saturating_add(LONGEST).min(bytes.len());
    let mut lines: Option<usize> = None;
    let mut reached = body;
    let mut next = body;
    while next < limit {
        if bytes[next] == b'-' {
            if let Some(end) = label_end(bytes, next, b"-----END ") {
                let is_key = lines.is_some() || next - body <= GAP;
                return is_key.then_some(found(at, end));
            }
            if bytes[next..].starts_with(b"-----BEGIN ") {
                break;
            }
        }
        if bytes[next] == b'[' && bytes[next..].starts_with(MARKER.as_bytes()) {
            break;
        }
        // In `\nMII…` the letter after the backslash is no part of the word.
        let word = if bytes[next] == b'\\' { next + 2 } else { next };
        let end = run(bytes, word.min(bytes.len()), TO_THE_END, is_base64);
        if end >= word + LINE && word <= reached + GAP {
            lines = Some(end);
            reached = end;
        }
        next = end.max(next + 1);
    }
    let end = last_line(bytes, lines.unwrap_or(body));
    (lines.is_some() || end > body + 8).then_some(found(at, end))
}

fn found(start: usize, end: usize) -> Credential {
    Credential { range: start..end, kind: "private-key" }
}

/// The end of a line such as `-----BEGIN RSA PRIVATE KEY-----` that begins at `at`.
fn label_end(bytes: &[u8], at: usize, opening: &[u8]) -> Option<usize> {
    if !bytes[at..].starts_with(opening) {
        return None;
    }
    let label = at + opening.len();
    let end = run(bytes, label, 64, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    let private = [&b"PRIVATE KEY"[..], b"PRIVATE KEY BLOCK"]
        .iter()
        .any(|words| bytes[label..end].ends_with(words));
    (private && bytes[end..].starts_with(b"-----")).then_some(end + 5)
}

/// Takes in a short line that follows a block's full ones, or its beginning.
fn last_line(bytes: &[u8], end: usize) -> usize {
    let start = match &bytes[end..] {
        [b'\r', b'\n', ..] | [b'\\', b'n', ..] => end + 2,
        [b'\n', ..] => end + 1,
        _ => return end,
    };
    let line = run(bytes, start, LINE, is_base64);
    let ends_there = matches!(bytes.get(line), None | Some(b'\r' | b'\n' | b'\\' | b'"' | b'\''));
    if line > start && ends_there { line } else { end }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
