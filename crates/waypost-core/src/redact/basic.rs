//! `user:password` in base64, as the Basic scheme, Docker's settings and npm's have it.

use super::scan::run;
use super::{Credential, MARKER};

/// The longest that is looked at.
const LONGEST: usize = 512;

/// The base64 at `start`, if a pair in plain text comes out of it. Words that happen to be base64 do
/// not decode to text with a colon.
pub(super) fn pair(bytes: &[u8], start: usize) -> Option<Credential> {
    let end = run(bytes, start, LONGEST, |b| sextet(b).is_some());
    let padded = run(bytes, end, 2, |b| b == b'=');
    let marked = bytes[padded..].starts_with(MARKER.as_bytes());
    (end - start >= 4 && !marked && holds_pair(&bytes[start..end]))
        .then_some(Credential { range: start..padded, kind: "authorization" })
}

fn holds_pair(encoded: &[u8]) -> bool {
    let (mut bits, mut held) = (0u32, 0);
    let mut has_colon = false;
    for value in encoded.iter().filter_map(|byte| sextet(*byte)) {
        bits = (bits << 6 | u32::from(value)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            let byte = bits >> held & 0xff;
            if !(0x20..0x7f).contains(&byte) {
                return false;
            }
            has_colon |= byte == u32::from(b':');
        }
    }
    has_colon
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
