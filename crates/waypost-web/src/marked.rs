//! Words that were found, marked in the text that they stand in.

use maud::{Markup, html};
use serde::Serialize;
use waypost_core::text::{one_line, printable};

use crate::parts::text;

/// How much is shown before the first word that was found, in characters.
const BEFORE: usize = 60;
/// How much is shown from there on.
const AFTER: usize = 220;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Piece {
    text: String,
    /// Whether it is a word that was looked for.
    found: bool,
}

/// The words that somebody looks for, as the index tells words apart.
#[derive(Debug)]
pub(crate) struct Words {
    words: Vec<String>,
    /// Whether they may be the beginnings of words.
    begin: bool,
}

impl Words {
    /// Whole words.
    pub(crate) fn whole(asked: &str) -> Self {
        Self { words: split(asked), begin: false }
    }

    /// Words, or how they begin.
    pub(crate) fn begun(asked: &str) -> Self {
        Self { words: split(asked), begin: true }
    }

    /// Whether nothing is looked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// All of a text as it stands, with those words marked.
    pub(crate) fn marked_in(&self, words: &str) -> Markup {
        if self.is_empty() { text(words) } else { marked(&self.pieces(words)) }
    }

    fn is_one(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let fits = |wanted: &String| {
            if self.begin { word.starts_with(wanted.as_str()) } else { word == *wanted }
        };
        self.words.iter().any(fits)
    }

    /// All of a text, on one line.
    pub(crate) fn all_of(&self, text: &str) -> Vec<Piece> {
        self.pieces(&one_line(&printable(text)))
    }

    /// What stands around the first word that was found, on one line.
    pub(crate) fn around_in(&self, text: &str) -> Vec<Piece> {
        let text = one_line(&printable(text));
        let pieces = self.pieces(&text);
        let found = pieces.iter().position(|piece| piece.found).unwrap_or(0);
        let before: usize = pieces[..found].iter().map(|piece| piece.text.chars().count()).sum();
        let skip = before.saturating_sub(BEFORE);
        let rest: String = text.chars().skip(skip).collect();
        let is_longer = rest.chars().count() > before - skip + AFTER;
        let mut shown: String = rest.chars().take(before - skip + AFTER).collect();
        if is_longer {
            shown.push('…');
        }
        if skip > 0 {
            shown.insert(0, '…');
        }
        self.pieces(&shown)
    }

    fn pieces(&self, text: &str) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut add = |text: &str, found: bool| match pieces.last_mut() {
            Some(last) if last.found == found && !found => last.text.push_str(text),
            _ => pieces.push(Piece { text: text.to_owned(), found }),
        };
        let mut rest = text;
        while !rest.is_empty() {
            let end = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
            let word = end(char::is_alphanumeric);
            let length = if word > 0 { word } else { end(|c| !c.is_alphanumeric()) };
            add(&rest[..length], word > 0 && self.is_one(&rest[..length]));
            rest = &rest[length..];
        }
        pieces
    }
}

fn split(asked: &str) -> Vec<String> {
    let words = asked.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The pieces, those that were found marked.
pub(crate) fn marked(pieces: &[Piece]) -> Markup {
    html! {
        @for piece in pieces {
            @if piece.found { mark.found { (text(&piece.text)) } } @else { (text(&piece.text)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pieces: &[Piece]) -> String {
        let piece = |piece: &Piece| {
            if piece.found { format!("[{}]", piece.text) } else { piece.text.clone() }
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn words_are_marked_as_the_index_tells_them_apart() {
        let words = Words::whole("login tests \"");
        assert_eq!(
            told(&words.all_of("Fixed the Login;\ntests? loginx <b>Tests</b>")),
            "Fixed the [Login]; [tests]? loginx <b>[Tests]</b>"
        );
        let words = Words::begun("2026-02 pass");
        assert_eq!(told(&words.all_of("2026-02-14_passkeys_a1")), "[2026]-[02]-14_[passkeys]_a1");
        assert_eq!(told(&Words::whole("").all_of("a b")), "a b");
        assert_eq!(told(&Words::whole("é").all_of("É é e")), "[É] [é] e");
    }

    #[test]
    fn what_is_shown_stands_around_the_first_of_them() {
        let text = format!("{} needle {}", "ä ".repeat(500), "z ".repeat(500));
        let shown = told(&Words::whole("needle").around_in(&text));
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.contains("[needle]") && shown.chars().count() < 300, "{shown}");
        assert_eq!(told(&Words::whole("x").around_in("a b")), "a b");
        assert_eq!(told(&Words::whole("x").around_in("")), "");
    }

    #[test]
    fn nothing_that_steers_or_hides_is_shown() {
        let pieces = Words::whole("a").all_of("a\u{202e}b \u{1b}[31mred <script>");
        let shown = marked(&pieces).into_string();
        assert!(!shown.contains(['\u{202e}', '\u{1b}']) && !shown.contains("<script>"), "{shown}");
    }
}
