//! Regular expressions of `command_pattern`: written for Python, and taken as far as they can mean the same here.

use waypost_core::gate::before::expression_problem;
use waypost_core::text::one_line;

use super::fields::shown;

/// Constructs that Python knows and no expression here can have, the most telling first.
const UNKNOWN: &[(&str, &str)] = &[
    ("(?=", "lookahead `(?=…)`"),
    ("(?!", "lookahead `(?!…)`"),
    ("(?<=", "lookbehind `(?<=…)`"),
    ("(?<!", "lookbehind `(?<!…)`"),
    ("(?P=", "a backreference `(?P=…)`"),
    ("(?(", "a condition `(?(…)…)`"),
    ("(?>", "an atomic group `(?>…)`"),
];

/// The expression as it is written here; says why it cannot be taken.
pub(super) fn taken(pattern: &str) -> Result<String, String> {
    let unknown = UNKNOWN.iter().find(|(sign, _)| holds(pattern, sign));
    if let Some((_, name)) = unknown {
        return Err(without(name));
    }
    let translated = translated(pattern)?;
    match expression_problem(&translated) {
        Some(why) => Err(format!("`{}` is not taken: {}", shown(pattern), one_line(&why))),
        None => Ok(translated),
    }
}

fn without(name: &str) -> String {
    format!("{name} is not taken; write an expression without it")
}

/// Whether a sign stands in the expression where no backslash takes its meaning, and in no set of characters.
fn holds(pattern: &str, sign: &str) -> bool {
    plain(pattern).any(|at| pattern.get(at..).is_some_and(|rest| rest.starts_with(sign)))
}

/// The places of characters that mean something: not escaped, and not in a set.
fn plain(pattern: &str) -> impl Iterator<Item = usize> {
    let (mut is_escaped, mut in_set) = (false, false);
    pattern.char_indices().filter_map(move |(at, unit)| {
        if std::mem::take(&mut is_escaped) {
            return None;
        }
        match unit {
            '\\' => is_escaped = true,
            '[' => in_set = true,
            ']' => in_set = false,
            _ if !in_set => return Some(at),
            _ => {}
        }
        None
    })
}

/// What a part became, and what is left behind it.
type Part<'a> = Result<(String, &'a str), String>;

/// The same in other words, where Python's are not known here or mean something else.
fn translated(pattern: &str) -> Result<String, String> {
    let (mut text, mut rest, mut repeated) = (String::with_capacity(pattern.len()), pattern, 0);
    while let Some(unit) = rest.chars().next() {
        let behind = &rest[unit.len_utf8()..];
        let is_repeat =
            matches!(unit, '*' | '+' | '?') || (unit == '{' && bounds(behind).is_some());
        repeated = match (repeated, unit) {
            _ if !is_repeat => 0,
            (0, _) => 1,
            // As few or as many as there are.
            (1, '?' | '+') => 2,
            _ => return Err(format!("`{}` repeats what is repeated", shown(pattern))),
        };
        let (part, left) = match unit {
            '\\' => escaped(behind, false)?,
            '[' => set(behind)?,
            '{' => bounds(behind).unwrap_or_else(|| ("\\{".to_owned(), behind)),
            '(' => group(behind),
            _ => (unit.to_string(), behind),
        };
        text.push_str(&part);
        rest = left;
    }
    Ok(text)
}

/// What stands behind a backslash.
fn escaped(rest: &str, in_set: bool) -> Part<'_> {
    let Some(unit) = rest.chars().next() else { return Ok(("\\".to_owned(), rest)) };
    let behind = &rest[unit.len_utf8()..];
    let digits = rest.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let part = match unit {
        '0' => return Ok(octal(rest.split_at(digits))),
        '1'..='3' if digits == 3 => return Ok(octal(rest.split_at(digits))),
        '1'..='9' => return Err(without("a backreference such as `\\1`")),
        'Z' if !in_set => "\\z".to_owned(),
        'b' if in_set => "\\x08".to_owned(),
        '<' | '>' => unit.to_string(),
        _ if !unit.is_ascii() => unit.to_string(),
        _ => format!("\\{unit}"),
    };
    Ok((part, behind))
}

fn octal<'a>((digits, behind): (&str, &'a str)) -> (String, &'a str) {
    let number = u32::from_str_radix(digits, 8).unwrap_or_default();
    (format!("\\x{{{number:x}}}"), behind)
}

/// How often something is repeated, if the brace says so: any other is a brace.
fn bounds(rest: &str) -> Option<(String, &str)> {
    let (inner, behind) = rest.split_once('}')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
    if inner.is_empty() || !is_number(least) || !is_number(most) {
        return None;
    }
    let least = if least.is_empty() { "0" } else { least };
    let comma = if inner.contains(',') { "," } else { "" };
    let most = if comma.is_empty() { "" } else { most };
    Some((format!("{{{least}{comma}{most}}}"), behind))
}

/// The beginning of a group. Comments are left out, and flags that say nothing here.
fn group(rest: &str) -> (String, &str) {
    let plain = ("(".to_owned(), rest);
    let Some(inner) = rest.strip_prefix('?') else { return plain };
    if inner.starts_with('#') {
        return (String::new(), inner.split_once(')').map_or("", |(_, behind)| behind));
    }
    let flags = inner.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (flags, behind) = inner.split_at(flags);
    let kept: String = flags.chars().filter(|flag| !matches!(flag, 'a' | 'u')).collect();
    match behind.strip_prefix(')') {
        _ if kept.len() == flags.len() => plain,
        Some(behind) if kept.is_empty() => (String::new(), behind),
        _ => (format!("(?{kept}"), behind),
    }
}

/// A set of characters, up to its end: nothing in it but a range and a class is more than a character.
fn set(rest: &str) -> Part<'_> {
    let mut text = "[".to_owned();
    let mut rest = rest.strip_prefix('^').inspect(|_| text.push('^')).unwrap_or(rest);
    let mut is_first = true;
    while let Some(unit) = rest.chars().next() {
        if unit == ']' && !is_first {
            return Ok((text + "]", &rest[1..]));
        }
        is_first = false;
        let (from, left) = member(rest, unit)?;
        text.push_str(&from);
        rest = left;
        let to = rest.strip_prefix('-').filter(|behind| !behind.starts_with(']'));
        if let Some((behind, unit)) = to.and_then(|behind| Some((behind, behind.chars().next()?))) {
            let (to, left) = member(behind, unit)?;
            text = text + "-" + &to;
            rest = left;
        }
    }
    Ok((text, rest))
}

fn member(rest: &str, unit: char) -> Part<'_> {
    let behind = &rest[unit.len_utf8()..];
    match unit {
        '\\' => escaped(behind, true),
        '[' | ']' | '&' | '~' | '-' => Ok((format!("\\{unit}"), behind)),
        _ => Ok((unit.to_string(), behind)),
    }
}
