//! Words without their quotes, and the commands that are substituted in them.

use brush_parser::ParserOptions;
use brush_parser::word::{self, WordPiece, WordPieceWithSource};

use super::Word;
use super::standing::{ExitStanding, SUBSTITUTED};
use super::walk::Walker;

/// What makes a word more than its text.
const SPECIAL: [char; 11] = ['\'', '"', '$', '`', '\\', '~', '*', '?', '[', '{', '('];
/// Of these, what is expanded to the names of files or to several words.
const PATTERN: [char; 5] = ['*', '?', '[', '{', '('];

impl Walker {
    pub(super) fn word(&mut self, raw: &str, depth: usize) -> Word {
        if !raw.contains(SPECIAL) || raw == "[" {
            return Word { text: raw.to_owned(), literal: true };
        }
        if overflows(raw) {
            self.give_up("it cannot be parsed as a shell command");
            return Word { text: raw.to_owned(), literal: false };
        }
        self.parsed(word::parse(raw, &ParserOptions::default()).ok(), raw, depth)
    }

    /// The text of a here-document, in which quotes mean nothing.
    pub(super) fn here_document(&mut self, raw: &str, depth: usize) -> Word {
        if !raw.contains(['$', '`', '\\']) {
            return Word { text: raw.to_owned(), literal: true };
        }
        if overflows(raw) {
            self.give_up("it cannot be parsed as a shell command");
            return Word { text: raw.to_owned(), literal: false };
        }
        self.parsed(word::parse_heredoc(raw, &ParserOptions::default()).ok(), raw, depth)
    }

    fn parsed(
        &mut self,
        parsed: Option<Vec<WordPieceWithSource>>,
        raw: &str,
        depth: usize,
    ) -> Word {
        let Some(pieces) = parsed else {
            self.give_up("it cannot be parsed as a shell command");
            return Word { text: raw.to_owned(), literal: false };
        };
        let mut text = String::with_capacity(raw.len());
        let literal = self.pieces(&pieces, raw, depth, false, &mut text);
        Word { text, literal }
    }

    fn pieces(
        &mut self,
        pieces: &[WordPieceWithSource],
        raw: &str,
        depth: usize,
        quoted: bool,
        text: &mut String,
    ) -> bool {
        let mut literal = true;
        for piece in pieces {
            let source = || raw.get(piece.start_index..piece.end_index).unwrap_or(raw);
            match &piece.piece {
                WordPiece::Text(plain) => {
                    literal &= quoted || !plain.contains(PATTERN);
                    text.push_str(plain);
                }
                WordPiece::SingleQuotedText(plain) => text.push_str(plain),
                WordPiece::AnsiCQuotedText(escaped) => {
                    let plain = unescape(escaped);
                    literal &= plain.is_some();
                    text.push_str(plain.as_deref().unwrap_or_else(|| source()));
                }
                WordPiece::EscapeSequence(escape) => {
                    let plain = escape.strip_prefix('\\').unwrap_or(escape);
                    text.push_str(if plain == "\n" { "" } else { plain });
                }
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    literal &= self.pieces(inner, raw, depth, true, text);
                }
                WordPiece::CommandSubstitution(line)
                | WordPiece::BackquotedCommandSubstitution(line) => {
                    self.plain = false;
                    let is_read = std::mem::replace(&mut self.is_read, false);
                    self.line_elsewhere(
                        line,
                        depth + 1,
                        &ExitStanding::default().hidden(SUBSTITUTED),
                    );
                    self.is_read = is_read;
                    literal = false;
                    let is_usual = !self.tampering.gives("TMPDIR") && !self.tampering.has_functions;
                    let printed = printed(line).filter(|_| is_usual);
                    text.push_str(printed.unwrap_or("$()"));
                }
                WordPiece::ParameterExpansion(_) | WordPiece::ArithmeticExpression(_) => {
                    self.substitutions_in(source(), depth);
                    literal = false;
                    text.push_str(source());
                }
                WordPiece::TildeExpansion(_) => {
                    literal = false;
                    text.push_str(source());
                }
            }
        }
        literal
    }

    /// Substitutions inside `${x:-$(…)}` and `$((…))`, which the grammar keeps as text. What such a text
    /// holds is a word of its own.
    fn substitutions_in(&mut self, source: &str, depth: usize) {
        const AROUND: [(&str, &str); 3] = [("$((", "))"), ("${", "}"), ("$[", "]")];
        let inside = |(open, close): &(&str, &str)| source.strip_prefix(open)?.strip_suffix(close);
        match AROUND.iter().find_map(inside) {
            Some(inner) if inner.contains(['$', '`']) && !self.too_deep(depth + 1) => {
                self.word(inner, depth + 1);
            }
            None if source.contains("$(") || source.contains('`') => {
                self.give_up("it substitutes commands inside an expansion");
            }
            Some(_) | None => {}
        }
    }
}

/// What a substituted command prints, where that is a variable's value, a new file among the temporary
/// ones, or a number that nobody need know.
fn printed(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["pwd"] | ["pwd", "-P" | "-L"] => Some("$PWD"),
        ["whoami"] | ["id", "-un"] => Some("$USER"),
        ["id", "-u"] => Some("$UID"),
        ["id", "-g" | "-gn"] => Some("$GROUPS"),
        ["mktemp"]
        | ["mktemp", "-d" | "-q" | "-dq"]
        | ["mktemp", "-t" | "-dt", _]
        | ["mktemp", "-d", "-t", _] => Some("/tmp/mktemp"),
        ["date", format] | ["date", "-u", format]
            if format.trim_matches(['"', '\'']).starts_with('+')
                && !format.contains(['/', '$']) =>
        {
            Some("0")
        }
        ["git", "rev-parse", "--short", "HEAD"] => Some("0"),
        ["mktemp", file] | ["mktemp", "-d", file] if file.starts_with("/tmp/") => Some(file),
        _ => None,
    }
}

/// Whether the parser would panic: it takes the digits after a tilde for a number that fits.
fn overflows(raw: &str) -> bool {
    raw.split('~').skip(1).any(|rest| {
        let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        rest.bytes().take_while(u8::is_ascii_digit).count() > 9
    })
}

/// What is in `$'…'`; `None` if it holds an escape that is not known here.
fn unescape(escaped: &str) -> Option<String> {
    let mut plain = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next()?;
        rest = &rest[at + 1 + escape.len_utf8()..];
        let (radix, most) = match escape {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => (8, 3),
            _ => (0, 0),
        };
        if radix == 0 {
            plain.push(simple_escape(escape)?);
            continue;
        }
        if radix == 8 {
            rest = &escaped[escaped.len() - rest.len() - 1..];
        }
        let digits = rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        let code = u32::from_str_radix(&rest[..digits], radix).ok()?;
        // Bytes above ASCII are parts of characters.
        plain.push(char::from_u32(code).filter(|c| *c != '\0' && (c.is_ascii() || most > 3))?);
        rest = &rest[digits..];
    }
    plain.push_str(rest);
    Some(plain)
}

fn simple_escape(escape: char) -> Option<char> {
    Some(match escape {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'e' | 'E' => '\x1b',
        'f' => '\x0c',
        'v' => '\x0b',
        '\\' | '\'' | '"' | '?' => escape,
        _ => return None,
    })
}

/// `echo -e` and `printf` make lines of `\n`.
pub(super) fn with_newlines(text: &str) -> String {
    unescape(text).unwrap_or_else(|| text.replace("\\n", "\n"))
}
