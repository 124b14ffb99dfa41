//! What a project's own profile may not say, since a built-in one says it: nothing of a project can change
//! what those mean.

use super::program::{is_program, runners_of};
use super::{Argument, data};

/// Why no runner of a project can be spelt like this; `None` if it can.
pub fn of_spelling(spelling: &str) -> Option<String> {
    let words = arguments(spelling);
    let Some(first) = words.first() else { return Some("it is empty".to_owned()) };
    if spelling.contains(['*', '?']) || first.is_flag() {
        return Some(format!("`{spelling}` is no command; write its words as they are"));
    }
    wrapper_like(&words)
        .map(|known| format!("`{known}` runs the command behind it; name that command instead"))
        .or_else(|| runner_like(&words))
}

/// Why no wrapper of a project can be called like this; `None` if it can.
pub fn of_wrapper(wrapper: &str) -> Option<String> {
    let words = arguments(wrapper);
    let Some(first) = words.first() else { return Some("it is empty".to_owned()) };
    if first.is_flag() {
        return Some(format!("`{wrapper}` is no command"));
    }
    wrapper_like(&words)
        .map(|known| format!("`{known}` is built in; it cannot be changed"))
        .or_else(|| runner_like(&words))
}

/// The names of the built-in formats.
pub fn formats() -> impl Iterator<Item = &'static str> {
    data::FORMATS.iter().map(|format| format.name)
}

fn arguments(words: &str) -> Vec<Argument<'_>> {
    words.split_whitespace().map(Argument::plain).collect()
}

fn wrapper_like(words: &[Argument<'_>]) -> Option<&'static str> {
    data::WRAPPERS.iter().map(|wrapper| wrapper.words).find(|known| is_like(known, words))
}

fn runner_like(words: &[Argument<'_>]) -> Option<String> {
    runners_of(words.first()?.text).find_map(|runner| {
        let known = runner.spellings.iter().find(|known| is_like(known, words))?;
        Some(format!("`{known}` is built in, as {}; it cannot be changed", runner.name))
    })
}

/// Whether one of both is the beginning of the other.
fn is_like(known: &str, words: &[Argument<'_>]) -> bool {
    let mut names = known.split_whitespace();
    let Some((first, rest)) = words.split_first() else { return false };
    names.next().is_some_and(|program| is_program(program, first.text))
        && names.zip(rest).all(|(name, word)| name == word.text)
}

#[cfg(test)]
mod tests {
    use super::{of_spelling, of_wrapper};

    #[test]
    fn nothing_of_a_project_is_spelt_like_what_is_built_in() {
        for taken in [
            "pytest",
            "python3 -m pytest",
            ".venv/bin/pytest",
            "cargo",
            "cargo test --doc",
            "make",
            "make test",
            "uv run checks",
            "uv",
            "timeout",
            "",
            "--all",
            "checks *",
        ] {
            assert!(of_spelling(taken).is_some(), "{taken}");
        }
        for free in
            ["./run-checks all", "make e2e", "npm run e2e", "checks", "./pytest", "tools/ci"]
        {
            assert_eq!(of_spelling(free), None, "{free}");
        }
        for taken in ["env", "uv run", "uv", "npm", "cargo test", "make", "/usr/bin/env", ""] {
            assert!(of_wrapper(taken).is_some(), "{taken}");
        }
        for free in ["with-db", "./scripts/in-docker", "npm run with-env"] {
            assert_eq!(of_wrapper(free), None, "{free}");
        }
    }
}
