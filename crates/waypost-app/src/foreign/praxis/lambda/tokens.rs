//! The words of a lambda.

/// A word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name or a keyword.
    Name(String),
    /// A whole number.
    Int(i64),
    /// Another number, as an expression writes it.
    Float(String),
    /// A text without its quotes.
    Text(String),
    /// An operator or a bracket.
    Sign(&'static str),
}

const SIGNS: &[&str] = &[
    "<=", ">=", "==", "!=", "**", "//", ":=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[",
    "]", "{", "}", ".", ",", ":", "&", "|", "^", "~", "@",
];

/// All of them.
pub(super) fn of(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let token;
        (token, rest) = match first {
            '\'' | '"' => quoted(rest, first)?,
            '0'..='9' => number(rest)?,
            _ if first == '_' || first.is_alphabetic() => name(rest)?,
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or_else(|| format!("`{first}` stands in it"))?;
                (Token::Sign(sign), &rest[sign.len()..])
            }
        };
        tokens.push(token);
        rest = rest.trim_start();
    }
    Ok(tokens)
}

fn name(text: &str) -> Result<(Token, &str), String> {
    let end = text.find(|unit: char| unit != '_' && !unit.is_alphanumeric()).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if rest.starts_with(['\'', '"']) {
        return Err(format!("a text with `{name}` in front stands in it"));
    }
    Ok((Token::Name(name.to_owned()), rest))
}

fn number(text: &str) -> Result<(Token, &str), String> {
    let end = text.find(|unit: char| unit != '.' && unit != '_' && !unit.is_ascii_alphanumeric());
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let leading = number.len() > 1 && number.starts_with('0') && !number.starts_with("0.");
    let told = || format!("the number `{number}` stands in it");
    if !plain || leading || number.ends_with('.') {
        return Err(told());
    }
    match number.parse::<i64>() {
        Ok(whole) => Ok((Token::Int(whole), rest)),
        Err(_) if number.parse::<f64>().is_ok() && number.contains('.') => {
            Ok((Token::Float(number.to_owned()), rest))
        }
        Err(_) => Err(told()),
    }
}

fn quoted(text: &str, quote: char) -> Result<(Token, &str), String> {
    let inner = &text[1..];
    let end = inner.find(quote).ok_or("a text in it has no end")?;
    let (value, rest) = (&inner[..end], &inner[end + 1..]);
    if value.contains(['\\', '\n']) || rest.starts_with(['\'', '"']) {
        return Err("a text with escapes stands in it".to_owned());
    }
    Ok((Token::Text(value.to_owned()), rest))
}
