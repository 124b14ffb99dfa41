//! A source's tokens, before the parser sees them: short, shallow, and calling nothing unknown.
//!
//! The parser and the evaluator recurse with the depth of an expression, at some 2 KB of stack a
//! level; so depth is bounded here, by counting whatever could nest or chain.

use ::cel::parser::pratt_parser::{Lexer, TokenKind};

use super::{CelError, MAX_BYTES};
use crate::text;

/// Brackets, operators and member accesses that may stand inside, or follow upon, each other.
pub(super) const MAX_NESTING: usize = 64;
/// The parser copies what a member is called on, so a chain of calls costs its square.
const MAX_CALLS: usize = 64;

/// What may be called, and how it is written.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("all", "list.all(item, condition)"),
    ("bool", "bool(text)"),
    ("contains", "text.contains(part)"),
    ("double", "double(value)"),
    ("endsWith", "text.endsWith(end)"),
    ("exists", "list.exists(item, condition)"),
    ("exists_one", "list.exists_one(item, condition)"),
    ("filter", "list.filter(item, condition)"),
    ("has", "has(fact.field)"),
    ("int", "int(value)"),
    ("map", "list.map(item, value)"),
    ("size", "size(value)"),
    ("startsWith", "text.startsWith(beginning)"),
    ("string", "string(value)"),
    ("uint", "uint(value)"),
];

/// A token that means something, and where it stands in the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    pub(super) start: usize,
}

/// A source that is safe to be parsed.
#[derive(Debug)]
pub(super) struct Source<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
}

impl<'a> Source<'a> {
    pub(super) fn scan(text: &'a str) -> Result<Self, CelError> {
        if text.len() > MAX_BYTES {
            let length = text.len();
            let message = format!("the expression has {length} bytes, {MAX_BYTES} are the most");
            return Err(CelError::new(1, message));
        }
        let source = Self { text, tokens: tokens(text)? };
        if source.tokens.is_empty() {
            return Err(CelError::new(1, "the expression is empty"));
        }
        source.check_depth()?;
        source.check_words()?;
        Ok(source)
    }

    pub(super) fn error(&self, start: usize, message: impl Into<String>) -> CelError {
        CelError::new(column(self.text, start), message)
    }

    /// The byte at a line and a column in bytes, both counted from 1.
    pub(super) fn offset(&self, line: usize, column: usize) -> usize {
        let before: usize =
            self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        (before + column.saturating_sub(1)).min(self.text.len())
    }

    /// The token at a byte, or none at the end.
    pub(super) fn token_at(&self, start: usize) -> Option<Token<'a>> {
        self.tokens.iter().find(|token| token.start == start).copied()
    }

    /// An error at the first call of a function.
    pub(super) fn error_at_call(&self, name: &str, message: String) -> CelError {
        let call = self
            .tokens
            .windows(2)
            .find(|pair| pair[0].text == name && pair[1].kind == TokenKind::TokLeftParen);
        self.error(call.map_or(0, |pair| pair[0].start), message)
    }

    /// Refuses what nests or chains too deeply: an upper bound of the syntax tree's depth.
    fn check_depth(&self) -> Result<(), CelError> {
        // One entry a bracket that is open, and one for the whole: what chains inside it.
        let mut open = vec![Level::default()];
        for token in &self.tokens {
            match token.kind {
                TokenKind::TokLeftParen | TokenKind::TokLeftBracket | TokenKind::TokLeftBrace => {
                    count(&mut open, |level| level.chain += 1);
                    open.push(Level::default());
                }
                // Brackets that were never opened are the parser's to report.
                TokenKind::TokRightParen
                | TokenKind::TokRightBracket
                | TokenKind::TokRightBrace
                    if open.len() > 1 =>
                {
                    open.pop();
                }
                TokenKind::TokComma => count(&mut open, |level| *level = Level::default()),
                // The parser makes a balanced tree of these, however many there are.
                TokenKind::TokLogicalAnd | TokenKind::TokLogicalOr | TokenKind::TokColon => {
                    count(&mut open, |level| level.chain = 0);
                }
                TokenKind::TokQuestion => count(&mut open, |level| {
                    level.chain = 0;
                    level.choices += 1;
                }),
                kind if is_chaining(kind) => count(&mut open, |level| level.chain += 1),
                _ => {}
            }
            let depth: usize = open.iter().map(|level| level.chain + level.choices).sum();
            if depth > MAX_NESTING {
                let message = format!(
                    "more than {MAX_NESTING} brackets, operators or fields stand inside or \
                     follow upon each other"
                );
                return Err(self.error(token.start, message));
            }
        }
        Ok(())
    }

    /// Refuses what the language has and this place has not.
    fn check_words(&self) -> Result<(), CelError> {
        let mut calls = 0;
        let mut before = None;
        for (index, token) in self.tokens.iter().enumerate() {
            let next = self.tokens.get(index + 1).map(|next| next.kind);
            match (before, token.kind, next) {
                (_, TokenKind::TokIdent, _) if token.text.starts_with('`') => {
                    return Err(self.error(token.start, "a name stands without quotes"));
                }
                (_, TokenKind::TokIdent, Some(TokenKind::TokLeftParen)) => {
                    calls += 1;
                    self.check_call(token, calls)?;
                }
                (_, TokenKind::TokIdent, Some(TokenKind::TokLeftBrace)) => {
                    let message =
                        format!("`{}` is no type: there are no types to make", token.text);
                    return Err(self.error(token.start, message));
                }
                (before, TokenKind::TokDot, _) if !before.is_some_and(ends_a_value) => {
                    return Err(self.error(token.start, "`.` needs a value before it"));
                }
                (_, TokenKind::TokBytes, _) => {
                    return Err(self.error(token.start, "facts are text: leave out the `b`"));
                }
                _ => {}
            }
            before = Some(token.kind);
        }
        Ok(())
    }

    fn check_call(&self, token: &Token<'_>, calls: usize) -> Result<(), CelError> {
        let name = token.text;
        if calls > MAX_CALLS {
            return Err(self.error(token.start, format!("more than {MAX_CALLS} calls")));
        }
        if FUNCTIONS.iter().any(|(known, _)| *known == name) {
            return Ok(());
        }
        let known: Vec<&str> = FUNCTIONS.iter().map(|(known, _)| *known).collect();
        let hint = match text::did_you_mean(name, &known) {
            _ if name == "matches" => {
                "regular expressions are left out; see contains, startsWith, endsWith".to_owned()
            }
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", known.join(", ")),
        };
        let name = text::shortened(name, 64);
        Err(self.error(token.start, format!("there is no function `{name}`; {hint}")))
    }
}

