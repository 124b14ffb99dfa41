//! Credentials that say what they are: a vendor's prefix, then enough of its alphabet.
//!
//! Prefixes, alphabets and lengths are those that the vendors document; where a length may grow, it is
//! the least one. A candidate is judged by its first bytes and only then read to its end.

use super::Found;
use super::scan::{TO_THE_END, is_base64url, run};

/// What is looked at of a candidate without a fixed form before it is taken or left.
const WINDOW: usize = 96;

/// One documented form.
struct Form {
    prefix: &'static str,
    kind: &'static str,
    /// What may follow the prefix.
    body: Body,
    /// The fewest bytes of it.
    least: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Body {
    /// Letters and digits.
    Plain,
    /// Letters, digits and `_`.
    Word,
    /// base64url.
    Url,
    /// base64url in parts with dots between.
    Dotted,
    /// base64url after a digit, which tells it from words with hyphens.
    Numbered,
    /// The secret path of a URL, whose beginning is kept.
    Path,
}

const fn form(prefix: &'static str, kind: &'static str, body: Body, least: usize) -> Form {
    Form { prefix, kind, body, least }
}

const D: &[Form] = &[
    form("dop_v1_", "digitalocean", Body::Plain, 64),
    form("doo_v1_", "digitalocean", Body::Plain, 64),
    form("dor_v1_", "digitalocean", Body::Plain, 64),
];

const G: &[Form] = &[
    form("ghp_", "github", Body::Word, 36),
    form("gho_", "github", Body::Word, 36),
    // Tokens of apps may be JWTs behind an id: dots, hyphens, hundreds of bytes.
    form("ghu_", "github", Body::Dotted, 36),
    form("ghs_", "github", Body::Dotted, 36),
    form("ghr_", "github", Body::Word, 36),
    form("github_pat_", "github", Body::Word, 60),
    form("glpat-", "gitlab", Body::Dotted, 20),
    form("gldt-", "gitlab", Body::Dotted, 20),
    form("glrt-", "gitlab", Body::Dotted, 20),
    form("glcbt-", "gitlab", Body::Dotted, 20),
    form("glptt-", "gitlab", Body::Dotted, 20),
    form("glft-", "gitlab", Body::Dotted, 20),
    form("glimt-", "gitlab", Body::Dotted, 20),
    form("glagent-", "gitlab", Body::Dotted, 20),
    form("gloas-", "gitlab", Body::Dotted, 20),
    form("glsoat-", "gitlab", Body::Dotted, 20),
];

const H: &[Form] = &[
    form("hf_", "hugging-face", Body::Plain, 34),
    form("hooks.slack.com/services/", "slack", Body::Path, 20),
    form("hooks.slack.com/workflows/", "slack", Body::Path, 20),
    form("hooks.slack.com/triggers/", "slack", Body::Path, 20),
];

const NPM: &[Form] = &[form("npm_", "npm", Body::Plain, 36)];

/// Every PyPI token is a macaroon of version 2, which begins with `Ag` in base64.
const PYPI: &[Form] = &[form("pypi-Ag", "pypi", Body::Url, 50)];

const R: &[Form] =
    &[form("rk_live_", "stripe", Body::Plain, 16), form("rk_test_", "stripe", Body::Plain, 16)];

const S: &[Form] = &[
    form("sk_live_", "stripe", Body::Plain, 16),
    form("sk_test_", "stripe", Body::Plain, 16),
    form("sk-ant-", "anthropic", Body::Url, 20),
    form("sk-proj-", "openai", Body::Url, 20),
    form("sk-svcacct-", "openai", Body::Url, 20),
    form("sk-admin-", "openai", Body::Url, 20),
];

const W: &[Form] = &[form("whsec_", "stripe", Body::Plain, 32)];

const X: &[Form] = &[
    form("xoxb-", "slack", Body::Numbered, 16),
    form("xoxp-", "slack", Body::Numbered, 16),
    form("xoxa-", "slack", Body::Numbered, 16),
    form("xoxr-", "slack", Body::Numbered, 16),
    form("xoxs-", "slack", Body::Numbered, 16),
    form("xoxo-", "slack", Body::Numbered, 16),
    form("xoxe-", "slack", Body::Numbered, 16),
    form("xoxc-", "slack", Body::Numbered, 16),
    form("xapp-", "slack", Body::Numbered, 16),
];

const Y: &[Form] = &[form("ya29.", "google", Body::Dotted, 20)];

const UPPER_A: &[Form] =
    &[form("AIza", "google", Body::Url, 35), form("AGE-SECRET-KEY-1", "age", Body::Plain, 40)];

const UPPER_G: &[Form] =
    &[form("GOCSPX-", "google", Body::Url, 24), form("GR1348941", "gitlab", Body::Url, 20)];

const UPPER_S: &[Form] = &[form("SG.", "sendgrid", Body::Dotted, 60)];

fn forms(first: u8) -> &'static [Form] {
    match first {
        b'd' => D,
        b'g' => G,
        b'h' => H,
        b'n' => NPM,
        b'p' => PYPI,
        b'r' => R,
        b's' => S,
        b'w' => W,
        b'x' => X,
        b'y' => Y,
        b'A' => UPPER_A,
        b'G' => UPPER_G,
        b'S' => UPPER_S,
        _ => &[],
    }
}

