//! Credentials that say what they are: a vendor's prefix, then enough of its alphabet.
//!
//! Most forms are rows of a table (`form`); those that take more than a row are here. A candidate is
//! judged by its first bytes and only then read to its end.

use super::Credential;
use super::form::{self, Body, Form};
use super::scan::{TO_THE_END, is_base64url, run, run_back, starts_fresh};

/// What is looked at of a candidate without a fixed form before it is taken or left.
const WINDOW: usize = 96;

/// The token that begins at `at`, where a word begins. One of an exact length also ends at a seam,
/// where something hidden keeps it apart from what follows.
pub(super) fn token(
    bytes: &[u8],
    at: usize,
    is_seam: impl Fn(usize) -> bool,
) -> Option<Credential> {
    let rest = &bytes[at..];
    let known = form::beginning_with(rest[0])
        .iter()
        .filter(|form| rest.starts_with(form.prefix.as_bytes()))
        .find_map(|form| of_form(bytes, at, form, &is_seam));
    known.or_else(|| match rest[0] {
        b'A' => aws_access_key(bytes, at, &is_seam),
        b'M' | b'N' | b'O' => discord_bot(bytes, at),
        b'e' => jwt(bytes, at),
        b's' => secret_key(bytes, at),
        b'w' => waypost_key(bytes, at),
        _ => None,
    })
}

fn of_form(
    bytes: &[u8],
    at: usize,
    form: &Form,
    is_seam: impl Fn(usize) -> bool,
) -> Option<Credential> {
    let body = at + form.prefix.len();
    let judged = body_end(bytes, body, form.least, form.body);
    let fits = match form.body {
        Body::Numbered => bytes.get(body)?.is_ascii_digit(),
        Body::Drawn => bytes[body..judged].iter().any(u8::is_ascii_digit),
        _ => true,
    };
    if judged - body < form.least || !fits {
        return None;
    }
    let goes_on = || bytes.get(judged).is_some_and(|b| is_base64url(*b)) && !is_seam(judged);
    if form.exact && goes_on() {
        return None;
    }
    let end = if form.exact { judged } else { body_end(bytes, body, TO_THE_END, form.body) };
    let start = if form.body == Body::Path { body } else { at };
    Some(Credential { range: start..end, kind: form.kind })
}

