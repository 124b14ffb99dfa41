//! Credentials in sentences and in files of words: `the password is hunter2!`, a line of `.netrc`.
//!
//! Most sentences about passwords give none, so that a value has to look like one: quotes around it, or
//! letters mixed with digits or symbols.

use super::name::{self, Class, Gap, Name};
use super::scan::{is_blank, run, run_back};
use super::value::{self, Extent, Sureness, Value};
use super::{Credential, marker_end};

/// As far as the verb is looked for: `the password for the new server is …`.
const TO_THE_VERB: usize = 40;

/// The value that a sentence gives to the name which ends before the blank at `at`.
pub(super) fn after_name(text: &str, at: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let name = name::before(bytes, at)
        .filter(|name| name.gap == Gap::Nothing)
        .or_else(|| key_in_words(bytes, at))?;
    let next = run(bytes, at, 8, |b| b.is_ascii_whitespace());
    if name.class.has_form() {
        return None;
    }
    let in_file = if name.class == Class::Password { in_netrc(text, at, next) } else { None };
    if in_file.is_some() {
        return in_file;
    }
    if name.kind == "aws-secret-key" {
        let value = value::at(text, next, Extent::Item)?;
        return taken(text, &value, &name, Sureness::Loose);
    }
    let start = after_verb(bytes, at)?;
    let value = value::at(text, start, Extent::Word)?;
    if value.quoted {
        let one_word = !value.judged.contains(' ') || name.class == Class::Passphrase;
        let sureness = if name.class == Class::Key { Sureness::Loose } else { Sureness::Firm };
        return one_word.then(|| taken(text, &value, &name, sureness))?;
    }
    let value = value.within_sentence();
    let by_machine = name.class != Class::Key || value.judged.len() >= 12;
    let fits = by_machine && !is_technical(value.judged);
    if fits { taken(text, &value, &name, Sureness::Loose) } else { None }
}

fn taken(text: &str, value: &Value<'_>, name: &Name, sureness: Sureness) -> Option<Credential> {
    let is_secret = value.is_secret(text, name.class, sureness);
    let range = || value.start..value.full_end(text, Extent::Word);
    is_secret.then(|| Credential { range: range(), kind: name.kind })
}

/// `API key`, `access key` and their like, in two words, that end before `at`.
fn key_in_words(bytes: &[u8], at: usize) -> Option<Name> {
    let [before @ .., b' ', b'k' | b'K', b'e', b'y'] = &bytes[..at] else { return None };
    let word = &before[run_back(before, before.len(), 12, |b| b.is_ascii_alphabetic())..];
    let known = ["access", "api", "auth", "encryption", "private", "secret", "signing"]
        .iter()
        .any(|kind| word.eq_ignore_ascii_case(kind.as_bytes()));
    let (kind, class) = ("api-key", Class::Key);
    known.then_some(Name { kind, class, quoted: false, capitals: false, gap: Gap::Nothing })
}

/// Where the value begins behind a verb, which stands on the same line and in the same sentence.
fn after_verb(bytes: &[u8], at: usize) -> Option<usize> {
    const VERBS: &[&[u8]] = &[b"is", b"was", b"be", b"to", b"ist", b"war", b"lautet"];
    let mut word = run(bytes, at, 8, is_blank);
    while word < at + TO_THE_VERB {
        if marker_end(bytes, word).is_some() {
            return None;
        }
        let end = run(bytes, word, 24, |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        let colon = run(bytes, end, 1, |b| b == b':');
        let next = run(bytes, colon, 8, is_blank);
        if end == word || next == colon {
            return None;
        }
        if VERBS.contains(&&bytes[word..end]) {
            return Some(now(bytes, next));
        }
        if colon > end {
            return None;
        }
        word = next;
    }
    None
}

/// Passes over what may stand between a verb and a value.
fn now(bytes: &[u8], at: usize) -> usize {
    let end = [&b"now"[..], b"still", b"just", b"set to", b"called"]
        .iter()
        .find(|word| bytes[at..].starts_with(word))
        .map_or(at, |word| at + word.len());
    let next = run(bytes, end, 8, |b| is_blank(b) || b == b':' || b == b'=');
    if next > end { next } else { at }
}

/// What sentences say about passwords with digits in it: how one is kept, not what it is.
fn is_technical(word: &str) -> bool {
    const TERMS: &[&str] = &[
        "aes", "argon2", "base32", "base58", "base64", "bcrypt", "blake", "ed25519", "http", "ipv",
        "k8s", "md5", "oauth", "pbkdf2", "pkcs", "rfc", "rsa", "scrypt", "sha", "utf", "x509",
    ];
    let word = word.to_ascii_lowercase();
    TERMS.iter().any(|term| word.starts_with(term))
}

/// The password of a `.netrc`'s entry, whose words may stand on lines of their own.
fn in_netrc(text: &str, at: usize, value_at: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let mut end = run_back(bytes, at, "password".len(), |b| b.is_ascii_lowercase());
    if &bytes[end..at] != b"password" {
        return None;
    }
    let mut words = [&b""[..]; 4];
    for word in &mut words {
        let before = run_back(bytes, end, 8, |b| b.is_ascii_whitespace());
        end = run_back(bytes, before, 128, |b| !b.is_ascii_whitespace());
        // In a string literal a line break is written as `\n`, which is no part of the word after it.
        let line = bytes[end..before].windows(2).rposition(|pair| pair == b"\\n");
        *word = &bytes[end + line.map_or(0, |at| at + 2)..before];
    }
    let value = value::at(text, value_at, Extent::Word)?;
    let known = match words {
        [_, b"login", _, b"machine"] | [_, b"login", b"default", _] => true,
        [_, b"machine", ..] => {
            let next = run(bytes, value.end, 8, |b| b.is_ascii_whitespace());
            bytes[next..].starts_with(b"login")
        }
        _ => false,
    };
    let is_secret = known && value.is_secret(text, Class::Password, Sureness::Certain);
    let range = || value.start..value.full_end(text, Extent::Word);
    is_secret.then(|| Credential { range: range(), kind: "password" })
}
