//! Regular expressions of `command_pattern`: written for Python, and taken as far as they mean the same here.

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
    ("(?#", "a comment `(?#…)`"),
];

/// Says why it cannot be taken.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    let unknown = UNKNOWN.iter().find(|(sign, _)| holds(pattern, sign));
    let unknown = unknown.map(|(_, name)| *name).or_else(|| backreference(pattern));
    if let Some(name) = unknown {
        return Err(format!("{name} is not taken; write an expression without it"));
    }
    match expression_problem(pattern) {
        Some(why) => Err(format!("`{}` is not taken: {}", shown(pattern), one_line(&why))),
        None => Ok(()),
    }
}

/// Whether a sign stands in the expression where no backslash takes its meaning, and in no set of characters.
fn holds(pattern: &str, sign: &str) -> bool {
    plain(pattern).any(|at| pattern.get(at..).is_some_and(|rest| rest.starts_with(sign)))
}

fn backreference(pattern: &str) -> Option<&'static str> {
    let mut escaped = escapes(pattern);
    escaped.any(|unit| matches!(unit, '1'..='9')).then_some("a backreference such as `\\1`")
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

/// The characters that a backslash stands before, outside of sets.
fn escapes(pattern: &str) -> impl Iterator<Item = char> {
    let (mut is_escaped, mut in_set) = (false, false);
    pattern.chars().filter(move |unit| {
        if std::mem::take(&mut is_escaped) {
            return !in_set;
        }
        match unit {
            '\\' => is_escaped = true,
            '[' => in_set = true,
            ']' => in_set = false,
            _ => {}
        }
        false
    })
}
