//! What somebody said, as it is shown: paragraphs with their line breaks, and blocks of code. What is searched for is
//! marked. Nothing in it is ever taken for markup.

use maud::{Markup, html};
use waypost_core::text::printable;

/// What somebody said.
pub(super) fn words(said: &str, wanted: &[String]) -> Markup {
    html! {
        @for block in blocks(said) {
            @match block {
                Block::Text(text) => p { (marked(text, wanted)) },
                Block::Code(code) => pre { code { (marked(code, wanted)) } },
            }
        }
    }
}

/// A text in which what is wanted is marked.
pub(super) fn marked(text: &str, wanted: &[String]) -> Markup {
    let text = printable(text);
    html! {
        @for (piece, is_found) in pieces(&text, wanted) {
            @if is_found { mark { (piece) } } @else { (piece) }
        }
    }
}

/// The words of a search.
pub(super) fn wanted(query: &str) -> Vec<String> {
    query.split_whitespace().map(str::to_lowercase).collect()
}

#[derive(Debug, PartialEq, Eq)]
enum Block<'t> {
    Text(&'t str),
    Code(&'t str),
}

/// Paragraphs, and what stands between fences.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let (mut begin, mut place, mut is_code) = (0, 0, false);
    let push = |blocks: &mut Vec<_>, from: usize, to: usize, is_code: bool| {
        let part = text[from..to].trim_matches('\n');
        if is_code {
            blocks.push(Block::Code(part));
        } else if !part.trim().is_empty() {
            blocks.push(Block::Text(part.trim_end()));
        }
    };
    for line in text.split_inclusive('\n') {
        let (start, end) = (place, place + line.len());
        place = end;
        if line.trim_start().starts_with("```") {
            push(&mut blocks, begin, start, is_code);
            (begin, is_code) = (end, !is_code);
        } else if !is_code && line.trim().is_empty() {
            push(&mut blocks, begin, start, false);
            begin = end;
        }
    }
    push(&mut blocks, begin, text.len(), is_code);
    blocks
}

/// A text in pieces, and of each whether it is wanted.
fn pieces<'t>(text: &'t str, wanted: &[String]) -> Vec<(&'t str, bool)> {
    let mut pieces = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let found = wanted.iter().filter_map(|word| starts_with(rest, word)).max();
        match found.filter(|length| *length > 0) {
            Some(length) => {
                pieces.extend((begin < at).then(|| (&text[begin..at], false)));
                pieces.push((&rest[..length], true));
                at += length;
                begin = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    pieces.extend((begin < text.len()).then(|| (&text[begin..], false)));
    pieces
}

/// How many bytes of a text are this word, whatever its case.
fn starts_with(text: &str, lower: &str) -> Option<usize> {
    let mut wanted = lower.chars();
    let mut next = wanted.next();
    for (place, letter) in text.char_indices() {
        if next.is_none() {
            return Some(place);
        }
        for low in letter.to_lowercase() {
            if next != Some(low) {
                return None;
            }
            next = wanted.next();
        }
    }
    next.is_none().then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, query: &str) -> String {
        words(text, &wanted(query)).into_string()
    }

    #[test]
    fn paragraphs_and_code_are_told_apart() {
        let text = "One\ntwo\n\n\nthree\n```rust\nfn a() {}\n\n<b>\n```\nend";
        let expected =
            "<p>One\ntwo</p><p>three</p><pre><code>fn a() {}\n\n&lt;b&gt;</code></pre><p>end</p>";
        assert_eq!(shown(text, ""), expected);
        assert_eq!(shown("```\nopen", ""), "<pre><code>open</code></pre>");
        assert_eq!(shown("", ""), "");
    }

    #[test]
    fn what_is_wanted_is_marked_whatever_its_case() {
        assert_eq!(
            shown("Add LOGIN, login", "login"),
            "<p>Add <mark>LOGIN</mark>, <mark>login</mark></p>"
        );
        assert_eq!(shown("<Straße>", "ss <"), "<p><mark>&lt;</mark>Straße&gt;</p>");
        assert_eq!(shown("İstanbul", "i"), "<p>İstanbul</p>");
        assert_eq!(shown("abcabc", "ab abc"), "<p><mark>abc</mark><mark>abc</mark></p>");
    }

    #[test]
    fn nothing_is_markup() {
        let text = "<script>alert(1)</script> [x](javascript:1) <svg onload=1>";
        let shown = shown(text, "script");
        assert!(!shown.contains("<script") && !shown.contains("<svg"), "{shown}");
    }
}
