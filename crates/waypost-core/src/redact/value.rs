//! What stands after a secret's name: where it ends, and whether it is the secret.
//!
//! Placeholders, references, calls, paths and words such as `none` are no secrets.

use super::MARKER;
use super::name::{self, Class};
use super::scan::{run, run_back};

/// How much of a value without quotes is judged before it is taken or left.
const WINDOW: usize = 64;
/// How much of one in quotes is, where they hold more than the value.
const LONGEST_QUOTED: usize = 256;

/// How sure it is that a value follows, by what stands between it and the name.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sureness {
    /// Nothing else can stand there, however short it is.
    Certain,
    /// Nothing but a value is written like this.
    Firm,
    /// It may be prose or code.
    Loose,
}

/// How far a value without quotes goes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Extent {
    /// As in a variable of the environment: to the next blank or quote.
    Word,
    /// As in code, URLs and connection strings: also to a separator or bracket.
    Item,
    /// As in `name:value:…`: also to a colon.
    Part,
}

/// A value in the text.
pub(super) struct Value<'a> {
    /// What is judged: all of it in quotes, else its beginning.
    pub(super) judged: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    /// A bracket or ` =` follows, as after a function's name or a type.
    coded: bool,
}

/// The value in quotes at `at`, perhaps escaped ones (`\"`) or those of a prefixed literal (`b"`).
fn quoted(text: &str, at: usize) -> Option<Value<'_>> {
    let bytes = text.as_bytes();
    let prefix = run(bytes, at, 2, |b| matches!(b | 0x20, b'b' | b'f' | b'r' | b'u'));
    let opening = run(bytes, prefix, 8, |b| b == b'\\');
    let quote = *bytes.get(opening).filter(|b| matches!(b, b'"' | b'\''))?;
    let start = run(bytes, opening, 3, |b| b == quote);
    // Two are an empty string, three begin a long one.
    if start - opening == 2 {
        return None;
    }
    let end = closing(bytes, start, quote, opening - prefix)?;
    let judged = text.get(start..end)?;
    Some(Value { judged, start, end, quoted: true, coded: false })
}

/// Where the value ends that a quote after `escapes` backslashes opened, on the same line.
fn closing(bytes: &[u8], start: usize, quote: u8, escapes: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at = run(bytes, at, usize::MAX, |b| b != quote && b != b'\n' && b != b'\\');
        let after = run(bytes, at, usize::MAX, |b| b == b'\\');
        match bytes.get(after) {
            Some(b) if *b == quote => {
                let slashes = after - at;
                if slashes <= escapes {
                    return Some(at);
                }
                if escapes == 0 && slashes.is_multiple_of(2) {
                    return Some(after);
                }
                at = after + 1;
            }
            Some(b'\n') | None => return None,
            Some(_) => at = after,
        }
    }
}

/// The value at `at`, with quotes or without. A quote that is never closed is passed over.
pub(super) fn at(text: &str, at: usize, extent: Extent) -> Option<Value<'_>> {
    let opened = || {
        let opening = run(text.as_bytes(), at, 8, |b| b == b'\\');
        run(text.as_bytes(), opening, 1, |b| b == b'"' || b == b'\'')
    };
    quoted(text, at).or_else(|| unquoted(text, opened(), extent))
}

fn unquoted(text: &str, at: usize, extent: Extent) -> Option<Value<'_>> {
    let bytes = text.as_bytes();
    let judged_end = run(bytes, at, WINDOW, |b| goes_on(b, extent));
    let whole = judged_end - at < WINDOW;
    let end = if whole { trimmed(bytes, at, judged_end, extent) } else { judged_end };
    let judged = text.get(at..floor(text, end)).filter(|judged| !judged.is_empty())?;
    let coded = whole && matches!(bytes[judged_end..], [b'(' | b'[', ..] | [b' ', b'=', ..]);
    Some(Value { judged, start: at, end, quoted: false, coded })
}

/// All of a text as a value, as though it stood in quotes.
pub(super) fn whole(text: &str) -> Value<'_> {
    Value { judged: text, start: 0, end: text.len(), quoted: true, coded: false }
}

/// The value from `start` to the quote that closes what it stands in.
pub(super) fn until(text: &str, start: usize, quote: u8) -> Option<Value<'_>> {
    let bytes = text.as_bytes();
    let end = run(bytes, start, LONGEST_QUOTED, |b| b != quote && b != b'\n');
    let end = run_back(bytes, end, (end - start).min(8), |b| b == b'\\');
    let judged = text.get(start..floor(text, end)).filter(|judged| !judged.is_empty())?;
    Some(Value { judged, start, end: start + judged.len(), quoted: true, coded: false })
}

impl Value<'_> {
    /// Without the punctuation of the sentence that it stands in.
    pub(super) fn within_sentence(self) -> Self {
        if self.judged.len() >= WINDOW {
            return self;
        }
        let judged = self.judged.trim_end_matches(['.', ',', ':', ';', '?', ')']);
        Self { judged, end: self.start + judged.len(), ..self }
    }

    /// Where the value ends: one without quotes is read on, now that it is to be taken.
    pub(super) fn full_end(&self, text: &str, extent: Extent) -> usize {
        if self.quoted || self.end - self.start < WINDOW {
            return self.end;
        }
        let bytes = text.as_bytes();
        let end = run(bytes, self.end, usize::MAX, |b| goes_on(b, extent));
        trimmed(bytes, self.start, end, extent)
    }

    /// Whether this is a secret and not something that stands in for one.
    pub(super) fn is_secret(&self, text: &str, class: Class, sureness: Sureness) -> bool {
        let judged = self.judged;
        let likely = match sureness {
            Sureness::Certain => !judged.is_empty(),
            Sureness::Firm => judged.len() >= if is_digits(judged) { 4 } else { 3 },
            Sureness::Loose => looks_drawn(judged, class),
        };
        likely
            && !self.coded
            && !is_elsewhere(judged)
            && !is_placeholder(judged)
            && !is_reference(judged, self.quoted)
            && !is_common_word(judged)
            && !self.is_marked(text)
    }

    /// Whether there is a marker in it or right after it. Then it was dealt with before.
    pub(super) fn is_marked(&self, text: &str) -> bool {
        let end = text.len().min(self.end + 8 + MARKER.len());
        let bytes = &text.as_bytes()[self.start..end];
        bytes.windows(MARKER.len()).any(|window| window == MARKER.as_bytes())
    }
}