/// The token that begins at `at`, where a word begins.
pub(super) fn token(bytes: &[u8], at: usize) -> Option<Found> {
    let rest = &bytes[at..];
    let known = forms(rest[0])
        .iter()
        .filter(|form| rest.starts_with(form.prefix.as_bytes()))
        .find_map(|form| of_form(bytes, at, form));
    known.or_else(|| match rest[0] {
        b'A' => aws_access_key(bytes, at),
        b'e' => jwt(bytes, at),
        b's' => secret_key(bytes, at),
        b'w' => waypost_key(bytes, at),
        _ => None,
    })
}

fn of_form(bytes: &[u8], at: usize, form: &Form) -> Option<Found> {
    let body = at + form.prefix.len();
    let judged = body_end(bytes, body, form.least, form.body);
    let numbered = form.body != Body::Numbered || bytes[body..].first()?.is_ascii_digit();
    if judged - body < form.least || !numbered {
        return None;
    }
    let start = if form.body == Body::Path { body } else { at };
    Some(Found { range: start..body_end(bytes, body, TO_THE_END, form.body), kind: form.kind })
}

fn body_end(bytes: &[u8], from: usize, most: usize, body: Body) -> usize {
    match body {
        Body::Plain => run(bytes, from, most, |b| b.is_ascii_alphanumeric()),
        Body::Word => run(bytes, from, most, |b| b.is_ascii_alphanumeric() || b == b'_'),
        Body::Url | Body::Numbered => run(bytes, from, most, is_base64url),
        Body::Path => run(bytes, from, most, |b| is_base64url(b) || b == b'/' || b == b'+'),
        Body::Dotted => dotted(bytes, from, most),
    }
}

/// Parts with single dots between. A dot at the end belongs to the sentence.
fn dotted(bytes: &[u8], from: usize, most: usize) -> usize {
    let stop = from.saturating_add(most);
    let mut end = run(bytes, from, most, is_base64url);
    while end < stop
        && bytes.get(end) == Some(&b'.')
        && bytes.get(end + 1).is_some_and(|b| is_base64url(*b))
    {
        end = run(bytes, end + 1, stop - end, is_base64url);
    }
    end
}

/// `AKIA` and its like, then exactly 16. Ids of users, groups and roles are no credentials.
fn aws_access_key(bytes: &[u8], at: usize) -> Option<Found> {
    let known = ["AKIA", "ASIA", "ABIA", "ACCA"];
    if !known.iter().any(|prefix| bytes[at..].starts_with(prefix.as_bytes())) {
        return None;
    }
    let end = run(bytes, at, 21, |b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let ends_there = end - at == 20 && !bytes.get(end).is_some_and(u8::is_ascii_lowercase);
    ends_there.then_some(Found { range: at..end, kind: "aws-access-key" })
}

/// Three parts of base64url with dots between, the first of which is a JSON object; or five (JWE).
fn jwt(bytes: &[u8], at: usize) -> Option<Found> {
    if !bytes[at..].starts_with(b"eyJ") || inside_a_run(bytes, at) {
        return None;
    }
    let header = run(bytes, at, TO_THE_END, is_base64url);
    if header - at < 10 || bytes.get(header) != Some(&b'.') {
        return None;
    }
    let payload = run(bytes, header + 1, TO_THE_END, is_base64url);
    if bytes.get(payload) != Some(&b'.') {
        return None;
    }
    let signature = run(bytes, payload + 1, TO_THE_END, is_base64url);
    let unsigned = signature == payload + 1 && bytes[header + 1..].starts_with(b"eyJ");
    if signature - payload <= 10 && !unsigned {
        return None;
    }
    Some(Found { range: at..dotted(bytes, signature, TO_THE_END), kind: "jwt" })
}

/// `sk-` without a further name. Words with hyphens begin so too, so it has to look drawn at random.
fn secret_key(bytes: &[u8], at: usize) -> Option<Found> {
    if !bytes[at..].starts_with(b"sk-") || inside_a_run(bytes, at) {
        return None;
    }
    let body = at + 3;
    let judged = &bytes[body..run(bytes, body, WINDOW, is_base64url)];
    let random_part = judged
        .split(|b| *b == b'-' || *b == b'_')
        .any(|part| part.len() >= 32 || part.len() >= 20 && part.iter().any(u8::is_ascii_digit));
    let mixed = judged.iter().any(u8::is_ascii_digit) && judged.iter().any(u8::is_ascii_uppercase);
    if judged.len() < 20 || !(random_part || mixed) {
        return None;
    }
    Some(Found { range: at..run(bytes, body, TO_THE_END, is_base64url), kind: "openai" })
}

/// A line of Waypost's key file: its secret goes, the key's id stays.
fn waypost_key(bytes: &[u8], at: usize) -> Option<Found> {
    let tag = b"waypost-key-v1 ";
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if !bytes[at..].starts_with(tag) {
        return None;
    }
    let id = at + tag.len();
    let id_end = run(bytes, id, 64, hex);
    if id_end == id || bytes.get(id_end) != Some(&b' ') {
        return None;
    }
    let end = run(bytes, id_end + 1, TO_THE_END, |b| b.is_ascii_alphanumeric());
    let long_enough = run(bytes, id_end + 1, 32, hex) - id_end > 32;
    long_enough.then_some(Found { range: id_end + 1..end, kind: "waypost-key" })
}

/// Whether base64url goes on to the left: such a run is read from its beginning only, else a long
/// one would be read again from every hyphen.
fn inside_a_run(bytes: &[u8], at: usize) -> bool {
    matches!(bytes[..at], [.., b'-' | b'_'])
}
