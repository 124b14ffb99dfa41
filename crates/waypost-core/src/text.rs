//! Text that came from elsewhere: made safe to show, to name files after and to keep in records.

pub mod spoken;

/// Makes text safe for a terminal or a model: control characters, characters that nobody sees and the
/// marks that reorder text are taken out; line breaks and tabs stay.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if is_line_separator(c) { '\n' } else { c })
        .filter(|c| !is_hidden(*c) || matches!(c, '\n' | '\t'))
        .collect()
}

/// The same on one line: line breaks become spaces.
pub fn one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !is_hidden(*c))
        .collect();
    spaced.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// At most `max` characters, with an ellipsis where something was left out.
pub fn shortened(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// A short name for files: lower-case ASCII letters, digits and single hyphens, 40 at the most.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.len() >= 40 {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "session".to_owned() } else { slug.to_owned() }
}

/// The candidate that `word` was most likely meant to be, if one is close enough.
pub fn did_you_mean<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edit distance in which swapping two neighbours counts as one step.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

/// Whether a character shows nothing of itself, but can steer a terminal, reorder what stands beside
/// it, or carry words to a model that a person does not see.
///
/// These are the control characters, the line separators, the annotation marks, and what Unicode calls
/// default ignorable. Of those only the two selectors that choose between the text form and the emoji
/// form of a character are left, because ordinary text has them.
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || is_line_separator(c)
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Unicode's own line and paragraph separators, at which some programs begin a new line.
fn is_line_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// JSON whose hidden characters are written as escapes: it says the same, and a terminal shows it.
///
/// Outside of strings JSON has only line breaks and tabs of that kind, and they stay.
pub fn escaped_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) && !matches!(c, '\n' | '\r' | '\t') {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Text as one word of a command line, for those who copy it into a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_bidi_overrides_do_not_reach_a_terminal() {
        assert_eq!(printable("a\u{1b}[31mred\u{202e}b\nc"), "a[31mredb\nc");
        assert_eq!(one_line(" a\n\n b\tc\u{7} "), "a b c");
    }

    /// One of each range that is taken out, and its ends.
    const HIDDEN: &[char] = &[
        '\0',
        '\u{7}',
        '\u{8}',
        '\r',
        '\u{1b}',
        '\u{7f}',
        '\u{80}',
        '\u{9b}',
        '\u{9f}',
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{115f}',
        '\u{1160}',
        '\u{180b}',
        '\u{180e}',
        '\u{200b}',
        '\u{200d}',
        '\u{200f}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2061}',
        '\u{2064}',
        '\u{2066}',
        '\u{206f}',
        '\u{3164}',
        '\u{fe00}',
        '\u{feff}',
        '\u{ffa0}',
        '\u{fff9}',
        '\u{fffb}',
        '\u{1d173}',
        '\u{e0000}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e007f}',
        '\u{e0100}',
        '\u{e01ef}',
    ];

    #[test]
    fn nothing_hidden_is_left_for_a_terminal_or_a_model() {
        for c in HIDDEN {
            assert_eq!(printable(&format!("a{c}b")), "ab", "{}", c.escape_unicode());
            let line = one_line(&format!("a{c}b"));
            assert_eq!(line.replace(' ', ""), "ab", "{}", c.escape_unicode());
        }
        for c in ['\u{2028}', '\u{2029}'] {
            assert_eq!(printable(&format!("a{c}b")), "a\nb");
            assert_eq!(one_line(&format!("a{c}b")), "a b");
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in [
            "naïve café",
            "日本語",
            "Ελληνικά",
            "עברית",
            "한국어",
            "❤\u{fe0f} ✓",
            "🇩🇪",
            "a\tb\nc",
            "e\u{301}",
        ] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn json_with_its_hidden_characters_escaped_says_the_same() {
        let hidden: String = HIDDEN.iter().chain(&['\u{2028}', '\u{2029}', '\n', '\t']).collect();
        let value = serde_json::json!({"text": hidden, "k\u{e0041}": ["❤\u{fe0f}", 1]});
        let escaped = escaped_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!escaped.chars().any(|c| is_hidden(c) && c != '\n'), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }

    #[test]
    fn slugs_are_short_and_plain() {
        assert_eq!(slug("Add login, please!"), "add-login-please");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("日本語"), "session");
        assert_eq!(slug(&"long ".repeat(50)).len(), 39);
    }

    #[test]
    fn a_misspelt_word_finds_its_neighbour_and_a_strange_one_none() {
        let known = ["before", "level", "message", "proof"];
        assert_eq!(did_you_mean("befor", &known), Some("before"));
        assert_eq!(did_you_mean("lvele", &known), Some("level"));
        assert_eq!(did_you_mean("colour", &known), None);
    }

    #[test]
    fn a_word_for_a_shell_is_quoted_where_it_has_to_be() {
        assert_eq!(shell_word("Planning/coverage-1"), "Planning/coverage-1");
        assert_eq!(shell_word("Spec & Plan/it's"), r"'Spec & Plan/it'\''s'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn long_text_is_shortened_by_characters() {
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöüß", 3), "äö…");
    }
}
