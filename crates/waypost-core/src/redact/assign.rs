//! Values that stand after a secret's name: `name=value`, `name: value`, `--name value`, headers.

use super::name::{self, Class, Gap, Name};
use super::scan::{TO_THE_END, is_blank, run};
use super::value::{self, Extent, Sureness, Value};
use super::{Credential, MARKER, basic, cookie};

/// The value after the `=` at `at`; also after `:=`, `?=` and `=>`.
pub(super) fn after_equals(text: &str, at: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let (name_end, begin) = match (&bytes[..at], bytes.get(at + 1)) {
        (_, Some(b'=' | b'~')) => return None,
        ([.., b'=' | b'!' | b'<' | b'>' | b'+' | b'*' | b'/' | b'%' | b'|' | b'^'], _) => {
            return None;
        }
        ([.., b':' | b'?'], _) => (at - 1, at + 1),
        (_, Some(b'>')) => (at, at + 2),
        _ => (at, at + 1),
    };
    let name = name::before(bytes, name_end).or_else(|| name::before_type(bytes, name_end))?;
    let start = run(bytes, begin, 8, is_blank);
    if name.class.has_form() {
        return by_form(text, &name, start);
    }
    let tight = start == at + 1 && name.gap == Gap::Nothing;
    let extent = if tight && name.capitals { Extent::Word } else { Extent::Item };
    let value = value::at(text, start, extent)?;
    if name.gap == Gap::Type && !value.quoted {
        return None;
    }
    let sureness = if tight || value.quoted { Sureness::Firm } else { Sureness::Loose };
    taken(text, &value, name.kind, name.class, sureness, extent)
}

/// The value after the `:` at `at`.
pub(super) fn after_colon(text: &str, at: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    if matches!(bytes.get(at + 1), Some(b':' | b'=')) || matches!(bytes[..at], [.., b':']) {
        return None;
    }
    let name = name::before(bytes, at)?;
    let start = run(bytes, at + 1, 8, is_blank);
    if name.class.has_form() {
        return by_form(text, &name, start);
    }
    let extent = if start == at + 1 { Extent::Part } else { Extent::Item };
    let value = value::at(text, start, extent)?;
    let sureness = sureness_after_colon(&name, &value)?;
    taken(text, &value, name.kind, name.class, sureness, extent)
}

/// What kind of credential the value of a field is, by the field's name.
pub(super) fn field(name: &str, value: &str) -> Option<&'static str> {
    let (kind, class) = name::secret(name.as_bytes())?;
    let name = Name { kind, class, quoted: true, capitals: false, gap: Gap::Nothing };
    if class.has_form() {
        return by_form(value, &name, 0).map(|found| found.kind);
    }
    let whole = value::whole(value);
    let sureness = sureness_after_colon(&name, &whole)?;
    whole.is_secret(value, class, sureness).then_some(kind)
}

/// The value at `start`, perhaps in quotes, where the name promises a form of its own.
fn by_form(text: &str, name: &Name, start: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let opened = run(bytes, start, 9, |b| matches!(b, b'\\' | b'"' | b'\''));
    match name.class {
        Class::Authorization => authorization(text, start),
        Class::Cookie => cookie::pairs(bytes, opened),
        Class::BasicAuth => basic::pair(bytes, opened),
        Class::Signature => {
            let value = value::at(text, start, Extent::Item)?;
            let fits = value.judged.len() >= 32
                && value::has_drawn_word(value.judged)
                && !value.is_marked(text);
            let range = || value.start..value.full_end(text, Extent::Item);
            fits.then(|| Credential { range: range(), kind: name.kind })
        }
        Class::Password | Class::Passphrase | Class::Key => None,
    }
}

/// Text in quotes may be the words of a form or a message, or what a parser complains about.
fn sureness_after_colon(name: &Name, value: &Value<'_>) -> Option<Sureness> {
    if !value.quoted {
        return Some(Sureness::Loose);
    }
    if name.class == Class::Passphrase {
        return Some(Sureness::Firm);
    }
    if value.judged.contains(' ') {
        return value::has_drawn_word(value.judged).then_some(Sureness::Firm);
    }
    let firm = name.quoted || name.class == Class::Password;
    Some(if firm { Sureness::Firm } else { Sureness::Loose })
}

