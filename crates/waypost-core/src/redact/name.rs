//! Names whose values are secret, by how they end: `DB_PASSWORD`, `client-secret`, `_authToken`.
//!
//! Case, `-` and `_` make no difference. A name that goes on (`token_count`, `PASSWORD_FILE`) is none.

use super::MARKER;
use super::scan::{is_blank, run_back};

/// The longest name that is looked at.
const LONGEST: usize = 64;

/// What kind of secret a name promises.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Class {
    /// Chosen by people, so it may be short and plain.
    Password,
    /// Several words of plain text.
    Passphrase,
    /// Made by machines.
    Key,
    /// `Authorization`, whose value begins with a scheme.
    Authorization,
    /// `Cookie`, whose value is pairs.
    Cookie,
    /// `auth`, whose value is a user and a password in base64.
    BasicAuth,
    /// What makes a URL work for whoever has it.
    Signature,
}

impl Class {
    /// Whether the value has a form of its own, by which it is known.
    pub(super) fn has_form(self) -> bool {
        !matches!(self, Self::Password | Self::Passphrase | Self::Key)
    }
}

/// What stands between a name and its separator.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Gap {
    Nothing,
    Blanks,
    /// A type, as in `password: str = …`.
    Type,
}

/// A secret's name in the text.
pub(super) struct Name {
    /// What the marker calls the value.
    pub(super) kind: &'static str,
    pub(super) class: Class,
    /// It has quotes around it, as in JSON.
    pub(super) quoted: bool,
    /// It is in capitals, as the environment's variables are.
    pub(super) capitals: bool,
    /// What stands between it and what follows.
    pub(super) gap: Gap,
}

/// How a name may end (without `-` and `_`), and whether a new word has to begin there.
const ENDINGS: &[(&str, &str, Class, bool)] = &[
    ("waypostsessionsecret", "waypost-key", Class::Key, false),
    ("secretaccesskey", "aws-secret-key", Class::Key, false),
    ("password", "password", Class::Password, false),
    ("passwd", "password", Class::Password, false),
    ("pwd", "password", Class::Password, true),
    ("pass", "password", Class::Password, true),
    ("pw", "password", Class::Password, true),
    ("bindpw", "password", Class::Password, false),
    ("sshpass", "password", Class::Password, false),
    ("rediscliauth", "password", Class::Password, false),
    ("passwort", "password", Class::Password, false),
    ("kennwort", "password", Class::Password, false),
    ("passphrase", "password", Class::Passphrase, false),
    ("secret", "secret", Class::Key, false),
    ("token", "token", Class::Key, false),
    ("apikey", "api-key", Class::Key, false),
    ("secretkey", "secret", Class::Key, false),
    ("secretkeybase", "secret", Class::Key, false),
    ("accesskey", "secret", Class::Key, false),
    ("privatekey", "secret", Class::Key, false),
    ("authkey", "secret", Class::Key, false),
    ("accountkey", "secret", Class::Key, false),
    ("encryptionkey", "secret", Class::Key, false),
    ("signingkey", "secret", Class::Key, false),
    ("masterkey", "secret", Class::Key, false),
    ("sharedkey", "secret", Class::Key, false),
    ("sessid", "cookie", Class::Key, false),
    ("jsessionid", "cookie", Class::Key, false),
    ("connect.sid", "cookie", Class::Key, false),
    ("authorization", "authorization", Class::Authorization, false),
    ("cookie", "cookie", Class::Cookie, false),
    ("auth", "authorization", Class::BasicAuth, true),
    ("sig", "url-signature", Class::Signature, true),
    ("amzsignature", "url-signature", Class::Signature, false),
    ("googsignature", "url-signature", Class::Signature, false),
];

/// Whether a byte can be part of a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The kind and class of `name`, if it is a secret's.
pub(super) fn secret(name: &[u8]) -> Option<(&'static str, Class)> {
    if !may_end_secret(name) {
        return None;
    }
    ENDINGS.iter().find_map(|(ending, kind, class, whole_word)| {
        let start = ending_start(name, ending)?;
        let fits = !whole_word || begins_word(name, start) && name != b"pass" && name != b"PWD";
        fits.then_some((*kind, *class))
    })
}