fn body_end(bytes: &[u8], from: usize, most: usize, body: Body) -> usize {
    match body {
        Body::Plain => run(bytes, from, most, |b| b.is_ascii_alphanumeric()),
        Body::Hex => run(bytes, from, most, is_hex),
        Body::Word => run(bytes, from, most, |b| b.is_ascii_alphanumeric() || b == b'_'),
        Body::Url | Body::Drawn | Body::Numbered => run(bytes, from, most, is_base64url),
        Body::Base64 => {
            run(bytes, from, most, |b| is_base64url(b) || matches!(b, b'+' | b'/' | b'=' | b'%'))
        }
        Body::Path => {
            run(bytes, from, most, |b| is_base64url(b) || matches!(b, b'/' | b'+' | b'@'))
        }
        Body::Dotted => dotted(bytes, from, most),
    }
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
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
fn aws_access_key(bytes: &[u8], at: usize, is_seam: impl Fn(usize) -> bool) -> Option<Credential> {
    let known = ["AKIA", "ASIA", "ABIA", "ACCA"];
    if !known.iter().any(|prefix| bytes[at..].starts_with(prefix.as_bytes())) {
        return None;
    }
    let end = run(bytes, at, 20, |b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let goes_on = || bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) && !is_seam(end);
    (end - at == 20 && !goes_on()).then_some(Credential { range: at..end, kind: "aws-access-key" })
}

/// A bot's id in base64, its time, its signature. The id's digits make it begin with one of three letters.
fn discord_bot(bytes: &[u8], at: usize) -> Option<Credential> {
    let id = run(bytes, at, 29, is_base64url);
    let time = run(bytes, (id + 1).min(bytes.len()), 8, is_base64url);
    if !(24..=28).contains(&(id - at)) || bytes.get(id) != Some(&b'.') {
        return None;
    }
    if !(6..=7).contains(&(time - id - 1)) || bytes.get(time) != Some(&b'.') {
        return None;
    }
    let signature = run(bytes, time + 1, TO_THE_END, is_base64url);
    let is_drawn = bytes[at..signature].iter().any(u8::is_ascii_digit);
    (signature - time > 27 && is_drawn)
        .then_some(Credential { range: at..signature, kind: "discord" })
}

/// The secret after the colon at `at` of what is drawn as a pair: a bot of Telegram and its token, an
/// account of Twilio and its token. The number before the colon is no secret.
pub(super) fn after_colon(bytes: &[u8], at: usize) -> Option<Credential> {
    if !bytes[..at].last().is_some_and(u8::is_ascii_hexdigit) {
        return None;
    }
    let start = at + 1;
    let end = run(bytes, start, 36, is_base64url);
    let secret = &bytes[start..end];
    let found = |kind| Some(Credential { range: start..end, kind });
    let number = run_back(bytes, at, 13, |b| b.is_ascii_digit());
    let is_bot = (8..=12).contains(&(at - number))
        && (starts_fresh(bytes, number) || bytes[..number].ends_with(b"bot"));
    if is_bot && secret.len() == 35 && is_mixed(secret) {
        return found("telegram");
    }
    let account = run_back(bytes, at, 33, is_hex);
    let is_account = at - account == 32 && bytes[..account].ends_with(b"AC");
    if is_account && secret.len() == 32 && secret.iter().copied().all(is_hex) {
        return found("twilio");
    }
    None
}

fn is_mixed(bytes: &[u8]) -> bool {
    bytes.starts_with(b"AA")
        || bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase)
}

/// `.atlasv1.` stands between the two parts of a token of Terraform.
pub(super) fn around_dot(bytes: &[u8], at: usize) -> Option<Credential> {
    let tag = b".atlasv1.";
    if !bytes[at..].starts_with(tag) {
        return None;
    }
    let start = run_back(bytes, at, 15, |b| b.is_ascii_alphanumeric());
    let body = at + tag.len();
    let long_enough = at - start == 14 && run(bytes, body, 60, is_base64url) - body == 60;
    let range = start..run(bytes, body, TO_THE_END, is_base64url);
    long_enough.then_some(Credential { range, kind: "terraform" })
}

/// Three parts of base64url with dots between, the first of which is a JSON object; or five (JWE).
fn jwt(bytes: &[u8], at: usize) -> Option<Credential> {
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
    Some(Credential { range: at..dotted(bytes, signature, TO_THE_END), kind: "jwt" })
}

/// `sk-` without a further name. Words with hyphens begin so too, so it has to look drawn at random.
fn secret_key(bytes: &[u8], at: usize) -> Option<Credential> {
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
    Some(Credential { range: at..run(bytes, body, TO_THE_END, is_base64url), kind: "openai" })
}

/// A line of Waypost's key file: its secret goes, the key's id stays.
fn waypost_key(bytes: &[u8], at: usize) -> Option<Credential> {
    let tag = b"waypost-key-v1 ";
    if !bytes[at..].starts_with(tag) {
        return None;
    }
    let id = at + tag.len();
    let id_end = run(bytes, id, 64, is_hex);
    if id_end == id || bytes.get(id_end) != Some(&b' ') {
        return None;
    }
    let end = run(bytes, id_end + 1, TO_THE_END, |b| b.is_ascii_alphanumeric());
    let long_enough = run(bytes, id_end + 1, 32, is_hex) - id_end > 32;
    long_enough.then_some(Credential { range: id_end + 1..end, kind: "waypost-key" })
}

/// Whether base64url goes on to the left: such a run is read from its beginning only, else a long
/// one would be read again from every hyphen.
fn inside_a_run(bytes: &[u8], at: usize) -> bool {
    matches!(bytes[..at], [.., b'-' | b'_'])
}
