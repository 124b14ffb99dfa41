//! Takes credentials out of text before it is kept or shown: each becomes `[redacted:KIND]`.
//!
//! Passes from left to right, until one finds nothing more. A rule starts at a byte that can begin or announce a credential,
//! looks a bounded way back, and either takes what it read or gives up after a bounded number of
//! bytes; so the time is linear in the text. A marker is never read into, and a value with a marker
//! in it is left alone, so that redacting twice changes nothing more. Characters that nobody sees are
//! passed over, so that they hide nothing (`hidden`).
//!
//! What is found:
//!
//! - what has a form of its own: tokens with a vendor's prefix and length (`form`, `prefix`), JWTs,
//!   Waypost's key lines, PEM private keys (`pem`), passwords in URLs (`url`);
//! - what is named: the value after a name that ends in `password`, `secret`, `token`, `api_key` and
//!   the like, whatever its prefix, case and separators (`name`, `assign`); cookies (`cookie`);
//! - what a known program takes: `curl -u me:secret`, `mysql -psecret` (`command`);
//! - what a sentence or a `.netrc` tells: `the password is hunter2!` (`prose`).
//!
//! How sure a named value has to look depends on what stands between name and value (`value`):
//!
//! - **certain**: nothing else can stand there, as after `sshpass -p`. Taken however short it is.
//! - **firm**: `name=value`, `name = "value"`, `"name": "value"`, `--name value`. Taken unless it is
//!   a placeholder, a reference, a call, a path or a word such as `none`.
//! - **loose**: `name: value`, `name = value`. It may be prose or code, so it has to have 8 characters
//!   (6 after a password's name) and mix letters with digits or symbols. `password: none yet` stays.
//!
//! Never found: what has neither form nor name. Hashes, UUIDs, signatures and plain base64 stay.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

mod assign;
mod basic;
mod command;
mod cookie;
mod form;
mod hidden;
mod name;
mod pem;
mod prefix;
mod prose;
mod scan;
mod url;
mod value;

#[cfg(test)]
mod tests;

/// How every marker begins.
pub(crate) const MARKER: &str = "[redacted:";

/// A credential: where it is, and what the marker calls it.
struct Credential {
    range: Range<usize>,
    kind: &'static str,
}

/// How often a text is gone over at the most. What is glued to a credential may be one by itself, which
/// shows only when that one is gone; chains of them are not met with.
const MAX_PASSES: usize = 8;

/// `text` with everything that looks like a credential replaced by `[redacted:KIND]`.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut redacted = pass(text);
    for _ in 1..MAX_PASSES {
        let Cow::Owned(before) = &redacted else { break };
        let Cow::Owned(after) = pass(before) else { break };
        redacted = Cow::Owned(after);
    }
    redacted
}

/// Goes over a text once.
fn pass(text: &str) -> Cow<'_, str> {
    let bare = hidden::without(text);
    let found = match &bare {
        None => Scan::default().of(text),
        Some(bare) => Scan { bare: Some(bare), ..Scan::default() }.of(&bare.text),
    };
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut redacted = String::new();
    let mut kept = 0;
    for Credential { range, kind } in found {
        let range = bare.as_ref().map_or(range.clone(), |bare| bare.origin(range));
        redacted.push_str(text.get(kept..range.start).unwrap_or_default());
        redacted.push_str(MARKER);
        redacted.push_str(kind);
        redacted.push(']');
        kept = range.end;
    }
    redacted.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(redacted)
}

/// The same for the value of a field, whose name may tell that it is a credential.
pub fn redact_named<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    match assign::field(name, value) {
        Some(kind) => Cow::Owned(format!("{MARKER}{kind}]")),
        None => redact(value),
    }
}

/// One pass over a text, and what it has to remember on the way.
#[derive(Default)]
struct Scan<'a> {
    /// What was taken out of the text before, if anything was.
    bare: Option<&'a hidden::Bare>,
    /// The command that the line is in.
    line: command::Line,
    /// What was announced further ahead, in order: what stands before it is read as well.
    due: VecDeque<Credential>,
}

impl Scan<'_> {
    /// Everything in `text` that looks like a credential.
    fn of(mut self, text: &str) -> Vec<Credential> {
        let bytes = text.as_bytes();
        let mut all: Vec<Credential> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            scan::count(1);
            if let Some(end) = marker_end(bytes, at) {
                at = end;
                continue;
            }
            let Some(found) = self.due_at(at).or_else(|| self.find_at(text, at)) else {
                at += 1;
                continue;
            };
            at = found.range.end;
            all.push(found);
        }
        all
    }

    /// The credential that the byte at `at` begins or announces.
    fn find_at(&mut self, text: &str, at: usize) -> Option<Credential> {
        let bytes = text.as_bytes();
        if let Some(found) = self.line.in_pair(text, at) {
            return Some(found);
        }
        match bytes[at] {
            b'=' => assign::after_equals(text, at),
            b':' => url::after_colon(text, at)
                .or_else(|| prefix::after_colon(bytes, at))
                .or_else(|| assign::after_colon(text, at)),
            b' ' | b'\t' => assign::after_flag(text, at).or_else(|| {
                self.announce(prose::after_name(text, at));
                None
            }),
            b'\n' => {
                self.line.read_break(bytes, at);
                self.announce(prose::after_name(text, at));
                None
            }
            b'-' => {
                let ahead = self.line.after_flag(text, at);
                self.announce(ahead);
                pem::block(bytes, at)
            }
            b'.' => prefix::around_dot(bytes, at),
            byte if byte.is_ascii_alphanumeric() && self.begins_word(bytes, at) => {
                self.line.read_word(bytes, at);
                prefix::token(bytes, at, |end| self.has_seam(end))
                    .or_else(|| assign::scheme(text, at))
            }
            _ => None,
        }
    }

    /// Keeps what begins further ahead until it is reached.
    fn announce(&mut self, found: Option<Credential>) {
        let Some(found) = found else { return };
        let place = self.due.partition_point(|due| due.range.start < found.range.start);
        self.due.insert(place, found);
    }

    /// What was announced to begin at `at`. What another rule took a part of is forgotten.
    fn due_at(&mut self, at: usize) -> Option<Credential> {
        while self.due.front().is_some_and(|due| due.range.start < at) {
            self.due.pop_front();
        }
        if self.due.front().is_some_and(|due| due.range.start == at) {
            self.due.pop_front()
        } else {
            None
        }
    }

    /// Whether a word begins at `at`; what was hidden before it may have kept it apart.
    fn begins_word(&self, bytes: &[u8], at: usize) -> bool {
        scan::starts_fresh(bytes, at) || self.has_seam(at)
    }

    /// Whether something hidden stood right before `at`.
    fn has_seam(&self, at: usize) -> bool {
        self.bare.is_some_and(|bare| bare.has_seam(at))
    }
}

/// Where the marker that begins at `at` ends.
fn marker_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'[') || !bytes[at..].starts_with(MARKER.as_bytes()) {
        return None;
    }
    let kind = at + MARKER.len();
    let end =
        scan::run(bytes, kind, 32, |b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    (end > kind && bytes.get(end) == Some(&b']')).then_some(end + 1)
}
