//! How large the screen is, and a line of it: pieces of text in styles, cut to the columns that there are. Nothing in it steers a terminal.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::ui;

/// How large the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) lines: usize,
}

/// A line of the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line(pub(super) Vec<(Style, String)>);

impl Line {
    /// A line of one piece.
    pub(super) fn of(style: Style, text: &str) -> Self {
        Self::default().with(style, text)
    }

    /// The same, and a piece more.
    pub(super) fn with(mut self, style: Style, text: &str) -> Self {
        self.0.push((style, ui::on_one_line_as_it_is(text)));
        self
    }

    /// How many columns it takes.
    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.width()).sum()
    }

    /// At most so many columns of it.
    pub(super) fn cut(mut self, columns: usize) -> Self {
        let mut left = columns;
        for (_, text) in &mut self.0 {
            *text = cut(text, left);
            left -= text.width();
        }
        self
    }

    /// All of it in a style, over the whole width.
    pub(super) fn marked(self, style: Style, columns: usize) -> Self {
        let text: String = self.0.into_iter().map(|(_, text)| text).collect();
        Self(vec![(style, filled(&text, columns))])
    }

    /// As text without styles.
    #[cfg(test)]
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// At most so many columns of a text, with an ellipsis where something was left out.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let (mut short, mut used) = (String::new(), 0);
    for c in text.chars() {
        let width = c.width().unwrap_or(0);
        if used + width + 1 > columns {
            break;
        }
        short.push(c);
        used += width;
    }
    if columns > 0 {
        short.push('…');
    }
    short
}

/// Exactly so many columns of a text.
pub(super) fn filled(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let missing = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// A text in lines of at most so many columns, broken between words where that is possible.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    text.lines().flat_map(|line| wrap(line, columns.max(1))).collect()
}

fn wrap(line: &str, columns: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start().len();
    let indent = if indent + 8 < columns { indent } else { 0 };
    let (mut lines, mut now) = (Vec::new(), String::new());
    for word in line.split_inclusive(' ') {
        if now.width() + word.trim_end().width() > columns && !now.trim().is_empty() {
            lines.push(std::mem::replace(&mut now, " ".repeat(indent)));
        }
        for c in word.chars() {
            if now.width() + c.width().unwrap_or(0) > columns {
                // A blank at the end of a line is not missed.
                if c == ' ' {
                    continue;
                }
                lines.push(std::mem::take(&mut now));
            }
            now.push(c);
        }
    }
    lines.push(now);
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_by_columns_and_not_by_characters() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(filled("日本", 6), "日本  ");
        assert_eq!(
            Line::of(Style::new(), "日本").with(Style::new(), "abc").cut(6).text(),
            "日本a…"
        );
    }

    #[test]
    fn what_steers_a_terminal_is_no_part_of_a_line() {
        let line = Line::of(Style::new(), "a\u{1b}[31mb\u{202e}c\nd");
        assert_eq!(line.text(), "a[31mbc d");
    }

    #[test]
    fn a_text_is_wrapped_between_words_and_keeps_its_indent() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("  one two three four", 14), ["  one two", "  three four"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("a\n\nb", 10), ["a", "", "b"]);
    }
}
