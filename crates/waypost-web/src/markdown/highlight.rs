//! Code in documents: comments, text, numbers and the words of the language stand out. It looks at one character after the
//! other and understands nothing: what it takes for something else is shown all the same.

use maud::{Markup, html};

use crate::parts::text;

/// Longer code is shown as it is.
const MAX_BYTES: usize = 64 * 1024;

/// What is known of a language.
struct Language {
    names: &'static [&'static str],
    /// What comments up to the end of the line begin with.
    line: &'static [&'static str],
    /// What other comments begin and end with.
    block: Option<(&'static str, &'static str)>,
    quotes: &'static [char],
    words: &'static [&'static str],
}

const SLASHES: &[&str] = &["//"];
const STARS: Option<(&str, &str)> = Some(("/*", "*/"));

#[rustfmt::skip]
const LANGUAGES: &[Language] = &[
    Language { names: &["rust", "rs"], line: SLASHES, block: STARS, quotes: &['"'], words: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "false", "fn", "for", "if",
        "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self", "static",
        "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while",
    ]},
    Language { names: &["python", "py"], line: &["#"], block: None, quotes: &['"', '\''], words: &[
        "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
        "False", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "None", "nonlocal", "not", "or",
        "pass", "raise", "return", "True", "try", "while", "with", "yield",
    ]},
    Language { names: &["javascript", "js", "jsx", "typescript", "ts", "tsx"], line: SLASHES, block: STARS,
        quotes: &['"', '\'', '`'], words: &[
        "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "default", "delete", "do", "else",
        "enum", "export", "extends", "false", "finally", "for", "from", "function", "if", "implements", "import", "in",
        "instanceof", "interface", "let", "new", "null", "of", "return", "static", "super", "switch", "this", "throw",
        "true", "try", "type", "typeof", "undefined", "var", "void", "while", "yield",
    ]},
    Language { names: &["go"], line: SLASHES, block: STARS, quotes: &['"', '`'], words: &[
        "break", "case", "chan", "const", "continue", "default", "defer", "else", "false", "for", "func", "go", "if",
        "import", "interface", "map", "nil", "package", "range", "return", "select", "struct", "switch", "true", "type",
        "var",
    ]},
    Language { names: &["java", "kotlin", "kt", "c", "h", "cpp", "c++", "csharp", "cs", "swift", "scala", "php", "dart"],
        line: SLASHES, block: STARS, quotes: &['"'], words: &[
        "abstract", "bool", "boolean", "break", "case", "catch", "char", "class", "const", "continue", "default", "do",
        "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "fun", "func", "if",
        "implements", "import", "int", "interface", "let", "long", "namespace", "new", "nil", "null", "override",
        "package", "private", "protected", "public", "return", "short", "static", "struct", "super", "switch", "this",
        "throw", "true", "try", "using", "val", "var", "void", "while",
    ]},
    Language { names: &["sh", "bash", "shell", "zsh", "console", "fish"], line: &["#"], block: None, quotes: &['"', '\''],
        words: &[
        "case", "do", "done", "elif", "else", "esac", "export", "fi", "for", "function", "if", "in", "local", "return",
        "set", "then", "until", "while",
    ]},
    Language { names: &["json", "jsonc", "json5"], line: SLASHES, block: STARS, quotes: &['"'],
        words: &["false", "null", "true"] },
    Language { names: &["toml", "yaml", "yml", "ini", "dockerfile", "make", "makefile"], line: &["#"], block: None,
        quotes: &['"', '\''], words: &["false", "null", "true"] },
    Language { names: &["sql"], line: &["--"], block: STARS, quotes: &['\''], words: &[
        "ALTER", "AND", "AS", "BY", "CREATE", "DELETE", "DROP", "FROM", "GROUP", "INDEX", "INSERT", "INTO", "JOIN", "KEY",
        "LEFT", "LIMIT", "NOT", "NULL", "ON", "OR", "ORDER", "PRIMARY", "SELECT", "SET", "TABLE", "UPDATE", "VALUES",
        "WHERE",
    ]},
    Language { names: &["css", "scss"], line: &[], block: STARS, quotes: &['"', '\''], words: &[] },
];

/// A piece of code, and what it is: nothing, or the name of a class.
type Piece<'a> = (Option<&'static str>, &'a str);

