//! Text without the characters that nobody sees, and the way back to where things stood.
//!
//! One of them in the middle of a token would hide it from every rule and from every reader, and it
//! would still be the token. So the rules read the text without them. Line breaks and blanks are no
//! hidden characters: what stands on two lines is not one token.

use std::ops::Range;

use super::scan::{count, run};
use crate::text::is_hidden;

/// A text without its hidden characters.
pub(super) struct Bare {
    pub(super) text: String,
    /// Where something was taken out, and how many bytes were taken out up to there.
    seams: Vec<(usize, usize)>,
}

/// `text` without its hidden characters; nothing if it has none.
pub(super) fn without(text: &str) -> Option<Bare> {
    count(text.len());
    if !text.bytes().any(may_begin_hidden) || !text.chars().any(is_taken_out) {
        return None;
    }
    let mut bare = Bare { text: String::with_capacity(text.len()), seams: Vec::new() };
    let mut rest = text;
    while let Some(start) = rest.find(is_taken_out) {
        let (shown, hidden) = rest.split_at(start);
        bare.text.push_str(shown);
        rest = &hidden[hidden_length(hidden)..];
        bare.seams.push((bare.text.len(), text.len() - rest.len() - bare.text.len()));
    }
    bare.text.push_str(rest);
    Some(bare)
}

impl Bare {
    /// Whether something was taken out right before `at`.
    pub(super) fn has_seam(&self, at: usize) -> bool {
        self.seams.binary_search_by_key(&at, |(seam, _)| *seam).is_ok()
    }

    /// Where that range of the bare text stands in the text that it was made of, with what is hidden
    /// inside of it.
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        let removed = |seams: usize| seams.checked_sub(1).map_or(0, |last| self.seams[last].1);
        let up_to_start = self.seams.partition_point(|(seam, _)| *seam <= range.start);
        let before_end = self.seams.partition_point(|(seam, _)| *seam < range.end);
        range.start + removed(up_to_start)..range.end + removed(before_end)
    }
}

/// Whether a hidden character can begin with this byte. Most text has none of them.
fn may_begin_hidden(byte: u8) -> bool {
    matches!(
        byte,
        0..=8 | 0x0e..=0x1f | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3
    )
}

fn is_taken_out(c: char) -> bool {
    is_hidden(c) && !c.is_whitespace()
}

/// The length of the hidden character that `text` begins with. A terminal's codes for colours and for
/// the rest of a line are hidden as a whole.
fn hidden_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.starts_with(b"\x1b[") {
        let end = run(bytes, 2, 16, |b| b.is_ascii_digit() || b == b';');
        if matches!(bytes.get(end), Some(b'm' | b'K')) {
            return end + 1;
        }
    }
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hidden_character_begins_with_another_byte() {
        for c in ('\0'..=char::MAX).filter(|c| is_taken_out(*c)) {
            let first = c.to_string().into_bytes()[0];
            assert!(may_begin_hidden(first), "{}", c.escape_unicode());
        }
    }
}
