//! Cookies: `Cookie: a=b; c=d`, `Set-Cookie: …` and what `curl -b` is given. Any of them may be a
//! session's, so all of them go.

use super::scan::{TO_THE_END, run};
use super::{Credential, value};

/// The cookies that begin at `start`, if at least one does.
pub(super) fn pairs(bytes: &[u8], start: usize) -> Option<Credential> {
    let first = run(bytes, start, 64, is_name);
    if first == start || bytes.get(first) != Some(&b'=') {
        return None;
    }
    let judged = run(bytes, first + 1, 64, is_value);
    let word = std::str::from_utf8(&bytes[first + 1..judged]).unwrap_or("é");
    if word.is_empty() || value::is_placeholder(word) {
        return None;
    }
    let mut end = run(bytes, judged, TO_THE_END, is_value);
    // Attributes such as `HttpOnly` have no value; a blank may stand before each.
    while bytes.get(end) == Some(&b';') {
        let next = run(bytes, end + 1, 4, |b| b == b' ');
        let name = run(bytes, next, 64, is_name);
        if name == next {
            break;
        }
        end = run(bytes, name, TO_THE_END, |b| is_value(b) || b == b'=');
    }
    Some(Credential { range: start..end, kind: "cookie" })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&*+-.^_|~".contains(&byte)
}

fn is_value(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b';' | b'"' | b'\'' | b'\\' | b'`' | b',')
}