/// A block of code, with the name of its language.
pub(super) fn block(name: &str, code: &str) -> Markup {
    let code = code.trim_end_matches('\n');
    if name == "mermaid" {
        return html! {
            figure.diagram {
                figcaption { "Mermaid diagram, as its source" }
                pre tabindex="0" { (text(code)) }
            }
        };
    }
    let is_known = |language: &&Language| language.names.contains(&name);
    let pieces = match LANGUAGES.iter().find(is_known) {
        _ if code.len() > MAX_BYTES => vec![(None, code)],
        Some(language) => pieces(language, code),
        None if matches!(name, "diff" | "patch") => diff(code),
        None => vec![(None, code)],
    };
    html! {
        pre.code tabindex="0" {
            code {
                @for (class, piece) in &pieces {
                    @match class {
                        Some(class) => span class=(class) { (text(piece)) },
                        None => (text(piece)),
                    }
                }
            }
        }
    }
}

fn diff(code: &str) -> Vec<Piece<'_>> {
    let lines = code.split_inclusive('\n').map(|line| {
        let class = match line.as_bytes().first() {
            Some(b'+') => Some("hl-in"),
            Some(b'-') => Some("hl-out"),
            Some(b'@') => Some("hl-note"),
            _ => None,
        };
        (class, line)
    });
    lines.collect()
}

fn pieces<'a>(language: &Language, code: &'a str) -> Vec<Piece<'a>> {
    let mut found: Vec<Piece<'a>> = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while at < code.len() {
        let rest = &code[at..];
        let (class, length) = next(language, rest, &code[..at]);
        if let Some(class) = class {
            if plain < at {
                found.push((None, &code[plain..at]));
            }
            found.push((Some(class), &rest[..length]));
            plain = at + length;
        }
        at += length;
    }
    if plain < code.len() {
        found.push((None, &code[plain..]));
    }
    found
}

/// What comes next, and how many bytes it has: at least one character.
fn next(language: &Language, rest: &str, before: &str) -> (Option<&'static str>, usize) {
    let Some(first) = rest.chars().next() else { return (None, 1) };
    let line_end = || rest.find('\n').unwrap_or(rest.len());
    if language.line.iter().any(|begin| rest.starts_with(begin)) && is_comment(first, before) {
        return (Some("hl-note"), line_end());
    }
    if let Some((begin, end)) = language.block.filter(|(begin, _)| rest.starts_with(begin)) {
        let length = rest[begin.len()..].find(end).map(|at| begin.len() + at + end.len());
        return (Some("hl-note"), length.unwrap_or(rest.len()));
    }
    if language.quotes.contains(&first) {
        return (Some("hl-text"), quoted(rest, first));
    }
    if first.is_ascii_digit() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_'));
        return (Some("hl-number"), end.unwrap_or(rest.len()));
    }
    if first.is_alphabetic() || first == '_' {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..end];
        return (language.words.contains(&word).then_some("hl-word"), end);
    }
    (None, first.len_utf8())
}

/// `#` begins a comment only where a word could begin: `$#` and `a#b` are none.
fn is_comment(first: char, before: &str) -> bool {
    first != '#' || before.chars().next_back().is_none_or(char::is_whitespace)
}

/// How long a text in quotes is: to the same quote, or to the end of the line for those that do not span lines.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(name: &str, code: &str) -> Vec<(Option<&'static str>, String)> {
        let language = LANGUAGES.iter().find(|language| language.names.contains(&name)).unwrap();
        let found = pieces(language, code);
        assert_eq!(found.iter().map(|(_, piece)| *piece).collect::<String>(), code);
        found.into_iter().map(|(class, piece)| (class, piece.to_owned())).collect()
    }

    #[test]
    fn words_texts_numbers_and_comments_stand_out() {
        let found = classes("rust", "let x = \"a\\\"b\"; // 1\nfn_ 42");
        let expected = [
            (Some("hl-word"), "let"),
            (None, " x = "),
            (Some("hl-text"), "\"a\\\"b\""),
            (None, "; "),
            (Some("hl-note"), "// 1"),
            (None, "\nfn_ "),
            (Some("hl-number"), "42"),
        ];
        let expected = expected.map(|(class, piece)| (class, piece.to_owned()));
        assert_eq!(found, expected);
        assert_eq!(classes("sh", "echo $# # n")[1], (Some("hl-note"), "# n".to_owned()));
    }

    #[test]
    fn nothing_is_lost_whatever_is_written() {
        for language in LANGUAGES {
            for code in ["", "\"", "'\\", "/*", "#", "ü\"ü", "0x_", "`a\nb", "--", "//", "a'b'c"]
            {
                classes(language.names[0], code);
            }
        }
    }

    #[test]
    fn what_is_written_in_code_is_shown_as_text() {
        for name in ["html", "rust", "mermaid", "diff", "\"><script>"] {
            let shown = block(name, "</code></pre><script>alert(1)</script>").into_string();
            assert!(!shown.contains("<script"), "{shown}");
        }
    }
}
