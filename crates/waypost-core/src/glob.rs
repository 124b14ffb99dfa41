//! Patterns with `*` (any run of characters) and `?` (one character).
//!
//! Written by hand because the hook matches them on every tool call, where compiling a regular
//! expression costs more than the whole ruling.

/// Whether all of `text` fits `pattern`.
pub fn matches(pattern: &str, text: &str) -> bool {
    if pattern.is_ascii() && text.is_ascii() {
        let one = |one: &u8, byte: &u8| *one == b'?' || one == byte;
        return fits(pattern.as_bytes(), text.as_bytes(), |one| *one == b'*', one);
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    fits(&pattern, &text, |one| *one == '*', |one, c| *one == '?' || one == c)
}

/// Whether the path `path` fits `pattern`: `*` stays within a folder, `**` does not, and `**/x` is
/// also `x` itself.
pub fn matches_path(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    fits(&pattern, &path, |part| *part == "**", |part, name| matches(part, name))
}

/// Whether `text` fits `pattern`, of which what `is_star` stands for any run, and the rest for one
/// that `is_one` takes. Goes back to the last star only, so that it never takes longer than the
/// product of both lengths.
fn fits<P, T>(
    pattern: &[P],
    text: &[T],
    is_star: impl Fn(&P) -> bool,
    is_one: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && is_star(&pattern[p]) {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && is_one(&pattern[p], &text[t]) {
            p += 1;
            t += 1;
        } else if let Some((star_p, star_t)) = star {
            p = star_p + 1;
            t = star_t + 1;
            star = Some((star_p, star_t + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(is_star)
}

#[cfg(test)]
mod tests {
    use super::{matches, matches_path};

    #[test]
    fn one_star_stays_in_its_folder_and_two_do_not() {
        for (pattern, path, expected) in [
            ("src/**", "src/a/b.rs", true),
            ("src/**", "src", true),
            ("src/*", "src/a.rs", true),
            ("src/*", "src/a/b.rs", false),
            ("**/*.rs", "a.rs", true),
            ("**/*.rs", "a/b/c.rs", true),
            ("docs/**/x.md", "docs/x.md", true),
            ("docs/**/x.md", "docs/a/b/x.md", true),
            ("docs/**/x.md", "docs/a/b/y.md", false),
            ("a", "b", false),
        ] {
            assert_eq!(matches_path(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn stars_and_question_marks_match_as_in_a_shell() {
        for (pattern, text, expected) in [
            ("cargo test*", "cargo test", true),
            ("cargo test*", "cargo test --workspace", true),
            ("cargo test*", "echo cargo test", false),
            ("cargo test", "cargo test -q", false),
            ("*pytest*", "python -m pytest -x", true),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXb", false),
            ("?", "", false),
            ("?", "é", true),
            ("", "", true),
            ("**", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        assert!(!matches(&"a*".repeat(200), &"a".repeat(150)));
    }
}
