//! Which words call which program.

use super::Argument;
use super::data;
use super::profile::Runner;

/// The runners that a program has which is called like this. Most have none, and nearly every pattern and
/// command ends here.
pub(super) fn runners_of(word: &str) -> impl Iterator<Item = &'static Runner<'static>> {
    let called = name_of(word);
    let also = data::PROGRAMS.iter().filter(move |program| program.also.has(called));
    let names = std::iter::once(called).chain(also.map(|program| program.name));
    let rows = names.filter_map(|name| {
        data::BY_PROGRAM.binary_search_by_key(&name, |(program, _)| program).ok()
    });
    rows.flat_map(|row| data::BY_PROGRAM[row].1).map(|at| &data::RUNNERS[*at])
}

/// A program's name without its folder.
pub(super) fn name_of(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// How many words of `beginning` a command begins with: all of them, or it does not.
pub(super) fn begins(words: &[Argument<'_>], beginning: &str) -> Option<usize> {
    let mut names = beginning.split_whitespace();
    let (first, mut rest) = words.split_first()?;
    if !is_program(names.next()?, first.text) {
        return None;
    }
    let mut length = 1;
    for name in names {
        let (word, others) = rest.split_first()?;
        if word.text != name {
            return None;
        }
        (rest, length) = (others, length + 1);
    }
    Some(length)
}

/// Whether `word` calls a program: by its name, or by a path where programs lie.
pub(super) fn is_program(name: &str, word: &str) -> bool {
    let (folder, called) =
        word.rsplit_once('/').map_or((None, word), |(at, name)| (Some(at), name));
    let own = name_of(name);
    let lies_there = match folder {
        None => !name.contains('/'),
        Some(folder) => {
            let last = folder.rsplit('/').next().unwrap_or_default();
            name.contains('/') || matches!(last, "bin" | ".bin" | "sbin" | "shims" | "Scripts")
        }
    };
    let also = || data::PROGRAMS.iter().filter(|program| program.name == own);
    lies_there && (own == called || also().any(|program| program.also.has(called)))
}
