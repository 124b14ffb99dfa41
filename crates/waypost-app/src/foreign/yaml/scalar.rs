//! What a plain scalar means: the words and numbers of YAML 1.1 as PyYAML resolves them. Dates stay text.

use super::tree::Value;

/// What a scalar without quotes and tag is.
pub(super) fn resolved(text: &str) -> Value {
    let word = null(text).or_else(|| bool(text));
    let number = || int(text).or_else(|| float(text));
    word.or_else(number).unwrap_or_else(|| Value::Text(text.to_owned()))
}

/// Nothing, in one of the words for it.
pub(super) fn null(text: &str) -> Option<Value> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some(Value::Null)
}

/// True or false, in one of the words for it.
pub(super) fn bool(text: &str) -> Option<Value> {
    const TRUE: &[&str] = &["yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
    const FALSE: &[&str] = &["no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];
    if TRUE.contains(&text) {
        return Some(Value::Bool(true));
    }
    FALSE.contains(&text).then_some(Value::Bool(false))
}

/// A whole number: decimal, `0b`, `0x`, octal with a leading zero, or base sixty such as `1:30`.
pub(super) fn int(text: &str) -> Option<Value> {
    let (negative, digits) = signed(text);
    let first = digits.chars().next().filter(char::is_ascii_digit)?;
    let (radix, digits) = match digits.get(..2) {
        Some("0b") => (2, digits.get(2..)?),
        Some("0x") => (16, digits.get(2..)?),
        Some(_) if first == '0' => (8, digits.get(1..)?),
        _ if digits.contains(':') => return by_sixty(digits, negative),
        _ => (10, digits),
    };
    let fits = |unit: char| unit == '_' || unit.is_digit(radix);
    if !digits.chars().all(fits) || (radix != 10 && digits.is_empty()) {
        return None;
    }
    let digits = digits.replace('_', "");
    let sign = if negative { "-" } else { "" };
    match i64::from_str_radix(&format!("{sign}{digits}"), radix) {
        Ok(number) => Some(Value::Int(number)),
        // `0_` is zero; `0x_` is no number.
        Err(_) if digits.is_empty() => (radix == 8).then_some(Value::Int(0)),
        Err(_) => Some(Value::Float(large(&digits, radix, negative))),
    }
}

/// A number too large to be kept whole.
fn large(digits: &str, radix: u32, negative: bool) -> f64 {
    let add = |sum: f64, unit: char| {
        sum * f64::from(radix) + f64::from(unit.to_digit(radix).unwrap_or(0))
    };
    let number = digits.chars().fold(0.0, add);
    if negative { -number } else { number }
}

/// A whole number whose parts count sixty each.
fn by_sixty(digits: &str, negative: bool) -> Option<Value> {
    let (first, rest) = digits.split_once(':')?;
    if first.starts_with('0') || !first.chars().all(|unit| unit == '_' || unit.is_ascii_digit()) {
        return None;
    }
    let mut sum: i64 = first.replace('_', "").parse().ok()?;
    for part in rest.split(':') {
        sum = sum.checked_mul(60)?.checked_add(sixtieth(part)?)?;
    }
    Some(Value::Int(if negative { -sum } else { sum }))
}

/// A part below sixty, of one or two digits.
fn sixtieth(part: &str) -> Option<i64> {
    let digits = (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    part.parse().ok().filter(|number| digits && *number < 60)
}

/// A number with a point, infinity, or what is no number.
pub(super) fn float(text: &str) -> Option<Value> {
    let (negative, digits) = signed(text);
    let sign = if negative { -1.0 } else { 1.0 };
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        return Some(Value::Float(sign * f64::INFINITY));
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Value::Float(f64::NAN));
    }
    let (whole, rest) = digits.split_once('.')?;
    if whole.contains(':') {
        return float_by_sixty(whole, rest).map(|number| Value::Float(sign * number));
    }
    // PyYAML takes an exponent only with a sign: `1.5e3` is text there.
    let (fraction, exponent) = match rest.split_once(['e', 'E']) {
        Some((fraction, exponent)) => (fraction, Some(exponent)),
        None => (rest, None),
    };
    let counts = |part: &str| part.chars().all(|unit| unit == '_' || unit.is_ascii_digit());
    let begins = |part: &str| part.starts_with(|unit: char| unit.is_ascii_digit());
    let is_number = counts(whole)
        && counts(fraction)
        && if whole.is_empty() { begins(fraction) && digits == text } else { begins(whole) };
    if !is_number || !exponent.is_none_or(is_exponent) {
        return None;
    }
    let number: f64 = digits.replace('_', "").parse().ok()?;
    Some(Value::Float(sign * number))
}

fn is_exponent(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn float_by_sixty(whole: &str, fraction: &str) -> Option<f64> {
    let counts = |part: &str| part.chars().all(|unit| unit == '_' || unit.is_ascii_digit());
    let (first, rest) = whole.split_once(':')?;
    if !first.starts_with(|unit: char| unit.is_ascii_digit()) || !counts(first) || !counts(fraction)
    {
        return None;
    }
    let mut sum: f64 = first.replace('_', "").parse().ok()?;
    for part in rest.split(':') {
        #[expect(clippy::cast_precision_loss, reason = "it is below sixty")]
        let part = sixtieth(part)? as f64;
        sum = sum * 60.0 + part;
    }
    let fraction: f64 = format!("0.{}0", fraction.replace('_', "")).parse().ok()?;
    Some(sum + fraction)
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}
