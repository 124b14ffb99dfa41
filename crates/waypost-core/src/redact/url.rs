//! The password in `scheme://user:password@host`. User and host stay.

use super::scan::{run, run_back};
use super::{Credential, MARKER, value};

/// The longest user or password that is looked at.
const LONGEST: usize = 256;

/// The password after the colon at `at`.
pub(super) fn after_colon(text: &str, at: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let user = run_back(bytes, at, LONGEST, |b| is_userinfo(b) && !matches!(b, b':' | b'[' | b']'));
    if !bytes[..user].ends_with(b"://") {
        return None;
    }
    let start = at + 1;
    let authority = run(bytes, start, LONGEST, is_userinfo);
    // A password may hold an `@` that should have been escaped: the last one counts.
    let length = bytes[start..authority].iter().rposition(|b| *b == b'@')?;
    let password = text.get(start..start + length)?;
    let stays = password.is_empty() || password.contains(MARKER) || value::is_placeholder(password);
    (!stays).then_some(Credential { range: start..start + length, kind: "url-password" })
}

fn is_userinfo(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
        && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
}