/// The value after the flag that ends before the blank at `at`.
pub(super) fn after_flag(text: &str, at: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let (kind, class) = name::flag_before(bytes, at)?;
    if class.has_form() {
        return None;
    }
    let start = run(bytes, at, 8, is_blank);
    let value = value::at(text, start, Extent::Item)?;
    if !value.quoted && is_about_a_flag(value.judged) {
        return None;
    }
    taken(text, &value, kind, class, Sureness::Firm, Extent::Item)
}

/// Whether a word after a flag is about it: a sentence or a help text goes on.
pub(super) fn is_about_a_flag(word: &str) -> bool {
    word.starts_with(['-', '=', ':', '|', '/', '#'])
        || is_sentence_word(word)
        || is_metavariable(word)
}

fn taken(
    text: &str,
    value: &Value<'_>,
    kind: &'static str,
    class: Class,
    sureness: Sureness,
    extent: Extent,
) -> Option<Credential> {
    let range = || value.start..value.full_end(text, extent);
    value.is_secret(text, class, sureness).then(|| Credential { range: range(), kind })
}

/// What a sentence or a help text goes on with after a flag.
fn is_sentence_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "a",
        "after",
        "also",
        "an",
        "and",
        "are",
        "argument",
        "arguments",
        "as",
        "at",
        "be",
        "before",
        "by",
        "can",
        "does",
        "file",
        "flag",
        "flags",
        "for",
        "from",
        "has",
        "if",
        "in",
        "instead",
        "into",
        "is",
        "it",
        "may",
        "must",
        "not",
        "of",
        "on",
        "option",
        "options",
        "or",
        "parameter",
        "should",
        "so",
        "text",
        "than",
        "that",
        "the",
        "then",
        "this",
        "to",
        "twice",
        "value",
        "was",
        "when",
        "which",
        "will",
        "with",
        "without",
    ];
    WORDS.contains(&word)
}

/// `TOKEN` in `--token TOKEN`.
fn is_metavariable(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b == b'-')
}

/// The credential of an `Authorization` whose value begins at `at`, perhaps in quotes.
fn authorization(text: &str, at: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let opened = run(bytes, at, 9, |b| matches!(b, b'\\' | b'"' | b'\''));
    let scheme = run(bytes, opened, 12, |b| b.is_ascii_alphabetic());
    let known = [&b"bearer"[..], b"basic", b"token", b"apikey"]
        .iter()
        .any(|name| bytes[opened..scheme].eq_ignore_ascii_case(name));
    let start = run(bytes, scheme, 8, is_blank);
    if let Some(found) = basic::pair(bytes, start).filter(|_| known && start > scheme) {
        return Some(found);
    }
    if known && start > scheme {
        return credential(text, start, |word| {
            word.len() >= 20 || word.len() >= 8 && !word.bytes().all(|b| b.is_ascii_lowercase())
        });
    }
    credential(text, opened, |word| word.len() >= 16 && value::has_drawn_word(word))
}

/// `Bearer` and a token or `Basic` and a pair, wherever it stands.
pub(super) fn scheme(text: &str, at: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let after = |word: &[u8]| {
        let end = at + word.len();
        let start = run(bytes, end, 8, is_blank);
        (start > end).then_some(start)
    };
    if !matches!(bytes[at], b'b' | b'B') {
        return None;
    }
    if bytes.get(at..at + 5)?.eq_ignore_ascii_case(b"basic") {
        return basic::pair(bytes, after(b"basic")?);
    }
    if bytes.get(at..at + 6)?.eq_ignore_ascii_case(b"bearer") {
        let is_token = |word: &str| word.len() >= 16 && value::has_drawn_word(word);
        return credential(text, after(b"bearer")?, is_token);
    }
    None
}

/// The credential at `start`, if its first 64 bytes pass.
fn credential(text: &str, start: usize, passes: impl Fn(&str) -> bool) -> Option<Credential> {
    let bytes = text.as_bytes();
    let is_part = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(
                b,
                b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-' | b'|' | b':' | b'%' | b'!'
            )
    };
    let judged = run(bytes, start, 64, is_part);
    let word = text.get(start..judged)?;
    let marked = bytes[judged..].starts_with(MARKER.as_bytes());
    let stands_in = || value::is_placeholder(word) || name::secret(word.as_bytes()).is_some();
    if marked || !passes(word) || stands_in() {
        return None;
    }
    Some(Credential {
        range: start..run(bytes, judged, TO_THE_END, is_part),
        kind: "authorization",
    })
}