/// Whether any word of a text is unlikely to be prose.
pub(super) fn has_drawn_word(text: &str) -> bool {
    text.split_ascii_whitespace().any(|word| looks_drawn(word, Class::Key))
}

fn goes_on(byte: u8, extent: Extent) -> bool {
    match byte {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0c | b'"' | b'\'' | b'`' | b'\\' => false,
        b',' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => {
            extent == Extent::Word
        }
        b':' => extent != Extent::Part,
        _ => true,
    }
}

/// Punctuation at the end belongs to what the value stands in.
fn trimmed(bytes: &[u8], start: usize, end: usize, extent: Extent) -> usize {
    let outer: &[u8] = if extent == Extent::Word { b",;&)]}>|" } else { b".:" };
    run_back(bytes, end, (end - start).min(8), |b| outer.contains(&b))
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// `$TOKEN`, `${{ … }}`, `<token>`, `{token}`, `%TOKEN%`, `your-token`, `****`, `…`, `abc...`.
pub(super) fn is_placeholder(text: &str) -> bool {
    let masked = text.chars().all(|c| !c.is_alphanumeric() || c == 'x' || c == 'X');
    let cut = text.contains("****") || text.contains('…') || text.ends_with("...");
    let encloses = |open: &str, close: &str| {
        text.find(open).is_some_and(|start| text[start..].contains(close))
    };
    let templated = encloses("${", "}") || encloses("{{", "}}") || text.starts_with("$(");
    let opened = text.starts_with(['<', '{']) || text.starts_with("${") || text.starts_with("#{");
    let in_brackets = text.starts_with('(') && text.ends_with(')')
        || text.starts_with('[') && text.ends_with(']');
    let variable = match text.as_bytes() {
        [b'$', next] => next.is_ascii_alphanumeric(),
        [b'$', next, rest @ ..] => {
            (next.is_ascii_alphabetic() || *next == b'_')
                && rest.iter().all(|b| name::is_name(*b) || matches!(b, b':' | b'/'))
        }
        [b'%', .., last] => *last == b'%',
        [y, o, u, r, b'-' | b'_' | b' ', ..] => [*y, *o, *u, *r].eq_ignore_ascii_case(b"your"),
        _ => false,
    };
    masked || cut || templated || opened || in_brackets || variable
}

/// URLs, paths, digests and signatures name things; a PEM block is another rule's.
fn is_elsewhere(text: &str) -> bool {
    let path = ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start))
        && (text.starts_with("/Users/") || !text.contains(|c: char| c.is_ascii_uppercase()));
    let named = ["-----", "sha256:", "hmac-sha256:"].iter().any(|start| text.starts_with(start));
    path || named || text.contains("://") || text.contains("::")
}

/// A variable or field that holds the secret: it is named like one, or reached through another.
fn is_reference(text: &str, quoted: bool) -> bool {
    const HOLDERS: &[&str] = &[
        "self.",
        "this.",
        "args.",
        "config.",
        "cfg.",
        "settings.",
        "options.",
        "opts.",
        "params.",
        "env.",
        "process.env",
        "os.environ",
        "import.meta",
        "secrets.",
        "vars.",
        "var.",
        "data.",
        "req.",
        "request.",
        "ctx.",
        "context.",
        "local.",
        "module.",
    ];
    let bare = text.trim_start_matches(['&', '*']);
    let named = bare.bytes().all(|b| name::is_name(b) && !b.is_ascii_digit())
        && name::secret(bare.as_bytes()).is_some();
    named || !quoted && HOLDERS.iter().any(|holder| bare.starts_with(holder))
}

fn is_common_word(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "any",
        "bool",
        "bytes",
        "empty",
        "false",
        "hashed",
        "hidden",
        "int",
        "masked",
        "missing",
        "never",
        "nil",
        "none",
        "null",
        "number",
        "object",
        "off",
        "optional",
        "redacted",
        "required",
        "str",
        "string",
        "true",
        "undefined",
        "unset",
        "yes",
    ];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// Long enough, and of more than one class of characters: not a word, a type or a variable.
fn looks_drawn(text: &str, class: Class) -> bool {
    let by_people = class == Class::Password;
    // Emphasis and a sentence's end are not the password's symbols.
    let text = text.trim_matches(['!', '?', '*', '_', ',']);
    if text.len() < if by_people { 6 } else { 8 } {
        return false;
    }
    let (mut lower, mut upper, mut digit, mut symbol) = (false, false, false, false);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' => lower = true,
            b'A'..=b'Z' => upper = true,
            b'0'..=b'9' => digit = true,
            b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'*' => symbol = true,
            _ => {}
        }
    }
    let mixed = (lower || upper) && (digit || symbol) || by_people && is_digits(text);
    let dotted = text.contains('/') || text.contains('.') && !by_people;
    let address = || text.split_once('@').is_some_and(|(_, host)| host.contains('.'));
    mixed && (!dotted || lower && upper && digit && text.len() >= 16) && !address()
}
