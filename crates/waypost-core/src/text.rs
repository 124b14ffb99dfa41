//! Text that came from elsewhere: made safe to show, to name files after and to keep in records.

/// Makes text safe for a terminal or a model: control characters and the marks that reorder text
/// are taken out, line breaks and tabs stay.
pub fn printable(text: &str) -> String {
    text.chars().filter(|c| !is_hidden(*c) || matches!(c, '\n' | '\t')).collect()
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

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
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