/// Most words end in other letters: asking this first keeps the common case cheap.
fn may_end_secret(name: &[u8]) -> bool {
    let [.., a, b, c] = *name else { return true };
    let last = [a, b, c].map(|byte| byte.to_ascii_lowercase());
    let divided = last.iter().any(|byte| matches!(byte, b'-' | b'_'));
    divided
        || last.ends_with(b"pw")
        || matches!(
            &last,
            b"ase"
                | b"ass"
                | b"ion"
                | b"ken"
                | b"key"
                | b"kie"
                | b"nid"
                | b"ord"
                | b"ort"
                | b"pwd"
                | b"ret"
                | b"sid"
                | b"sig"
                | b"swd"
                | b"ure"
                | b"uth"
        )
}

/// The secret's name that ends before `at`, with quotes, brackets and blanks allowed after it.
pub(super) fn before(bytes: &[u8], at: usize) -> Option<Name> {
    let mut end = run_back(bytes, at, 8, is_blank);
    let gap = if end < at { Gap::Blanks } else { Gap::Nothing };
    let mut quoted = false;
    if bytes[..end].ends_with(b"\"]") || bytes[..end].ends_with(b"']") {
        end -= 1;
    }
    if matches!(bytes[..end], [.., b'"' | b'\'']) {
        quoted = true;
        end = run_back(bytes, end - 1, 8, |b| b == b'\\');
    }
    if !may_end_secret(&bytes[..end]) {
        return None;
    }
    let start = run_back(bytes, end, LONGEST, is_name);
    let (kind, class) = secret(&bytes[start..end])?;
    let capitals =
        !bytes[start..end].iter().any(u8::is_ascii_lowercase) && !follows_marker(bytes, start);
    Some(Name { kind, class, quoted, capitals, gap })
}

/// The name before a type: `password: str = …`, `TOKEN: &'static str = …`.
pub(super) fn before_type(bytes: &[u8], at: usize) -> Option<Name> {
    let of_type = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'&' | b'\'' | b' ');
    if !matches!(bytes[..at], [.., b' ']) {
        return None;
    }
    let start = run_back(bytes, at, 32, of_type);
    if !matches!(bytes[..start], [.., b':']) || matches!(bytes[..start], [.., b':', b':']) {
        return None;
    }
    before(bytes, start - 1).map(|name| Name { gap: Gap::Type, ..name })
}

/// The flag `--name` or `-name` that ends before `at`.
pub(super) fn flag_before(bytes: &[u8], at: usize) -> Option<(&'static str, Class)> {
    if !may_end_secret(&bytes[..at]) {
        return None;
    }
    let start = run_back(bytes, at, LONGEST, is_name);
    let name = &bytes[start..at];
    let alone = bytes[..start].last().is_none_or(u8::is_ascii_whitespace);
    let is_flag =
        name.starts_with(b"--") && !follows_marker(bytes, start) || name.starts_with(b"-") && alone;
    if is_flag { secret(name) } else { None }
}

/// Whether the beginning of the name at `at` may have been redacted before.
fn follows_marker(bytes: &[u8], at: usize) -> bool {
    let [before @ .., b']'] = &bytes[..at] else { return false };
    let kind = run_back(before, before.len(), 32, |b| b != b'[' && b != b':');
    before[..kind].ends_with(MARKER.as_bytes())
}

/// Where `ending` begins in `name`, with case, `-` and `_` ignored.
fn ending_start(name: &[u8], ending: &str) -> Option<usize> {
    let mut rest = name;
    for wanted in ending.bytes().rev() {
        while let [before @ .., b'-' | b'_'] = rest {
            rest = before;
        }
        let (last, before) = rest.split_last()?;
        if last.to_ascii_lowercase() != wanted {
            return None;
        }
        rest = before;
    }
    Some(rest.len())
}

fn begins_word(name: &[u8], start: usize) -> bool {
    match name[..start] {
        [] => true,
        [.., last] => {
            !last.is_ascii_alphanumeric()
                || last.is_ascii_lowercase() && name[start].is_ascii_uppercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_passes_the_first_look() {
        for (ending, ..) in ENDINGS {
            assert!(may_end_secret(ending.as_bytes()), "{ending}");
            assert!(may_end_secret(format!("x{}", ending.to_uppercase()).as_bytes()), "{ending}");
        }
    }
}
