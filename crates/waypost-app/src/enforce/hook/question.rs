//! Whether what an agent says last asks the user something.

/// How much of the end of a text is looked at, in bytes: a question that much else follows is none any more.
const END: usize = 1500;

/// Whether the end of a text asks something, outside of code.
pub(super) fn asks(text: &str) -> bool {
    let prose = without_code(text);
    let from = prose.len().saturating_sub(END);
    let from = (from..=prose.len()).find(|at| prose.is_char_boundary(*at)).unwrap_or(0);
    let end = &prose[from..];
    end.char_indices().any(|(at, c)| {
        let behind = &end[at + c.len_utf8()..];
        // `a?b`, `x?.y` and `x.html?y=1` ask nothing.
        let closes =
            |next: char| next.is_whitespace() || ")]}\"'*_!?\u{201d}\u{2019}".contains(next);
        let ends = behind.chars().next().is_none_or(closes);
        let before = end[..at].chars().next_back();
        match c {
            '?' => ends && before.is_some_and(|before| !before.is_whitespace()),
            '\u{ff1f}' | '\u{61f}' | '\u{37e}' | '\u{2753}' => true,
            _ => false,
        }
    })
}

/// The text without what stands in code blocks and between backticks.
fn without_code(text: &str) -> String {
    let mut prose = String::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                let plain = line.split('`').enumerate().filter(|(at, _)| at % 2 == 0);
                plain.for_each(|(_, part)| prose.push_str(part));
                prose.push('\n');
            }
        }
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::asks;

    #[test]
    fn a_question_at_the_end_is_one() {
        for text in [
            "Which one do you want?",
            "Should I go on?\n\n1. yes\n2. no",
            "**Which one?**",
            "Soll ich weitermachen? Dann sag bitte Bescheid.",
            "\u{3069}\u{3061}\u{3089}\u{ff1f}",
            "I changed it. Is that fine (yes/no)?\n",
        ] {
            assert!(asks(text), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for text in [
            "",
            "Done.",
            "I used `a ? b : c`.",
            "```js\nwhat?\n```\nDone.",
            "See https://example.org/x?y=1 for more.",
            "x?.y is safe now.",
            &format!("Why?\n{}", "It is done. ".repeat(200)),
        ] {
            assert!(!asks(text), "{text}");
        }
    }
}