#[derive(Default)]
struct Level {
    chain: usize,
    choices: usize,
}

fn count(open: &mut [Level], change: impl FnOnce(&mut Level)) {
    if let Some(level) = open.last_mut() {
        change(level);
    }
}

fn is_chaining(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::TokDot
            | TokenKind::TokMinus
            | TokenKind::TokPlus
            | TokenKind::TokAsterisk
            | TokenKind::TokSlash
            | TokenKind::TokPercent
            | TokenKind::TokExclamation
            | TokenKind::TokEqualEqual
            | TokenKind::TokExclamationEqual
            | TokenKind::TokLess
            | TokenKind::TokLessEqual
            | TokenKind::TokGreater
            | TokenKind::TokGreaterEqual
            | TokenKind::TokIn
    )
}

fn ends_a_value(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::TokIdent
            | TokenKind::TokReservedWord
            | TokenKind::TokString
            | TokenKind::TokInt
            | TokenKind::TokUint
            | TokenKind::TokFloat
            | TokenKind::TokNull
            | TokenKind::TokTrue
            | TokenKind::TokFalse
            | TokenKind::TokRightParen
            | TokenKind::TokRightBracket
            | TokenKind::TokRightBrace
    )
}

fn tokens(source: &str) -> Result<Vec<Token<'_>>, CelError> {
    let mut lexer = Lexer::new(source);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.lex();
        match token.kind {
            TokenKind::TokEnd => return Ok(tokens),
            TokenKind::TokWhitespace | TokenKind::TokComment => {}
            TokenKind::TokError => {
                return Err(CelError::new(column(source, token.start), why(&lexer, source)));
            }
            TokenKind::TokEqual => {
                let message = "`=` is not an operator: did you mean `==`?";
                return Err(CelError::new(column(source, token.start), message));
            }
            kind => {
                let text = source.get(token.start..token.end).unwrap_or_default();
                tokens.push(Token { kind, text, start: token.start });
            }
        }
    }
}

fn why(lexer: &Lexer<'_>, source: &str) -> String {
    let Some(error) = lexer.get_error() else {
        return "this is not a token".to_owned();
    };
    let character = source.get(error.start..).and_then(|rest| rest.chars().next());
    match (error.message.as_str(), character) {
        ("unexpected character", Some(character)) => {
            format!(
                "`{}` is not expected outside of quotes",
                text::one_line(&character.to_string())
            )
        }
        ("unterminated string literal", _) => "the text has no closing quote".to_owned(),
        (message, _) => text::one_line(message),
    }
}

/// The column of a byte of the source, in characters.
fn column(source: &str, start: usize) -> usize {
    1 + source.char_indices().take_while(|(index, _)| *index < start).count()
}

/// Where a dotted name first stands in a source; 1 if it does not.
pub(super) fn column_of_name(source: &str, name: &str) -> usize {
    let found = tokens(source).unwrap_or_default();
    let fields: Vec<&str> = name.split('.').collect();
    let length = 2 * fields.len() - 1;
    found
        .windows(length)
        .enumerate()
        .find(|(index, window)| {
            let follows_dot =
                index.checked_sub(1).is_some_and(|before| found[before].kind == TokenKind::TokDot);
            !follows_dot
                && window.iter().step_by(2).map(|token| token.text).eq(fields.iter().copied())
        })
        .map_or(1, |(_, window)| column(source, window[0].start))
}

/// Where an operator or a function stands in a source, if it stands there only once; else 1.
pub(super) fn column_of_only(source: &str, text: &str) -> usize {
    let found = tokens(source).unwrap_or_default();
    let mut places = found.iter().filter(|token| token.text == text);
    match (places.next(), places.next()) {
        (Some(place), None) => column(source, place.start),
        _ => 1,
    }
}
